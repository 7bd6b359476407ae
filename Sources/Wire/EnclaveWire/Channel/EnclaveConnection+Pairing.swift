package import KeychainModel
import KeychainWire
package import LinuxSystem
package import SyncFormat

/// Pairing through the channel.
extension EnclaveConnection {
    package func beginPairing() throws(Refusal) -> [UInt8] {
        try send(EnclaveCalls.beginPairing, EmptyMessage()).bytes
    }

    package func showDigits(asking question: CircleQuestion, by deadline: Deadline) throws(Refusal) {
        _ = try ask(EnclaveCalls.showDigits, EmptyMessage(), question, deadline)
    }

    package func answerPairing(
        _ message: [UInt8], name: String, positions: [SyncPosition], token: SecretBytes
    ) throws(Refusal) -> [UInt8] {
        let answer = PairingAnswer(message: message, name: name, positions: positions, token: token)
        return try send(EnclaveCalls.answerPairing, answer).bytes
    }

    package func joinPairing(
        _ message: [UInt8], asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [UInt8] {
        try ask(EnclaveCalls.joinPairing, BytesMessage(message), question, deadline).bytes
    }

    package func finishPairing(_ message: [UInt8]) throws(Refusal) -> PairingWelcome {
        try send(EnclaveCalls.finishPairing, BytesMessage(message)).welcome
    }

    package func introduce(name: String) throws(Refusal) -> [UInt8] {
        try send(EnclaveCalls.introduce, MachineName(name: name)).bytes
    }

    package func addPaired(
        _ message: [UInt8], asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement] {
        try ask(EnclaveCalls.addPaired, BytesMessage(message), question, deadline).statements
    }
}
