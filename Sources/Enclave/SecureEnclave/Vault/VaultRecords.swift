import EnclaveWire
import FileFormat
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// A vault's records of its device, its slots and its settings, wherever its version has that.
///
///     version2 = records lockLength:u16 zero:u16 device lock
///     version3 = records slotsLength:u16 settings:u16 idle:u32 device *slot
///     version4 = records slotsLength:u16 settings:u16 idle:u32 age device *slot
///     version5 = records slotsLength:u16 settings:u16 idle:u32 age circleLength:u32 zero:u32 device *slot circle
///     version6 = records slotsLength:u16 settings:u16 idle:u32 age circleLength:u32 recoveryLength:u32 device *slot
///                [circle] *recipient:32 proof:28
///     slot     = number:u8 kind:u8 lockLength:u16 memory:u32 passes:u32 lanes:u32 salt:16 wrapped:60 lock
///
/// ``CircleRecord`` has the circle, ``Vault`` the proof. Bit 0 of `settings` says that the keychain locks when the
/// machine goes to sleep; `idle` is in seconds, 0 for never. The digest at the end, SHA-256, finds damage before the
/// device is asked; the seal before it takes the device key, so that who can write the file and has not this device
/// changes nothing in it. A seal's place follows from the sizes.
struct VaultRecords {
    private(set) var kind = DeviceRootKind.software
    private(set) var record = SecretBytes(count: 0)
    private(set) var slots: [VaultSlot] = []
    private(set) var settings = DeviceSettings()
    private(set) var age = VaultAge()
    private(set) var circle: CircleRecord?
    private(set) var recovery: [RecoveryRecipient] = []
    private(set) var recoveryProof: [UInt8] = []
    /// Where the digest is that takes the device key; nil in version 2.
    private(set) var seal: Int?
    private let version: UInt16

    private enum Offset {
        static let sizes = Vault.Offset.kind + 2
        static let records2 = 628
        static let settings = 626
        static let idle = 628
        static let records3 = 632
        static let age = 632
        static let records4 = age + VaultAge.size
        static let circleLength = records4
        static let records5 = circleLength + 8
    }

    init(_ vault: Vault) {
        version = vault.version
        (kind, record) = (vault.device.kind, vault.device.record)
        (slots, settings, age, circle) = (vault.slots, vault.settings, vault.age, vault.circle)
        (recovery, recoveryProof) = (vault.recovery, vault.recoveryProof)
    }

    /// Reads it, and holds what digest takes no key against the bytes.
    ///
    /// - Throws: `errSecDecode` (`store.damaged`).
    init(_ version: UInt16, _ bytes: Span<UInt8>) throws(Refusal) {
        self.version = version
        switch version {
        case Vault.firstVersion: try readFirst(bytes)
        case Vault.movableVersion: try readMovable(bytes)
        default: try readSlots(bytes)
        }
    }

    /// Appends the tail of version 2, 3, 4, 5 or 6.
    func append(to buffer: SecretBuffer) {
        let slots = version >= Vault.slotVersion ? self.slots.encoded : slots.first?.lock ?? []
        for number in [UInt16(kind.rawValue), UInt16(record.count), UInt16(slots.count)] {
            buffer.append(littleEndian: number)
        }
        buffer.append(littleEndian: UInt16(version >= Vault.slotVersion && settings.locksOnSleep ? 1 : 0))
        if version >= Vault.slotVersion { buffer.append(littleEndian: settings.idleSeconds) }
        if version >= Vault.agedVersion { age.append(to: buffer) }
        let circle = circle?.encoded() ?? []
        if version >= Vault.circleVersion {
            buffer.append(littleEndian: UInt32(circle.count))
            buffer.append(littleEndian: UInt32(recovery.count * RecoveryRecipient.size + recoveryProof.count))
        }
        record.withSpan { buffer.append($0) }
        buffer.append(slots.span)
        buffer.append(circle.span)
        for recipient in recovery { buffer.append(recipient.bytes.span) }
        buffer.append(recoveryProof.span)
    }
}

// MARK: - Reading

extension VaultRecords {
    private mutating func readFirst(_ bytes: Span<UInt8>) throws(Refusal) {
        guard bytes.count == Vault.size else { throw .damagedVault }
        record = SecretBytes(copying: bytes.extracting(Vault.Offset.device..<Vault.Offset.cost))
        slots = [try Self.onlySlot(bytes, lock: [])]
        seal = Vault.Offset.tail
    }

    private mutating func readMovable(_ bytes: Span<UInt8>) throws(Refusal) {
        let (middle, end) = try readRecord(bytes, at: Offset.records2, trailer: Vault.digestBytes)
        slots = [try Self.onlySlot(bytes, lock: bytes.array(middle, end - middle))]
    }

    private mutating func readSlots(_ bytes: Span<UInt8>) throws(Refusal) {
        let isAged = version >= Vault.agedVersion
        let more = try Self.lengths(version, bytes)
        let records = more != nil ? Offset.records5 : isAged ? Offset.records4 : Offset.records3
        let (circleLength, recoveryLength) = more ?? (0, 0)
        let trailer = 2 * Vault.digestBytes + circleLength + recoveryLength
        let (middle, end) = try readRecord(bytes, at: records, trailer: trailer)
        if isAged { age = VaultAge(from: bytes, at: Offset.age) }
        let flags = bytes.littleEndian(UInt16.self, at: Offset.settings)
        guard flags <= 1 else { throw .damagedVault }
        settings = DeviceSettings(
            locksOnSleep: flags == 1, idleSeconds: bytes.littleEndian(UInt32.self, at: Offset.idle))
        slots = try [VaultSlot](decoding: bytes.extracting(middle..<end))
        seal = end + circleLength + recoveryLength
        try readRecovery(bytes.extracting((end + circleLength)..<(end + circleLength + recoveryLength)))
        guard circleLength > 0 else { return }
        do { circle = try CircleRecord(decoding: bytes.array(end, circleLength)) } catch { throw .damagedVault }
    }

    /// The sizes of the circle's part and the recipients'; nil where the version has neither.
    private static func lengths(
        _ version: UInt16, _ bytes: Span<UInt8>
    ) throws(Refusal) -> (circle: Int, recovery: Int)? {
        guard version >= Vault.circleVersion else { return nil }
        guard bytes.count >= Offset.records5 else { throw .damagedVault }
        let circle = Int(bytes.littleEndian(UInt32.self, at: Offset.circleLength))
        let recovery = Int(bytes.littleEndian(UInt32.self, at: Offset.circleLength + 4))
        let keys = recovery - Vault.recoveryProofBytes
        let isKnown =
            version == Vault.circleVersion
            ? circle > 0 && recovery == 0
            : (1...RecoveryRecipient.most * RecoveryRecipient.size).contains(keys) && keys % RecoveryRecipient.size == 0
        guard isKnown, circle <= CircleRecord.mostBytes else { throw .damagedVault }
        return (circle, recovery)
    }

    private mutating func readRecovery(_ bytes: Span<UInt8>) throws(Refusal) {
        guard bytes.count > 0 else { return }
        let end = bytes.count - Vault.recoveryProofBytes
        for start in stride(from: 0, to: end, by: RecoveryRecipient.size) {
            let key = bytes.array(start, RecoveryRecipient.size)
            guard let recipient = RecoveryRecipient(key), !recovery.contains(recipient) else { throw .damagedVault }
            recovery.append(recipient)
        }
        recoveryProof = bytes.array(end, Vault.recoveryProofBytes)
    }

    /// Reads the device's record, and finds where what follows begins and ends.
    private mutating func readRecord(
        _ bytes: Span<UInt8>, at start: Int, trailer: Int
    ) throws(Refusal) -> (middle: Int, end: Int) {
        guard bytes.count >= start + trailer,
            let kind = DeviceRootKind(rawValue: bytes.littleEndian(UInt16.self, at: Vault.Offset.kind))
        else { throw .damagedVault }
        let middle = start + Int(bytes.littleEndian(UInt16.self, at: Offset.sizes))
        let end = middle + Int(bytes.littleEndian(UInt16.self, at: Offset.sizes + 2))
        guard bytes.count == end + trailer else { throw .damagedVault }
        try Self.checkDigest(bytes)
        self.kind = kind
        record = SecretBytes(copying: bytes.extracting(start..<middle))
        return (middle, end)
    }

    private static func checkDigest(_ bytes: Span<UInt8>) throws(Refusal) {
        let end = bytes.count - Vault.digestBytes
        do throws(CryptoError) {
            let digest = try Digest.sha256(bytes.extracting(..<end))
            if digest.span.isEqual(to: bytes.extracting(end...)) { return }
        } catch { throw .crypto(error) }
        throw .damagedVault
    }

    /// The slot of a vault that has but one.
    private static func onlySlot(_ bytes: Span<UInt8>, lock: [UInt8]) throws(Refusal) -> VaultSlot {
        if bytes.littleEndian(UInt16.self, at: Vault.Offset.flags) & 1 == 0 { return VaultSlot(.device) }
        let salt = bytes.array(Vault.Offset.salt, VaultSlot.saltBytes)
        var slot = VaultSlot(.passcode, cost: try Argon2id(from: bytes, at: Vault.Offset.cost), salt: salt)
        slot.lock = lock
        return slot
    }
}

// MARK: - Slots

extension [VaultSlot] {
    private static let fixedBytes = 92

    fileprivate var encoded: [UInt8] {
        let buffer = SecretBuffer(capacity: 512)
        for slot in self {
            buffer.append(slot.number)
            buffer.append(slot.kind.rawValue)
            buffer.append(littleEndian: UInt16(slot.lock.count))
            buffer.append(slot.cost)
            buffer.append(slot.salt, paddedTo: VaultSlot.saltBytes)
            buffer.append(slot.wrappedKey, paddedTo: RowKeyRecord.wrappedBytes)
            buffer.append(slot.lock.span)
        }
        return buffer.withSpan { $0.array(0, $0.count) }
    }

    fileprivate init(decoding bytes: Span<UInt8>) throws(Refusal) {
        self = []
        var offset = 0
        while offset < bytes.count {
            guard bytes.count - offset >= Self.fixedBytes, count < UnlockSlot.most,
                let kind = UnlockSlot.Kind(rawValue: bytes[offset + 1])
            else { throw .damagedVault }
            let lockEnd = offset + Self.fixedBytes + Int(bytes.littleEndian(UInt16.self, at: offset + 2))
            guard lockEnd <= bytes.count else { throw .damagedVault }
            var slot = VaultSlot(kind, number: bytes[offset], salt: bytes.array(offset + 16, VaultSlot.saltBytes))
            if kind == .passcode || kind == .tpmWithPIN { slot.cost = try Argon2id(from: bytes, at: offset + 4) }
            slot.wrappedKey = bytes.array(offset + 32, RowKeyRecord.wrappedBytes)
            slot.lock = bytes.array(offset + Self.fixedBytes, lockEnd - offset - Self.fixedBytes)
            append(slot)
            offset = lockEnd
        }
        guard Set(map(\.number)).count == count, first?.kind == .passcode || first?.kind == .device else {
            throw .damagedVault
        }
    }
}

extension Argon2id {
    fileprivate init(from bytes: Span<UInt8>, at offset: Int) throws(Refusal) {
        do throws(CryptoError) {
            try self.init(
                memory: bytes.littleEndian(UInt32.self, at: offset),
                passes: bytes.littleEndian(UInt32.self, at: offset + 4),
                lanes: bytes.littleEndian(UInt32.self, at: offset + 8))
        } catch { throw .damagedVault }
    }
}
