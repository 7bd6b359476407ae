import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// The vault's file.
///
///     vault    = version1 | version2 | version3 | version4 | version5 | version6
///     version1 = head device:32 body digest:32                                             ; 592 bytes
///     version2 = head zero:32 body index:60 records u16 zero:u16 device lock digest:32     ; u16: the size of the lock
///     version3 = head zero:32 body index:60 records u16 settings:u16 idle:u32 device *slot seal:32 digest:32
///     version4 = head zero:32 body index:60 records u16 settings:u16 idle:u32 age device *slot seal:32 digest:32
///     version5 = head zero:32 body index:60 records u16 settings:u16 idle:u32 age circleLength:u32 zero:u32 device
///                *slot circle seal:32 digest:32
///     version6 = head zero:32 body index:60 records u16 settings:u16 idle:u32 age circleLength:u32 recoveryLength:u32
///                device *slot [circle] *recipient:32 proof:28 seal:32 digest:32
///     head     = magic:8 version:u16 flags:u16 zero:u32 identifier:16
///     body     = memory:u32 passes:u32 lanes:u32 failed:u32 salt:16 boot:36 since:u64 7*wrapped:60
///     records  = kind:u16 deviceLength:u16
///     wrapped  = nonce:12 ciphertext:32 tag:16
///
/// All integers are little-endian. Bit 0 of `flags` says that a passcode is set. `failed`, `boot` and `since` are
/// ``FailedAttempts``; `age` is ``VaultAge``. The class keys stand in the order of `Accessibility`; a key that does not
/// exist (`akpu` without a passcode) is zero. ``VaultRecords`` has what stands behind them, and the slots; in versions
/// 1 and 2 the one slot's Argon2id parameters and `salt` are in the body, which are zero otherwise.
/// `docs/formats/vault.md` says the same for other readers.
extension Vault {
    /// The size of version 1.
    static let size = 592

    /// Where the parts stand.
    enum Offset {
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
    }

    static let digestBytes = 32

    private static let magic = Array("KCVAULT\0".utf8)

    /// The content of the file.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    func encoded() throws(CryptoError) -> SecretBuffer {
        let buffer = SecretBuffer(capacity: 1024)
        appendHead(to: buffer)
        if version == Self.firstVersion {
            try buffer.append(
                try buffer.withSpan { (content) throws(CryptoError) in try keyedDigest(.vaultDigest, content) })
            return buffer
        }
        buffer.append(wrappedIndexKey, paddedTo: RowKeyRecord.wrappedBytes)
        VaultRecords(self).append(to: buffer)
        if version >= Self.slotVersion {
            try buffer.append(
                try buffer.withSpan { (content) throws(CryptoError) in try keyedDigest(.vaultSeal, content) })
        }
        try buffer.append(try buffer.withSpan { (content) throws(CryptoError) in try Digest.sha256(content) })
        return buffer
    }

    private func appendHead(to buffer: SecretBuffer) {
        // Only the versions before had the passcode's parameters here.
        let legacy = version < Self.slotVersion ? passcode : nil
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
        buffer.append(legacy?.cost)
        buffer.append(littleEndian: attempts.count)
        buffer.append(legacy?.salt ?? [], paddedTo: VaultSlot.saltBytes)
        buffer.append(Array(attempts.boot.utf8), paddedTo: FailedAttempts.bootBytes)
        buffer.append(littleEndian: attempts.since)
        for key in wrappedKeys { buffer.append(key, paddedTo: RowKeyRecord.wrappedBytes) }
    }

    /// Reads the content of the file.
    ///
    /// - Throws: `errSecDecode` (`store.damaged`) when a bit of it is not as it was written; `errSecNotAvailable` when
    ///   it is of a later release, or not of this device.
    init(decoding bytes: Span<UInt8>, _ roots: DeviceRoots) throws(Refusal) {
        let version = try Self.version(of: bytes)
        let tail = try VaultRecords(version, bytes)
        let key = try roots.root(tail.kind).openDevice(tail.record)
        self.init(
            version, identifier: bytes.array(Offset.identifier, 16),
            on: Device(kind: tail.kind, record: tail.record, key: key))
        wrappedKeys = Self.wrappedKeys(bytes)
        if version != Self.firstVersion {
            wrappedIndexKey = bytes.array(Offset.tail, RowKeyRecord.wrappedBytes)
        }
        let name = bytes.array(Offset.boot, FailedAttempts.bootBytes).prefix { $0 != 0 }
        // Replaced by a mark, what is no text would be written as other bytes than were read.
        guard let boot = String(validating: name, as: UTF8.self) else { throw .damagedVault }
        attempts = FailedAttempts(
            count: bytes.littleEndian(UInt32.self, at: Offset.failed), boot: boot,
            since: bytes.littleEndian(UInt64.self, at: Offset.since))
        (slots, settings, age) = (tail.slots, tail.settings, tail.age)
        if let circle = tail.circle { keep(circle) }
        if !tail.recovery.isEmpty { keep(recovery: tail.recovery, proof: tail.recoveryProof) }
        if let seal = tail.seal {
            try check(bytes, upTo: seal, version == Self.firstVersion ? .vaultDigest : .vaultSeal)
        }
    }

    /// The root of the vault, if the bytes are a vault at all.
    ///
    /// - Throws: as ``init(decoding:_:)``.
    static func kind(of bytes: Span<UInt8>) throws(Refusal) -> DeviceRootKind {
        try VaultRecords(try version(of: bytes), bytes).kind
    }

    private static func version(of bytes: Span<UInt8>) throws(Refusal) -> UInt16 {
        guard bytes.count > Offset.flags, bytes.extracting(..<8).isEqual(to: magic.span) else { throw .damagedVault }
        let version = bytes.littleEndian(UInt16.self, at: Offset.version)
        guard (firstVersion...recoveryVersion).contains(version) else { throw .laterVault(version) }
        return version
    }

    /// Holds a digest that takes the device key against the bytes before it.
    private func check(_ bytes: Span<UInt8>, upTo end: Int, _ purpose: KeyPurpose) throws(Refusal) {
        do throws(CryptoError) {
            let expected = try keyedDigest(purpose, bytes.extracting(..<end))
            if expected.span.isEqual(to: bytes.extracting(end..<end + Self.digestBytes)) { return }
        } catch { throw .crypto(error) }
        throw .damagedVault
    }

    private func keyedDigest(
        _ purpose: KeyPurpose, _ content: Span<UInt8>
    ) throws(CryptoError) -> InlineArray<32, UInt8> {
        let key = try deriveKey(purpose)
        return try key.withSpan { (key) throws(CryptoError) in try KeyedDigest(key: key).digest(content) }
    }

    private static func wrappedKeys(_ bytes: Span<UInt8>) -> [[UInt8]] {
        Accessibility.allCases.indices.map { index in
            let wrapped = bytes.array(Offset.wrapped + index * RowKeyRecord.wrappedBytes, RowKeyRecord.wrappedBytes)
            return wrapped.allSatisfy { $0 == 0 } ? [] : wrapped
        }
    }
}

extension SecretBuffer {
    func append(_ bytes: [UInt8], paddedTo size: Int) {
        append(bytes.span.extracting(..<min(bytes.count, size)))
        append(count: max(0, size - bytes.count)) { _ in }
    }

    func append(_ cost: Argon2id?) {
        for parameter in [cost?.memory, cost?.passes, cost?.lanes] { append(littleEndian: parameter ?? 0) }
    }

    fileprivate func append(_ digest: InlineArray<32, UInt8>) throws(CryptoError) { append(digest.span) }
}
