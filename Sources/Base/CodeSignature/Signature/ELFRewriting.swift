import KeychainModel
import LinuxSystem

/// The end of an ELF file, behind the unchanged part: the section names, the signature if there is to be one, and the
/// section table. Program headers and segments lie before it and keep their places.
struct ELFTail {
    /// The offset of the tail. The file is kept up to here.
    let start: UInt64
    private(set) var bytes: [UInt8] = []
    /// The file's header, with the offset of the new table.
    private(set) var header: [UInt8] = []
    private let elf: ELFFile
    private var sections: [ELFSection]
    private var names: [UInt8]
    private let nameSection: Int

    private static let mostNameBytes: UInt64 = 16 << 20
    private static let ownName = Array(SignatureSection.name.utf8) + [0]

    /// Composes the end of the file with this signature, or with none. An existing signature is dropped.
    ///
    /// - Parameter signature: the content of the signature's section.
    /// - Throws: `errSecMissingEntitlement` (`code.malformed`) when the section table cannot be extended; `errSecIO`.
    init(of elf: ELFFile, signature: [UInt8]?) throws(Refusal) {
        self.elf = elf
        var sections = try elf.sections()
        guard !sections.isEmpty || elf.header.sectionOffset == 0, sections.count < ELFFile.mostSections - 2 else {
            throw .malformedCode("the section header table cannot be read")
        }
        for index in try elf.signatureSections(sections) { sections[index] = .inactive }
        while sections.count > 1, sections.last == .inactive { sections.removeLast() }
        (self.sections, names, nameSection) = try Self.namedSections(sections, of: elf)
        start = try Self.end(ofKept: self.sections, nameSection, of: elf)
        addNames(extended: signature != nil)
        if let signature { add(signature) }
        addTable()
        let end = start + UInt64(bytes.count)
        guard elf.format.is64Bit || end <= UInt64(UInt32.max) else { throw .tooLargeCode }
    }

    /// The sections together with a section of names. A file without a section table gets one.
    private static func namedSections(
        _ sections: [ELFSection], of elf: ELFFile
    ) throws(Refusal) -> ([ELFSection], names: [UInt8], index: Int) {
        guard !sections.isEmpty else {
            let names = Array("\0.shstrtab\0".utf8)
            let section = ELFSection(
                name: 1, type: ELFSection.stringTable, offset: 0, size: names.count, alignment: 1)
            return ([.inactive, section], names, 1)
        }
        let index = elf.header.nameSection
        guard index > 0, sections.indices.contains(index), sections[index].type == ELFSection.stringTable,
            sections[index].size <= mostNameBytes
        else { throw .malformedCode("its sections have no names") }
        let section = sections[index]
        var names = try elf.bytes(at: section.offset, Int(section.size), "the section of names")
        if names.suffix(ownName.count) == ownName[...] { names.removeLast(ownName.count) }
        return (sections, names, index)
    }

    /// The end of the part that is copied unchanged. It includes bytes behind everything that the headers describe,
    /// such as a payload that the program reads itself.
    private static func end(ofKept sections: [ELFSection], _ names: Int, of elf: ELFFile) throws(Refusal) -> UInt64 {
        var end = UInt64(elf.format.headerSize)
        let table = try elf.segmentTable()
        end = max(end, elf.header.segmentOffset + UInt64(table.count))
        for segment in elf.segments(table) where elf.contains(segment.offset, segment.size) {
            end = max(end, segment.offset + segment.size)
        }
        for (index, section) in sections.enumerated() where index != names {
            guard let extent = section.extent, extent.upperBound <= elf.size || extent.isEmpty else {
                throw .malformedCode("a section lies outside of the file")
            }
            if !extent.isEmpty { end = max(end, extent.upperBound) }
        }
        return try elf.endOfKnownParts() < elf.size ? elf.size : end
    }

    private mutating func addNames(extended: Bool) {
        let place = start + UInt64(bytes.count)
        let content = extended ? names + Self.ownName : names
        (sections[nameSection].offset, sections[nameSection].size) = (place, UInt64(content.count))
        bytes += content
    }

    private mutating func add(_ signature: [UInt8]) {
        align(to: SignatureSection.alignment)
        sections.append(
            ELFSection(
                name: UInt32(truncatingIfNeeded: names.count), type: ELFSection.note,
                offset: start + UInt64(bytes.count), size: signature.count, alignment: SignatureSection.alignment))
        bytes += signature
    }

    private mutating func addTable() {
        align(to: UInt64(elf.format.addressSize))
        header = elf.header.with(
            sectionTable: start + UInt64(bytes.count), count: sections.count, names: nameSection)
        for section in sections { bytes += section.encoded(elf.format) }
    }

    private mutating func align(to alignment: UInt64) {
        let excess = (start + UInt64(bytes.count)) % alignment
        if excess > 0 { bytes += [UInt8](repeating: 0, count: Int(alignment - excess)) }
    }
}

extension ELFFile {
    /// The end of the last part that the headers describe. No signature covers the bytes behind it.
    ///
    /// - Throws: `errSecMissingEntitlement` (`code.malformed`), `errSecIO`.
    func endOfKnownParts() throws(Refusal) -> UInt64 {
        let (table, sections) = (try segmentTable(), try sections())
        var ends = [
            UInt64(format.headerSize), header.segmentOffset + UInt64(table.count),
            sections.isEmpty ? 0 : header.sectionOffset + UInt64(sections.count * format.sectionSize),
        ]
        ends += segments(table).filter { contains($0.offset, $0.size) }.map { $0.offset + $0.size }
        ends += sections.compactMap(\.extent).filter { !$0.isEmpty }.map(\.upperBound)
        return ends.max() ?? 0
    }

    /// Writes a copy of the file, with this signature or with none.
    ///
    /// - Throws: `errSecMissingEntitlement` (`code.malformed`), `errSecIO`.
    func rewrite(to target: FileDescriptor, signature: [UInt8]?) throws(Refusal) {
        let tail = try ELFTail(of: self, signature: signature)
        try writing { () throws(SystemError) in try target.writeFully(tail.header.span) }
        var offset = UInt64(tail.header.count)
        while offset < tail.start {
            let count = Int(min(UInt64(256 << 10), tail.start - offset))
            let piece = try bytes(at: offset, count, "the file's content")
            try writing { () throws(SystemError) in try target.writeFully(piece.span) }
            offset += UInt64(count)
        }
        try writing { () throws(SystemError) in try target.writeFully(tail.bytes.span) }
    }
}

/// Runs a body that writes a file and translates the system's error into a refusal.
///
/// - Throws: `errSecIO`.
func writing<Result>(_ body: () throws(SystemError) -> Result) throws(Refusal) -> Result {
    do throws(SystemError) { return try body() } catch { throw .unwritable(error) }
}
