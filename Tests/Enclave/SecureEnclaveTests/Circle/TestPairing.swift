import EnclaveWire
import KeychainModel
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@testable import SecureEnclave

/// A pairing whose messages the test carries.
final class TestPairing {
    static let name = "desk"
    static let token = SecretBytes(copying: Array("a token".utf8).span)

    let member, newcomer: CircleMachine
    let offer: [UInt8]
    let digits: String

    /// The member begins, and its user reads the digits.
    init(_ member: CircleMachine, _ newcomer: CircleMachine) throws {
        (self.member, self.newcomer) = (member, newcomer)
        offer = try member.connection.beginPairing()
        member.user.will(.close)
        try member.connection.showDigits(asking: CircleMachine.question, by: soon)
        digits = try #require(member.user.questions.last).digits
    }

    /// Digits that are not those of this pairing.
    var wrongDigits: String { digits == "0000 0000" ? "0000 0001" : "0000 0000" }

    /// The newcomer's user enters digits, the right ones unless others are given.
    func join(_ offer: [UInt8]? = nil, entering entered: String? = nil) throws -> [UInt8] {
        newcomer.user.will(.passcode(entered ?? digits))
        return try newcomer.connection.joinPairing(offer ?? self.offer, asking: CircleMachine.question, by: soon)
    }

    func answer(_ message: [UInt8], positions: [SyncPosition] = []) throws -> [UInt8] {
        try member.connection.answerPairing(
            message, name: Self.name, positions: positions, token: Self.token)
    }

    /// The newcomer knows the digits, and has entered the circle.
    func welcome(positions: [SyncPosition] = []) throws -> PairingWelcome {
        let welcome = try newcomer.connection.finishPairing(try answer(try join(), positions: positions))
        _ = try newcomer.enter(welcome.circle)
        return welcome
    }

    /// The member's user allows the newcomer.
    func add(_ introduction: [UInt8]) throws -> [SyncStatement] {
        member.user.will(.passcode(CircleMachine.passcode))
        return try member.connection.addPaired(introduction, asking: CircleMachine.question, by: soon)
    }
}

extension [UInt8] {
    /// The message that the bytes are.
    var pairing: PairingMessage { get throws { try PairingMessage(decoding: self) } }

    func changed(at index: Int, by mask: UInt8 = 1) -> [UInt8] {
        var bytes = self
        bytes[index] ^= mask
        return bytes
    }
}
