package import KeychainModel
import LinuxSystem

/// The facts that begin a protected file. A header that was read is a claim until ``FilePreamble`` has authenticated
/// it.
///
///     header = 89 4B 43 46 49 4C 45 0A version:u16 kind:u8 suite:u8 exponent:u8 class:u8 slots:u16 generation:u64
///              length:u64 written:u64 log:u64 file id:16 *slot zeros code:32      ; 4096 bytes
package struct FileHeader: Equatable, Sendable {
    /// The sizes a chunk may have: 4 KiB to 1 MiB, as exponents of two. Larger ones would cost every reader that much
    /// memory; with smaller ones the tags would count.
    package static let chunkExponents: ClosedRange<UInt8> = 12...20
    /// Enough for a shelf and some recipients, and one page has room for them.
    package static let mostSlots = 8

    static let size = 4096
    static let codeSize = 32

    package let protection: FileProtection
    /// A chunk has two to this power bytes.
    package let chunkExponent: UInt8
    /// Of two authentic copies, the greater generation counts.
    package let generation: UInt64
    package let file: FileID
    package let slots: [FileSlot]
    /// The one of ``slots`` that is a shelf's.
    package let shelfSlot: FileSlot

    /// The slots for recovery recipients.
    package var recoverySlots: [FileSlot] { slots.filter { $0.kind == FileSlot.Kind.recovery.rawValue } }

    /// The content of a full chunk in bytes.
    package var chunkSize: Int { 1 << Int(chunkExponent) }

    /// - Throws: `FileError.invalidHeader` for a header that no reader takes.
    package init(
        protection: FileProtection, chunkExponent: UInt8 = 16, generation: UInt64 = 1, file: FileID, slots: [FileSlot]
    ) throws(FileError) {
        self.protection = protection
        self.chunkExponent = chunkExponent
        self.generation = generation
        self.file = file
        self.slots = slots
        guard let shelfSlot = slots.first(where: { $0.kindOfShelf != nil }) else { throw .invalidHeader }
        self.shelfSlot = shelfSlot
        guard isValid else { throw .invalidHeader }
    }

    // In class B a file may be made while the shelf's secret key is locked away. In the others the secret key proves
    // that a program of the group has written the file, so another kind is refused.
    private var isValid: Bool {
        guard (1...Self.mostSlots).contains(slots.count), Self.chunkExponents.contains(chunkExponent) else {
            return false
        }
        guard slots.allSatisfy(\.isWhole), slots.map(\.size).reduce(0, +) <= FileSlot.room else { return false }
        let kinds = slots.compactMap(\.kindOfShelf)
        return kinds == [protection == .completeUnlessOpen ? .shelfPublic : .shelf]
    }
}

// MARK: - Reading and writing

extension FileHeader {
    static let magic: [UInt8] = [0x89, 0x4B, 0x43, 0x46, 0x49, 0x4C, 0x45, 0x0A]
    private static let version: UInt16 = 1
    private static let sealedKind: UInt8 = 1
    private static let suite: UInt8 = 1
    /// The length of a sealed file is that of the file.
    private static let unstated = UInt64.max

    enum Offset {
        static let version = 8
        static let kind = 10
        static let suite = 11
        static let exponent = 12
        static let protection = 13
        static let slotCount = 14
        static let generation = 16
        static let length = 24
        static let written = 32
        static let log = 40
        static let file = 48
        static let slots = 64
    }

    /// The header without its code.
    var encoded: [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: Self.version)
        bytes += [Self.sealedKind, Self.suite, chunkExponent, protection.rawValue]
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: slots.count))
        bytes.append(littleEndian: generation)
        for field in [Self.unstated, Self.unstated, 0] { bytes.append(littleEndian: field) }
        bytes += file.bytes
        for slot in slots { slot.append(to: &bytes) }
        bytes += [UInt8](repeating: 0, count: Self.size - Self.codeSize - bytes.count)
        return bytes
    }

    /// Reads a header, which is not authentic yet.
    ///
    /// - Parameters:
    ///   - bytes: the header without its code.
    ///   - base: where it begins in the file.
    init(decoding bytes: Span<UInt8>, at base: UInt64) throws(FileError) {
        guard bytes.extracting(..<Self.magic.count).isEqual(to: Self.magic.span) else { throw .notProtected }
        try Self.checkKnown(bytes)
        let (ones, log) = (Self.unstated, UInt64(0))
        guard bytes.littleEndian(UInt64.self, at: Offset.length) == ones,
            bytes.littleEndian(UInt64.self, at: Offset.written) == ones,
            bytes.littleEndian(UInt64.self, at: Offset.log) == log
        else { throw .damaged(at: base + UInt64(Offset.length)) }
        let place = base + UInt64(Offset.exponent)
        guard let protection = FileProtection(rawValue: bytes[Offset.protection]),
            let file = FileID(bytes.extracting(Offset.file..<Offset.slots))
        else { throw .damaged(at: place) }
        let slots = try Self.slots(bytes, at: base)
        do throws(FileError) {
            try self.init(
                protection: protection, chunkExponent: bytes[Offset.exponent],
                generation: bytes.littleEndian(UInt64.self, at: Offset.generation), file: file, slots: slots)
        } catch { throw .damaged(at: place) }
    }

    private static func checkKnown(_ bytes: Span<UInt8>) throws(FileError) {
        let version = bytes.littleEndian(UInt16.self, at: Offset.version)
        guard version == Self.version else { throw .unsupported(.version, version) }
        guard bytes[Offset.kind] == sealedKind else { throw .unsupported(.kind, UInt16(bytes[Offset.kind])) }
        guard bytes[Offset.suite] == suite else { throw .unsupported(.suite, UInt16(bytes[Offset.suite])) }
    }

    private static func slots(_ bytes: Span<UInt8>, at base: UInt64) throws(FileError) -> [FileSlot] {
        let count = Int(bytes.littleEndian(UInt16.self, at: Offset.slotCount))
        guard (1...mostSlots).contains(count) else { throw .damaged(at: base + UInt64(Offset.slotCount)) }
        var slots: [FileSlot] = []
        var offset = Offset.slots
        for _ in 0..<count {
            guard let slot = FileSlot(bytes, at: offset) else { throw .damaged(at: base + UInt64(offset)) }
            slots.append(slot)
            offset += slot.size
        }
        for place in offset..<bytes.count where bytes[place] != 0 { throw .damaged(at: base + UInt64(place)) }
        return slots
    }
}

extension FileSlot {
    /// The kind of a slot that a shelf unwraps; nil for others.
    fileprivate var kindOfShelf: Kind? { Kind(rawValue: kind).flatMap { $0.isOfShelf ? $0 : nil } }
}

extension [UInt8] {
    fileprivate mutating func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
        for place in 0..<MemoryLayout<Integer>.size { append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
    }
}
