import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// What the software enclave keeps: the device key, and the class keys wrapped under keys made from it and the passcode.
///
///     vault = magic:8 version:u16 flags:u16 zero:u32 identifier:16 device:32
///             memory:u32 passes:u32 lanes:u32 failed:u32 salt:16 boot:36 since:u64
///             7*wrapped:60 digest:32                                                    ; 592 bytes
///     wrapped = nonce:12 ciphertext:32 tag:16
///
/// All integers are little-endian. Bit 0 of `flags` says that a passcode is set; without it the Argon2id parameters and `salt`
/// are zero. `failed`, `boot` and `since` are ``FailedAttempts``. The class keys stand in the order of `Accessibility`; a key
/// that does not exist (`akpu` without a passcode) is zero. `digest` is HMAC-SHA256 of all that precedes it, under a key made
/// from the device key: it finds damage, and is no defence against whoever can write the file, since the device key is in it.
/// `docs/format-vault.md` says the same for other readers.
struct Vault: Sendable {
    static let version: UInt16 = 1
    static let size = 592

    let identifier: [UInt8]
    let deviceKey: SecretBytes
    var passcode: PasscodeDerivation?
    var attempts = FailedAttempts()
    /// By class, in the order of `Accessibility`; empty for a key that does not exist.
    var wrappedKeys: [[UInt8]]

    /// Makes a vault without a passcode and without class keys, which ``Keybag/sealed(in:passcode:)`` puts in.
    init() {
        identifier = Randomness.bytes(16)
        deviceKey = .randomKey()
        wrappedKeys = Accessibility.allCases.map { _ in [] }
    }
}

/// How the passcode becomes a key: the price of a guess, and the salt that makes guesses good for one vault only.
struct PasscodeDerivation: Equatable, Sendable {
    let cost: Argon2id
    let salt: [UInt8]
}

// MARK: - Encoding

extension Vault {
    /// Where the parts stand.
    private enum Offset {
        static let version = 8
        static let flags = 10
        static let identifier = 16
        static let device = 32
        static let cost = 64
        static let failed = 76
        static let salt = 80
        static let boot = 96
        static let since = 132
        static let wrapped = 140
        static let digest = 560
    }

    private static let magic = Array("KCVAULT\0".utf8)

    /// The content of the file.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    func encoded() throws(CryptoError) -> SecretBuffer {
        let buffer = SecretBuffer(capacity: Self.size)
        buffer.append(Self.magic.span)
        buffer.append(littleEndian: Self.version)
        buffer.append(littleEndian: UInt16(passcode == nil ? 0 : 1))
        buffer.append(littleEndian: UInt32(0))
        buffer.append(identifier.span)
        deviceKey.withSpan { buffer.append($0) }
        for parameter in [passcode?.cost.memory, passcode?.cost.passes, passcode?.cost.lanes] {
            buffer.append(littleEndian: parameter ?? 0)
        }
        buffer.append(littleEndian: attempts.count)
        buffer.append(passcode?.salt ?? [], paddedTo: 16)
        buffer.append(Array(attempts.boot.utf8), paddedTo: FailedAttempts.bootBytes)
        buffer.append(littleEndian: attempts.since)
        for key in wrappedKeys { buffer.append(key, paddedTo: RowKeyRecord.wrappedBytes) }
        let digest = try buffer.withSpan { (content) throws(CryptoError) in try self.digest(of: content) }
        buffer.append(digest.span)
        return buffer
    }

    /// Reads the content of the file.
    ///
    /// - Throws: `errSecDecode` (`store.damaged`) when a bit of it is not as it was written; `errSecNotAvailable` when it is of
    ///   a later release.
    init(decoding bytes: Span<UInt8>) throws(Refusal) {
        guard bytes.count > Offset.flags, bytes.extracting(..<8).isEqual(to: Self.magic.span) else {
            throw .damagedVault
        }
        let version = bytes.littleEndian(UInt16.self, at: Offset.version)
        guard version == Self.version else { throw .laterVault(version) }
        guard bytes.count == Self.size else { throw .damagedVault }
        identifier = bytes.array(Offset.identifier, 16)
        deviceKey = SecretBytes(copying: bytes.extracting(Offset.device..<Offset.cost))
        wrappedKeys = Self.wrappedKeys(bytes)
        attempts = FailedAttempts(
            count: bytes.littleEndian(UInt32.self, at: Offset.failed),
            boot: String(
                decoding: bytes.array(Offset.boot, FailedAttempts.bootBytes).prefix { $0 != 0 }, as: UTF8.self),
            since: bytes.littleEndian(UInt64.self, at: Offset.since))
        try check(bytes)
        passcode = try Self.passcode(bytes)
    }

    private func check(_ bytes: Span<UInt8>) throws(Refusal) {
        do throws(CryptoError) {
            let expected = try digest(of: bytes.extracting(..<Offset.digest))
            if expected.span.isEqual(to: bytes.extracting(Offset.digest...)) { return }
        } catch { throw .crypto(error) }
        throw .damagedVault
    }

    private func digest(of content: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> {
        let key = try deriveKey(.vaultDigest)
        return try key.withSpan { (key) throws(CryptoError) in try KeyedDigest(key: key).digest(content) }
    }

    private static func wrappedKeys(_ bytes: Span<UInt8>) -> [[UInt8]] {
        Accessibility.allCases.indices.map { index in
            let wrapped = bytes.array(Offset.wrapped + index * RowKeyRecord.wrappedBytes, RowKeyRecord.wrappedBytes)
            return wrapped.allSatisfy { $0 == 0 } ? [] : wrapped
        }
    }

    private static func passcode(_ bytes: Span<UInt8>) throws(Refusal) -> PasscodeDerivation? {
        if bytes.littleEndian(UInt16.self, at: Offset.flags) & 1 == 0 { return nil }
        do throws(CryptoError) {
            let cost = try Argon2id(
                memory: bytes.littleEndian(UInt32.self, at: Offset.cost),
                passes: bytes.littleEndian(UInt32.self, at: Offset.cost + 4),
                lanes: bytes.littleEndian(UInt32.self, at: Offset.cost + 8))
            return PasscodeDerivation(cost: cost, salt: bytes.array(Offset.salt, 16))
        } catch { throw .damagedVault }
    }
}

extension SecretBuffer {
    fileprivate func append(_ bytes: [UInt8], paddedTo size: Int) {
        append(bytes.span.extracting(..<min(bytes.count, size)))
        append(count: max(0, size - bytes.count)) { _ in }
    }
}
