import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// The vault's file.
///
///     vault   = version1 | version2
///     version1 = head device:32 body digest:32                                              ; 592 bytes
///     version2 = head zero:32 body index:60 kind:u16 deviceLength:u16 lockLength:u16 zero:u16 device lock digest:32
///     head    = magic:8 version:u16 flags:u16 zero:u32 identifier:16
///     body    = memory:u32 passes:u32 lanes:u32 failed:u32 salt:16 boot:36 since:u64 7*wrapped:60
///     wrapped = nonce:12 ciphertext:32 tag:16
///
/// All integers are little-endian. Bit 0 of `flags` says that a passcode is set; without it the Argon2id parameters and `salt`
/// are zero. `failed`, `boot` and `since` are ``FailedAttempts``. The class keys stand in the order of `Accessibility`; a key
/// that does not exist (`akpu` without a passcode) is zero. `digest` finds damage and is no defence against whoever can write
/// the file: HMAC-SHA256 of all that precedes it under a key made from the device key, in version 2 SHA-256.
/// `docs/format-vault.md` says the same for other readers.
extension Vault {
    /// The size of version 1.
    static let size = 592

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
        /// In version 1 the digest.
        static let tail = 560
        static let kind = 620
        static let records = 628
    }

    private static let digestBytes = 32

    private static let magic = Array("KCVAULT\0".utf8)

    /// The content of the file.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    func encoded() throws(CryptoError) -> SecretBuffer {
        let buffer = SecretBuffer(capacity: Self.size)
        buffer.append(Self.magic.span)
        buffer.append(littleEndian: version)
        buffer.append(littleEndian: UInt16(passcode == nil ? 0 : 1))
        buffer.append(littleEndian: UInt32(0))
        buffer.append(identifier.span)
        if version == Self.firstVersion {
            device.record.withSpan { buffer.append($0) }
        } else {
            buffer.append([], paddedTo: 32)
        }
        for parameter in [passcode?.cost.memory, passcode?.cost.passes, passcode?.cost.lanes] {
            buffer.append(littleEndian: parameter ?? 0)
        }
        buffer.append(littleEndian: attempts.count)
        buffer.append(passcode?.salt ?? [], paddedTo: 16)
        buffer.append(Array(attempts.boot.utf8), paddedTo: FailedAttempts.bootBytes)
        buffer.append(littleEndian: attempts.since)
        for key in wrappedKeys { buffer.append(key, paddedTo: RowKeyRecord.wrappedBytes) }
        if version != Self.firstVersion { appendTail(to: buffer) }
        let digest = try buffer.withSpan { (content) throws(CryptoError) in try self.digest(of: content) }
        buffer.append(digest.span)
        return buffer
    }

    private func appendTail(to buffer: SecretBuffer) {
        let lock = passcode?.lock ?? []
        buffer.append(wrappedIndexKey, paddedTo: RowKeyRecord.wrappedBytes)
        for number in [UInt16(device.kind.rawValue), UInt16(device.record.count), UInt16(lock.count), 0] {
            buffer.append(littleEndian: number)
        }
        device.record.withSpan { buffer.append($0) }
        buffer.append(lock.span)
    }

    /// Reads the content of the file.
    ///
    /// - Throws: `errSecDecode` (`store.damaged`) when a bit of it is not as it was written; `errSecNotAvailable` when it is of
    ///   a later release, or not of this device.
    init(decoding bytes: Span<UInt8>, _ roots: DeviceRoots) throws(Refusal) {
        let version = try Self.version(of: bytes)
        let tail = version == Self.firstVersion ? try Tail(firstVersion: bytes) : try Tail(movableVersion: bytes)
        let key = try roots.root(tail.kind).openDevice(tail.record)
        self.init(
            version, identifier: bytes.array(Offset.identifier, 16),
            on: Device(kind: tail.kind, record: tail.record, key: key))
        wrappedKeys = Self.wrappedKeys(bytes)
        wrappedIndexKey = tail.wrappedIndexKey
        attempts = FailedAttempts(
            count: bytes.littleEndian(UInt32.self, at: Offset.failed),
            boot: String(
                decoding: bytes.array(Offset.boot, FailedAttempts.bootBytes).prefix { $0 != 0 }, as: UTF8.self),
            since: bytes.littleEndian(UInt64.self, at: Offset.since))
        if version == Self.firstVersion { try check(bytes) }
        passcode = try Self.passcode(bytes, lock: tail.lock)
    }

    /// What the vault rests on, if the bytes are a vault at all.
    ///
    /// - Throws: as ``init(decoding:_:)``.
    static func kind(of bytes: Span<UInt8>) throws(Refusal) -> DeviceRootKind {
        try version(of: bytes) == firstVersion ? .software : try Tail(movableVersion: bytes).kind
    }

    private static func version(of bytes: Span<UInt8>) throws(Refusal) -> UInt16 {
        guard bytes.count > Offset.flags, bytes.extracting(..<8).isEqual(to: magic.span) else { throw .damagedVault }
        let version = bytes.littleEndian(UInt16.self, at: Offset.version)
        guard (firstVersion...movableVersion).contains(version) else { throw .laterVault(version) }
        return version
    }

    /// What stands behind the class keys, and the device key of version 1.
    private struct Tail {
        var kind = DeviceRootKind.software
        var record = SecretBytes(count: 0)
        var lock: [UInt8] = []
        var wrappedIndexKey: [UInt8] = []

        init(firstVersion bytes: Span<UInt8>) throws(Refusal) {
            guard bytes.count == Vault.size else { throw .damagedVault }
            record = SecretBytes(copying: bytes.extracting(Offset.device..<Offset.cost))
        }

        /// Holds the digest against the bytes too: it takes no key.
        init(movableVersion bytes: Span<UInt8>) throws(Refusal) {
            guard bytes.count >= Offset.records + Vault.digestBytes,
                let kind = DeviceRootKind(rawValue: bytes.littleEndian(UInt16.self, at: Offset.kind))
            else { throw .damagedVault }
            let deviceCount = Int(bytes.littleEndian(UInt16.self, at: Offset.kind + 2))
            let lockCount = Int(bytes.littleEndian(UInt16.self, at: Offset.kind + 4))
            let end = Offset.records + deviceCount + lockCount
            guard bytes.count == end + Vault.digestBytes else { throw .damagedVault }
            self.kind = kind
            record = SecretBytes(copying: bytes.extracting(Offset.records..<Offset.records + deviceCount))
            lock = bytes.array(Offset.records + deviceCount, lockCount)
            wrappedIndexKey = bytes.array(Offset.tail, RowKeyRecord.wrappedBytes)
            do throws(CryptoError) {
                let digest = try Digest.sha256(bytes.extracting(..<end))
                if digest.span.isEqual(to: bytes.extracting(end...)) { return }
            } catch { throw .crypto(error) }
            throw .damagedVault
        }
    }

    private func check(_ bytes: Span<UInt8>) throws(Refusal) {
        do throws(CryptoError) {
            let expected = try digest(of: bytes.extracting(..<Offset.tail))
            if expected.span.isEqual(to: bytes.extracting(Offset.tail...)) { return }
        } catch { throw .crypto(error) }
        throw .damagedVault
    }

    private func digest(of content: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> {
        guard version == Self.firstVersion else { return try Digest.sha256(content) }
        let key = try deriveKey(.vaultDigest)
        return try key.withSpan { (key) throws(CryptoError) in try KeyedDigest(key: key).digest(content) }
    }

    private static func wrappedKeys(_ bytes: Span<UInt8>) -> [[UInt8]] {
        Accessibility.allCases.indices.map { index in
            let wrapped = bytes.array(Offset.wrapped + index * RowKeyRecord.wrappedBytes, RowKeyRecord.wrappedBytes)
            return wrapped.allSatisfy { $0 == 0 } ? [] : wrapped
        }
    }

    private static func passcode(_ bytes: Span<UInt8>, lock: [UInt8]) throws(Refusal) -> PasscodeDerivation? {
        if bytes.littleEndian(UInt16.self, at: Offset.flags) & 1 == 0 { return nil }
        do throws(CryptoError) {
            let cost = try Argon2id(
                memory: bytes.littleEndian(UInt32.self, at: Offset.cost),
                passes: bytes.littleEndian(UInt32.self, at: Offset.cost + 4),
                lanes: bytes.littleEndian(UInt32.self, at: Offset.cost + 8))
            return PasscodeDerivation(cost: cost, salt: bytes.array(Offset.salt, 16), lock: lock)
        } catch { throw .damagedVault }
    }
}

extension SecretBuffer {
    fileprivate func append(_ bytes: [UInt8], paddedTo size: Int) {
        append(bytes.span.extracting(..<min(bytes.count, size)))
        append(count: max(0, size - bytes.count)) { _ in }
    }
}
