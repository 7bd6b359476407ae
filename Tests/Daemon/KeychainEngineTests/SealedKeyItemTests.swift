import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine

/// Items whose key only the enclave sees: what goes in, what comes out, and what a change does to the key.
struct SealedKeyItemTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine
    /// A private key as a program gives it.
    private let privateKey: PrivateKey

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
        privateKey = try PrivateKey.generate(.ecSECPrimeRandom, bits: 256)
    }

    private var bytes: [UInt8] {
        get throws { try privateKey.external().withSpan { $0.array(0, $0.count) } }
    }

    /// A private key that must not leave.
    private static let kept: [String: RawValue] = [
        "kcls": .string("1"), "type": .string("73"), "bsiz": .number(256), "extr": .boolean(false),
    ]

    @Test(
        "a key made inside is found as a reference that describes itself, and never as a value",
        .rule("keys.enclave.token", "keys.enclave.reference"))
    func madeInside() throws {
        let key = try engine.makeKey(.afterFirstUnlockThisDeviceOnly)
        #expect(key.binding.group == "test")
        try engine.addKey("tag", key)
        let found = try engine.findKey("tag")
        #expect(found.entry(.valueData) == nil)
        #expect(try found.sealedKey() == key)
        #expect(found[.tokenID] == .string(TestEngine.token))
        #expect(found[.keyClass] == .number(1) && found[.type] == .number(73) && found[.keySizeInBits] == .number(256))
        #expect(found[.accessible] == .string("cku") && found[.isExtractable] == .number(0))
        #expect(found.accessControl?.flags == TestEngine.usable)
        #expect(try engine.findKey("tag", returning: ["r_Data", "r_Attributes"]).sealedKey() == nil)
        #expect(try engine.findKey("tag", returning: ["r_Attributes"]).entry(.valueData) == nil)
        try engine.sign(try #require(try found.sealedKey()))
        #expect(try engine.verify().damage == [])
    }

    @Test(
        "the bytes of a key never become a key of the enclave, by an add or by a change",
        .rule("keys.enclave.reference", "keys.enclave.import"))
    func noImport() throws {
        let token: [String: RawValue] = ["tkid": .string(TestEngine.token)]
        for more in [token, token.merging(Self.kept) { $1 }] {
            #expect(refusal { try engine.addKey("tag", value: bytes, more: more) }?.status == .param)
            #expect(refusal { try engine.addKey("tag", more: more) }?.status == .param)
        }
        try engine.addKey("software", value: bytes, more: Self.kept)
        #expect(refusal { try engine.updateKey("software", token) }?.status == .param)
        try engine.addKey("made", try engine.makeKey())
        #expect(refusal { try engine.updateKey("made", value: bytes) }?.status == .param)
        try engine.sign(try #require(try engine.findKey("made").sealedKey()))
    }

    @Test("A sealed key of another device, of another group, or with a changed head is not taken")
    func foreignKeys() throws {
        let other = try TemporaryDirectory()
        let foreign = try TestEngine(in: other).makeKey()
        #expect(refusal { try engine.addKey("tag", foreign) }?.status == .decode)
        let theirs = try engine.makeKey(as: ["theirs"])
        #expect(refusal { try engine.addKey("tag", theirs) }?.status == .missingEntitlement)
        #expect(refusal { try engine.sign(theirs) }?.status == .missingEntitlement)
        let claimed = SealedKey(
            backend: theirs.backend, origin: theirs.origin, keyType: theirs.keyType, bits: theirs.bits,
            binding: KeyBinding(group: "test", accessibility: .whenUnlocked, control: TestEngine.usable),
            publicKey: theirs.publicKey, sealed: theirs.sealed)
        #expect(refusal { try engine.addKey("tag", claimed) }?.status == .decode)
        #expect(refusal { try engine.sign(claimed) }?.status == .decode)
    }

    @Test("What an item says of its key is what the key is, or it is refused")
    func contradictions() throws {
        let key = try engine.makeKey()
        for (code, value): (String, RawValue) in [
            ("type", .string("42")), ("bsiz", .number(384)), ("sync", .boolean(true)), ("extr", .boolean(true)),
            ("tkid", .string("another")), ("kcls", .string("2")),
        ] {
            #expect(refusal { try engine.addKey("tag", key, more: [code: value]) }?.status == .param, "\(code)")
        }
        try engine.addKey("tag", key)
        for (code, value): (String, RawValue) in [
            ("type", .string("42")), ("bsiz", .number(384)), ("extr", .boolean(true)), ("tkid", .string("another")),
        ] {
            #expect(refusal { try engine.updateKey("tag", [code: value]) }?.status == .param, "\(code)")
        }
        #expect(refusal { try engine.addKey("both", key, value: bytes) }?.status == .param)
    }

    @Test(
        "A private key that is not extractable is kept from leaving, and still does its work",
        .rule("keys.item.not-extractable"))
    func notExtractable() throws {
        try engine.addKey("tag", value: bytes, more: Self.kept)
        let found = try engine.findKey("tag")
        #expect(found.entry(.valueData) == nil)
        let key = try #require(try found.sealedKey())
        #expect(key.origin == .imported && found[.tokenID] == nil)
        let signature = try engine.sign(key)
        let algorithm = try #require(KeyAlgorithm(name: "algid:sign:ECDSA:message-X962:SHA256"))
        let message = Array("message".utf8)
        #expect(try signature.withSpan { try privateKey.publicKey.verify($0, of: message.span, algorithm) })
        #expect(refusal { try engine.updateKey("tag", ["extr": .boolean(true)]) }?.status == .param)
        // New bytes are the program's own to give.
        try engine.updateKey("tag", value: try Self.another())
        #expect(try engine.findKey("tag").sealedKey()?.publicKey != key.publicKey)
        #expect(try engine.findKey("tag").entry(.valueData) == nil)
    }

    private static func another() throws -> [UInt8] {
        try PrivateKey.generate(.ecSECPrimeRandom, bits: 256).external().withSpan { $0.array(0, $0.count) }
    }

    @Test("Only what is a private key of its type can be kept from leaving")
    func notAKey() throws {
        for value in [[], [1, 2, 3], Array(try bytes.dropLast())] {
            #expect(refusal { try engine.addKey("tag", value: value, more: Self.kept) }?.status == .param)
        }
        let more = Self.kept.filter { $0.key != "type" }
        #expect(refusal { try engine.addKey("tag", value: bytes, more: more) }?.status == .param)
    }

    @Test(
        "a key whose use is guarded is kept from leaving too, so that the guard cannot be walked around",
        .rule("keys.create.rsa-guarded"))
    func guarded() throws {
        let more: [String: RawValue] = [
            "kcls": .string("1"), "type": .string("73"),
            "accc": .control(.whenUnlockedThisDeviceOnly, TestEngine.usable | 1 << 3),
        ]
        try engine.addKey("tag", value: bytes, more: more)
        let found = try engine.findKey("tag")
        #expect(found.entry(.valueData) == nil)
        let key = try #require(try found.sealedKey())
        #expect(refusal { try engine.sign(key) }?.status == .authNeeded)
        let loosened: [String: RawValue] = ["accc": .control(.whenUnlockedThisDeviceOnly, TestEngine.usable)]
        #expect(refusal { try engine.updateKey("tag", loosened) }?.status == .authNeeded)
        #expect(refusal { try engine.updateKey("tag", ["pdmn": .string("dk")]) }?.status == .authNeeded)
        #expect(refusal { try engine.sign(try #require(try engine.findKey("tag").sealedKey())) } != nil)
    }

    @Test(
        "An access control with a flag that nobody knows is refused, as is a guarded item that is synchronised",
        .rule("access-control.create.unknown-flag"))
    func flags() throws {
        let unknown: [String: RawValue] = ["kcls": .string("0"), "accc": .control(.whenUnlocked, 1 << 20)]
        #expect(refusal { try engine.addKey("tag", value: [1], more: unknown) }?.status == .param)
        let synchronised: [String: RawValue] = [
            "kcls": .string("0"), "sync": .boolean(true), "accc": .control(.whenUnlocked, 1),
        ]
        #expect(refusal { try engine.addKey("tag", value: [1], more: synchronised) }?.status == .param)
    }

    @Test("A change of group, class or control binds the key anew in the same write")
    func rebinds() throws {
        try engine.addKey("tag", try engine.makeKey(), as: ["test", "other"])
        try engine.updateKey("tag", ["agrp": .string("other")], as: ["test", "other"])
        var key = try #require(try engine.findKey("tag", as: ["other"]).sealedKey())
        #expect(key.binding == KeyBinding(group: "other", accessibility: .whenUnlocked, control: TestEngine.usable))
        try engine.sign(key, as: ["other"])
        #expect(refusal { try engine.sign(key) }?.status == .missingEntitlement)
        try engine.updateKey("tag", ["pdmn": .string("cku")], as: ["other"])
        key = try #require(try engine.findKey("tag", as: ["other"]).sealedKey())
        #expect(key.binding.accessibility == .afterFirstUnlockThisDeviceOnly)
        #expect(key.binding.control == TestEngine.usable)
        try engine.sign(key, as: ["other"])
        try engine.updateKey("tag", ["accc": .control(.always, 0)], as: ["other"])
        key = try #require(try engine.findKey("tag", as: ["other"]).sealedKey())
        #expect(key.binding == KeyBinding(group: "other", accessibility: .always, control: 0))
        #expect(refusal { try engine.sign(key, as: ["other"]) }?.status == .authFailed)
        #expect(try engine.verify().damage == [])
    }

    @Test(
        "while there is a key of the same name, another one is refused, and the old one stays in effect",
        .rule("keys.item.duplicate"))
    func duplicates() throws {
        let more: [String: RawValue] = ["klbl": .data([1])]
        let first = try engine.makeKey()
        try engine.addKey("tag", first, more: more)
        #expect(refusal { try engine.addKey("tag", try engine.makeKey(), more: more) }?.status == .duplicateItem)
        #expect(try engine.findKey("tag").sealedKey() == first)
    }

    @Test("Before the unlock a key's item neither comes in, nor out, nor changes")
    func locked() throws {
        let key = try engine.makeKey()
        try engine.addKey("tag", key)
        try engine.device(.setPasscode, "1")
        try engine.device(.lock)
        #expect(refusal { _ = try engine.makeKey() }?.status == .interactionNotAllowed)
        #expect(refusal { try engine.sign(key) }?.status == .interactionNotAllowed)
        #expect(refusal { try engine.addKey("other", key) }?.status == .interactionNotAllowed)
        #expect(refusal { _ = try engine.findKey("tag") }?.status == .interactionNotAllowed)
        #expect(refusal { try engine.updateKey("tag", ["agrp": .string("test")]) }?.status == .interactionNotAllowed)
        try engine.device(.unlock, "1")
        try engine.sign(key)
    }

    @Test("A sealed key in a row that is not one of this enclave's is reported")
    func damage() throws {
        try engine.addKey("tag", try engine.makeKey())
        let report = try engine.verify()
        #expect(report.checked == 1 && report.damage == [])
        try engine.tamper("UPDATE keys SET data = zeroblob(length(data))")
        #expect(try engine.verify().damage.count == 1)
    }
}

extension TestEngine {
    func device(_ request: DeviceRequest, _ passcode: String...) throws {
        let files = try passcode.map { try PasscodeFile.make(SecretBytes(copying: Array($0.utf8).span)) }
        let writer = ResponseWriter()
        engine.device(request, passcodes: files, from: TestEngine.caller, id: 1, by: .never, into: writer)
        let answer = writer.complete()
        guard answer.status == 0 else { throw Refusal(decoding: answer.body, status: answer.status) }
    }
}
