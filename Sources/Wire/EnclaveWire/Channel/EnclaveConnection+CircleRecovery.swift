package import KeychainModel
import KeychainWire
package import LinuxSystem
package import SyncFormat

/// Recovery through the channel.
extension EnclaveConnection {
    package func makeRecoveryKey(
        asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement] {
        try ask(EnclaveCalls.makeRecoveryKey, EmptyMessage(), question, deadline).statements
    }

    package func forgetOffers() throws(Refusal) { _ = try send(EnclaveCalls.forgetOffers, EmptyMessage()) }

    package func offerBatch(_ batch: [UInt8]) throws(Refusal) {
        _ = try send(EnclaveCalls.offerBatch, EmptyMessage(), [try CircleFile.make(SecretBytes(copying: batch.span))])
    }

    package func recoverCircle(
        name: String, asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement] {
        try ask(EnclaveCalls.recoverCircle, MachineName(name: name), question, deadline).statements
    }
}
