import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("Sealed keys on the wire")
struct SealedKeyTests {
    private static let key = SealedKey(
        backend: .tpm, origin: .madeInside, keyType: 73, bits: 256,
        binding: KeyBinding(group: "TEAM.ä", accessibility: .afterFirstUnlockThisDeviceOnly, control: 1 << 30),
        publicKey: [4, 1, 2], sealed: [9, 8, 7, 6])

    private static func decode(_ bytes: [UInt8]) throws(Refusal) -> SealedKey {
        try SealedKey(decoding: SecretBytes(copying: bytes.span))
    }

    private static func isRefused(_ bytes: [UInt8]) -> Bool {
        failure { () throws(Refusal) in try decode(bytes) }?.rule == .malformedFrame
    }

    @Test("Its bytes are those of the protocol, the head before what is sealed")
    func fixedBytes() {
        let head: [UInt8] =
            [1, 2, 1, 73, 0, 1, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 7, 0, 0, 0]
            + Array("TEAM.ä".utf8) + [3, 0, 0, 0, 4, 1, 2]
        #expect(Self.key.head == head)
        #expect(Self.key.bytes == head + [4, 0, 0, 0, 9, 8, 7, 6])
    }

    @Test("What was written is read")
    func roundTrips() throws { #expect(try Self.decode(Self.key.bytes) == Self.key) }

    @Test("A key that is cut short, or goes on, is refused")
    func cut() {
        let whole = Self.key.bytes
        for length in 0..<whole.count { #expect(Self.isRefused(Array(whole.prefix(length)))) }
        #expect(Self.isRefused(whole + [0]))
    }

    @Test(
        "An unknown version, back end, origin or class, and bytes that are not zero, are refused",
        arguments: [(0, 2), (1, 0), (1, 3), (2, 0), (2, 3), (6, 1), (7, 1), (8, 0), (8, 8), (9, 1), (11, 1)])
    func unknownParts(offset: Int, byte: UInt8) {
        var bytes = Self.key.bytes
        bytes[offset] = byte
        #expect(Self.isRefused(bytes))
    }

    @Test("Every change of a byte of the head is seen in the head that is read, or refused")
    func headIsExact() {
        let (whole, head) = (Self.key.bytes, Self.key.head)
        for offset in head.indices {
            var bytes = whole
            bytes[offset] ^= 1
            guard let read = try? Self.decode(bytes) else { continue }
            #expect(read.head != head)
            #expect(read.bytes == bytes)
        }
    }

    @Test("Parts beyond their limits are refused, and those at their limits fit a slot together with their input")
    func limits() throws {
        let largest = Self.make(
            KeyLimits.groupBytes, KeyLimits.publicKeyBytes, KeyLimits.privateKeyBytes)
        #expect(try Self.decode(largest.bytes) == largest)
        let over: [(Int, Int, Int)] = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
        for (group, publicKey, sealed) in over {
            let key = Self.make(
                KeyLimits.groupBytes + group, KeyLimits.publicKeyBytes + publicKey, KeyLimits.privateKeyBytes + sealed)
            #expect(Self.isRefused(key.bytes))
        }
        let use = KeyUse(
            String(repeating: "a", count: KeyLimits.algorithmBytes),
            [UInt8](repeating: 0, count: KeyLimits.inputBytes), requestedSize: UInt32(KeyLimits.derivedBytes),
            sharedInfo: [UInt8](repeating: 0, count: KeyLimits.sharedInfoBytes))
        let buffer = SecretBuffer()
        let context: AuthenticationContext? = AuthenticationContext(identifier: [], caller: [])
        context.append(to: buffer)
        largest.append(to: buffer)
        use.append(to: buffer)
        #expect(buffer.count <= EnclaveChannelFormat.bodyLimit)
        #expect(throws: Never.self) { try use.checkSize() }
    }

    private static func make(_ group: Int, _ publicKey: Int, _ sealed: Int) -> SealedKey {
        SealedKey(
            backend: .software, origin: .imported, keyType: 42, bits: 8192,
            binding: KeyBinding(
                group: String(repeating: "g", count: group), accessibility: .whenUnlocked, control: .max),
            publicKey: [UInt8](repeating: 1, count: publicKey),
            guardBinding: GuardBinding(
                enrolment: [UInt8](repeating: 3, count: GuardBinding.enrolmentBytes),
                password: [UInt8](repeating: 4, count: GuardBinding.passwordBytes)),
            sealed: [UInt8](repeating: 2, count: sealed))
    }

    @Test("Random bytes are refused or are a key, and never more than that")
    func randomBytes() throws {
        var random = SplitMix64(seed: 20)
        for _ in 0..<2000 {
            var bytes = Self.key.bytes
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let read = try? Self.decode(bytes) else { continue }
            #expect(read.bytes == bytes)
        }
    }
}
