import LinuxSystem

/// A row of the program header table: a part of the file that is loaded, or that the kernel or the loader reads.
struct ELFSegment: Hashable, Sendable {
    let type: UInt32
    let offset: UInt64
    let size: UInt64

    static let load: UInt32 = 1

    /// Reads a row. The caller has checked that it is there.
    init(_ bytes: Span<UInt8>, _ format: ELFFormat) {
        type = format.integer(UInt32.self, in: bytes, at: 0)
        offset = format.address(in: bytes, at: ELFPlace(4, 8))
        size = format.address(in: bytes, at: ELFPlace(16, 32))
    }
}

/// A row of the section header table.
struct ELFSection: Hashable, Sendable {
    /// Where its name begins in the section of names.
    var name: UInt32 = 0
    var type: UInt32 = 0
    var flags: UInt64 = 0
    var address: UInt64 = 0
    var offset: UInt64 = 0
    var size: UInt64 = 0
    var link: UInt32 = 0
    var info: UInt32 = 0
    var alignment: UInt64 = 0
    var entrySize: UInt64 = 0

    static let stringTable: UInt32 = 3
    static let note: UInt32 = 7
    /// A section without bytes in the file.
    static let noBits: UInt32 = 8

    /// An inactive row, such as the first of every table.
    static let inactive = ELFSection()

    private init() {}

    init(name: UInt32, type: UInt32, offset: UInt64, size: Int, alignment: UInt64) {
        (self.name, self.type, self.offset, self.size, self.alignment) = (name, type, offset, UInt64(size), alignment)
    }

    /// Reads a row. The caller has checked that it is there.
    init(_ bytes: Span<UInt8>, _ format: ELFFormat) {
        name = format.integer(UInt32.self, in: bytes, at: 0)
        type = format.integer(UInt32.self, in: bytes, at: 4)
        flags = format.address(in: bytes, at: Self.flags)
        address = format.address(in: bytes, at: Self.address)
        offset = format.address(in: bytes, at: Self.offset)
        size = format.address(in: bytes, at: Self.size)
        link = format.integer(UInt32.self, in: bytes, at: Self.link.offset(format))
        info = format.integer(UInt32.self, in: bytes, at: Self.info.offset(format))
        alignment = format.address(in: bytes, at: Self.alignment)
        entrySize = format.address(in: bytes, at: Self.entrySize)
    }

    /// The encoded row.
    func encoded(_ format: ELFFormat) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: format.sectionSize)
        format.write(name, into: &bytes, at: 0)
        format.write(type, into: &bytes, at: 4)
        format.write(address: flags, into: &bytes, at: Self.flags)
        format.write(address: address, into: &bytes, at: Self.address)
        format.write(address: offset, into: &bytes, at: Self.offset)
        format.write(address: size, into: &bytes, at: Self.size)
        format.write(link, into: &bytes, at: Self.link.offset(format))
        format.write(info, into: &bytes, at: Self.info.offset(format))
        format.write(address: alignment, into: &bytes, at: Self.alignment)
        format.write(address: entrySize, into: &bytes, at: Self.entrySize)
        return bytes
    }

    private static let flags = ELFPlace(8, 8)
    private static let address = ELFPlace(12, 16)
    private static let offset = ELFPlace(16, 24)
    private static let size = ELFPlace(20, 32)
    private static let link = ELFPlace(24, 40)
    private static let info = ELFPlace(28, 44)
    private static let alignment = ELFPlace(32, 48)
    private static let entrySize = ELFPlace(36, 56)

    /// The range of the section's bytes in the file; nil when its end exceeds the largest offset.
    var extent: Range<UInt64>? {
        guard type != Self.noBits else { return offset..<offset }
        let (end, overflow) = offset.addingReportingOverflow(size)
        return overflow ? nil : offset..<end
    }
}
