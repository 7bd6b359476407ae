import LinuxSystem
import TestSupport

@testable import CodeSignature

/// An ELF file whose tables can be changed in any way, good or bad.
struct AlteredFile {
    private(set) var bytes: [UInt8]
    let header: ELFHeader
    var segments: [ELFSegment]
    var sections: [ELFSection]

    init(_ bytes: [UInt8]) throws {
        let elf = try ELFFile(file(bytes))!
        (self.bytes, header) = (bytes, elf.header)
        (segments, sections) = (elf.segments(try elf.segmentTable()), try elf.sections())
    }

    /// The row of the signature.
    var signature: Int { sections.lastIndex { $0.type == ELFSection.note && $0.flags == 0 } ?? 0 }

    /// The bytes that a signature covers, and those of its note.
    var covered: [Range<Int>] {
        let table = Int(header.segmentOffset)..<Int(header.segmentOffset) + segments.count * header.format.segmentSize
        let note = sections[signature]
        return [0..<header.format.headerSize, table, Int(note.offset)..<Int(note.offset + note.size)]
            + segments.map { Int($0.offset)..<Int($0.offset + $0.size) }
    }

    /// Whether a byte is covered. The bytes that locate the section table never are.
    func covers(_ index: Int) -> Bool {
        covered.contains { $0.contains(index) } && !header.sectionFields.contains { $0.contains(index) }
    }

    /// The file with another section table at its end.
    func withSections(_ change: (inout [ELFSection]) -> Void) -> [UInt8] {
        var (changed, rows) = (bytes, sections)
        change(&rows)
        changed += [UInt8](repeating: 0, count: 8 - changed.count % 8)
        let head = header.with(sectionTable: UInt64(changed.count), count: rows.count, names: header.nameSection)
        for row in rows { changed += row.encoded(header.format) }
        changed.replaceSubrange(0..<head.count, with: head)
        return changed
    }

    /// The file with another value in its header.
    func withHeader(_ place: ELFPlace, _ value: UInt64, size: Int) -> [UInt8] {
        var changed = bytes
        switch size {
        case 2: header.format.write(UInt16(value), into: &changed, at: place.offset(header.format))
        default: header.format.write(address: value, into: &changed, at: place)
        }
        return changed
    }

    /// The file with another value in a row of its program header table.
    func withSegment(_ index: Int, _ place: ELFPlace, _ value: UInt64) -> [UInt8] {
        var changed = bytes
        let start = Int(header.segmentOffset) + index * header.format.segmentSize
        header.format.write(address: value, into: &changed, at: ELFPlace(start + place.in32, start + place.in64))
        return changed
    }

    static let offset = ELFPlace(4, 8)
    static let fileSize = ELFPlace(16, 32)
    static let type = ELFPlace(0, 0)
}
