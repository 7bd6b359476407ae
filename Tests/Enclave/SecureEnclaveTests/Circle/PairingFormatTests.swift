import Foundation
import LinuxSystem
import SyncFormat
import Testing

@testable import KeychainCrypto
@testable import SecureEnclave

/// A pairing that `pairing_format_test.py` has made from the page alone.
@Suite("The messages of a pairing") struct PairingFormatTests {
    private struct Fixture: Decodable {
        let digits, x, y: String
        let messages: [String]
    }

    private let fixture: Fixture
    private let messages: [PairingMessage]

    init() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let file = tests.appending(path: "Support/Fixtures/pairing.json")
        fixture = try JSONDecoder().decode(Fixture.self, from: try Data(contentsOf: file))
        messages = try fixture.messages.map { try PairingMessage(decoding: Self.bytes($0)) }
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let values = digits.compactMap(\.hexDigitValue)
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    private func side(_ side: SPAKE2.Side, _ number: String) throws -> SPAKE2 {
        let (curve, own) = (try CurveP256(), Self.bytes(number))
        let digits = SecretBytes(copying: Array(fixture.digits.utf8).span)
        let password = try PairingSecrets.password(digits, in: messages[0].slot.session)
        let scalar = try password.withSpan { (bytes) throws(CryptoError) in try curve.scalar(bytes) }
        return try SPAKE2(side, curve, password: scalar, own: curve.scalar(own.span))
    }

    private func keys(_ side: SPAKE2, _ share: [UInt8]) throws -> SPAKE2.Keys {
        try PairingSecrets.keys(
            side, with: share, in: messages[0].slot, member: PairingVersions(), newcomer: PairingVersions())
    }

    @Test("Shares and proofs are those that a reader of the page makes of digits and secret numbers")
    func exchange() throws {
        let (member, newcomer) = (try side(.first, fixture.x), try side(.second, fixture.y))
        #expect(member.share == messages[0].share && newcomer.share == messages[1].share)
        let members = try keys(member, newcomer.share)
        let newcomers = try keys(newcomer, member.share)
        #expect(members.confirmation == messages[2].confirmation)
        #expect(newcomers.confirmation == messages[1].confirmation)
        #expect(members.shared.isEqual(to: newcomers.shared))
    }

    @Test("The boxes of a reader of the page open, with its circle, its name and its signature")
    func boxes() throws {
        let keys = try keys(try side(.first, fixture.x), messages[1].share)
        let welcome = try PairingWelcome(decoding: try PairingSecrets.open(messages[2], under: keys.shared))
        #expect(welcome.circle == CircleID([UInt8](repeating: 1, count: 16)))
        #expect(welcome.member == MemberID([UInt8](repeating: 2, count: 16)))
        #expect(String(decoding: welcome.name, as: UTF8.self) == "书房")
        #expect(welcome.positions.map(\.seq) == [4] && welcome.token.count == 5)
        let opened = try PairingSecrets.open(messages[3], under: keys.shared)
        let introduction = try PairingIntroduction(decoding: opened.withSpan { $0.array(0, $0.count) })
        #expect(String(decoding: introduction.name, as: UTF8.self) == "笔记本")
        let signed = PairingIntroduction.signed(
            introduction.keys, name: introduction.name, messages[3].slot, messages[3].versions, in: welcome.circle,
            with: welcome.member)
        #expect(try introduction.keys.hasSigned(introduction.signature, of: signed))
    }

    @Test("A slot's name and a message have one spelling, and four steps")
    func spelling() throws {
        let session = String(repeating: "0", count: 31) + "7"
        let slot = try PairingSlot("pair/\(session)/3")
        #expect(slot == PairingSlot(PairingID(number: 7), .introduction))
        #expect(slot.text == "pair/\(session)/3")
        let others = ["pair/\(session)/4", "pair/\(session)/ 3", "pair/\(session)/00", "pair/7/0", "log/\(session)/0"]
        for text in others { #expect(throws: SyncMalformed.self) { try PairingSlot(text) } }
        for message in messages {
            let bytes = message.bytes
            #expect(try PairingMessage(decoding: bytes) == message)
            for place in [0, 21] {
                #expect(throws: SyncMalformed.self) { try PairingMessage(decoding: bytes.changed(at: place)) }
            }
        }
        let long = messages[3].bytes + [UInt8](repeating: 0, count: PairingMessage.mostBytes)
        #expect(throws: SyncMalformed.length) { try PairingMessage(decoding: long) }
    }
}
