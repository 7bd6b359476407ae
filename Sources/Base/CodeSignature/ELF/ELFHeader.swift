import LinuxSystem

/// The ELF header. It says where the two tables are.
struct ELFHeader: Sendable {
    let format: ELFFormat
    /// The bytes as they are in the file.
    let bytes: [UInt8]
    let segmentOffset: UInt64
    let segmentEntrySize: Int
    let segmentCount: Int
    let sectionOffset: UInt64
    let sectionEntrySize: Int
    let sectionCount: Int
    /// The section that holds the names of all sections.
    let nameSection: Int

    static let segmentOffset = ELFPlace(28, 32)
    static let sectionOffset = ELFPlace(32, 40)
    private static let segmentEntrySize = ELFPlace(42, 54)
    private static let segmentCount = ELFPlace(44, 56)
    static let sectionEntrySize = ELFPlace(46, 58)
    static let sectionCount = ELFPlace(48, 60)
    static let nameSection = ELFPlace(50, 62)

    /// Reads the header; nil when the bytes are not from an ELF file.
    init?(_ bytes: [UInt8]) {
        guard let format = ELFFormat(identification: bytes.span), bytes.count >= format.headerSize else { return nil }
        let span = bytes.span
        func small(_ place: ELFPlace) -> Int { Int(format.integer(UInt16.self, in: span, at: place.offset(format))) }
        self.format = format
        segmentOffset = format.address(in: span, at: Self.segmentOffset)
        segmentEntrySize = small(Self.segmentEntrySize)
        segmentCount = small(Self.segmentCount)
        sectionOffset = format.address(in: span, at: Self.sectionOffset)
        sectionEntrySize = small(Self.sectionEntrySize)
        sectionCount = small(Self.sectionCount)
        nameSection = small(Self.nameSection)
        self.bytes = Array(bytes.prefix(format.headerSize))
    }

    /// The bytes that say where the section table is. The code digest reads them as zero, because `strip` changes them
    /// and nothing that runs depends on them.
    var sectionFields: [Range<Int>] {
        let offset = Self.sectionOffset.offset(format)
        return [offset..<offset + format.addressSize, Self.sectionEntrySize.offset(format)..<format.headerSize]
    }

    /// The header with another section table.
    func with(sectionTable offset: UInt64, count: Int, names: Int) -> [UInt8] {
        var bytes = bytes
        format.write(address: offset, into: &bytes, at: Self.sectionOffset)
        let fields = [
            (Self.sectionEntrySize, count == 0 ? 0 : format.sectionSize), (Self.sectionCount, count),
            (Self.nameSection, names),
        ]
        for (place, value) in fields {
            format.write(UInt16(truncatingIfNeeded: value), into: &bytes, at: place.offset(format))
        }
        return bytes
    }
}
