import KeychainModel
import LinuxSystem

/// An ELF file that is read in pieces. Each piece is checked to be inside the file first.
struct ELFFile: Sendable {
    let file: FileDescriptor
    let size: UInt64
    let header: ELFHeader

    var format: ELFFormat { header.format }

    /// More sections than any executable needs. The signature of a file with more sections is not found.
    static let mostSections = 0xFF00
    /// The kernel loads no file whose program header table is larger than this.
    static let segmentTableBytes = 64 << 10

    /// Reads the header.
    ///
    /// - Returns: nil when the file is not an ELF file.
    /// - Throws: `errSecIO` when the file cannot be read.
    init?(_ file: FileDescriptor) throws(Refusal) {
        let (status, start) = try reading { () throws(SystemError) in
            (try FileStatus(of: file), try file.read(at: 0, count: 64))
        }
        guard status.isRegularFile, let header = ELFHeader(start) else { return nil }
        (self.file, self.header, size) = (file, header, UInt64(max(0, status.size)))
    }

    /// Reads bytes that are inside the file.
    ///
    /// - Throws: `errSecMissingEntitlement` (`code.malformed`) when they are not; `errSecIO`.
    func bytes(at offset: UInt64, _ count: Int, _ what: String) throws(Refusal) -> [UInt8] {
        guard contains(offset, UInt64(count)) else { throw .malformedCode("\(what) lies outside of the file") }
        let bytes = try reading { () throws(SystemError) in try file.read(at: offset, count: count) }
        guard bytes.count == count else { throw .malformedCode("the file became shorter while it was read") }
        return bytes
    }

    /// Whether `count` bytes from the offset on are inside the file.
    func contains(_ offset: UInt64, _ count: UInt64) -> Bool { offset <= size && count <= size - offset }

    // MARK: - Tables

    /// The program header table as it is in the file.
    ///
    /// - Throws: `errSecMissingEntitlement` (`code.malformed`) when the kernel would not read the table; `errSecIO`.
    func segmentTable() throws(Refusal) -> [UInt8] {
        guard header.segmentEntrySize == format.segmentSize, header.segmentCount > 0,
            header.segmentCount * format.segmentSize <= Self.segmentTableBytes
        else { throw .malformedCode("the program headers are not such as the kernel loads") }
        return try bytes(at: header.segmentOffset, header.segmentCount * format.segmentSize, "the program header table")
    }

    /// The rows of a program header table.
    func segments(_ table: [UInt8]) -> [ELFSegment] {
        stride(from: 0, to: table.count, by: format.segmentSize).map { start in
            ELFSegment(table.span.extracting(start..<start + format.segmentSize), format)
        }
    }

    /// All sections. The list is empty when the file has no section table, or one that cannot be read, as packed
    /// programs may have.
    ///
    /// - Throws: `errSecIO`.
    func sections() throws(Refusal) -> [ELFSection] {
        let count = header.sectionCount * format.sectionSize
        guard header.sectionOffset != 0, header.sectionEntrySize == format.sectionSize,
            header.sectionCount <= Self.mostSections, contains(header.sectionOffset, UInt64(count))
        else { return [] }
        let table = try bytes(at: header.sectionOffset, count, "the section header table")
        return stride(from: 0, to: count, by: format.sectionSize).map { start in
            ELFSection(table.span.extracting(start..<start + format.sectionSize), format)
        }
    }
}

/// Runs a body that reads a file and translates the system's error into a refusal.
///
/// - Throws: `errSecIO`.
func reading<Result>(_ body: () throws(SystemError) -> Result) throws(Refusal) -> Result {
    do throws(SystemError) { return try body() } catch { throw .unreadable(error) }
}
