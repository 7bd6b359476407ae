import Glibc
import LinuxSystem

/// An executable file or library as the loader sees it: its interpreter, the libraries it needs, and where it has
/// them looked for (elf(5), ld.so(8)). Only 64-bit files whose numbers have their least significant byte first, as all
/// that this product runs on.
struct DynamicSection: Equatable {
    var interpreter: String?
    var needed: [String] = []
    /// The folders of `DT_RPATH` and `DT_RUNPATH`, as they are written.
    var runPaths: [String] = []

    /// A file that is no such thing, or one whose parts do not lie in it.
    struct Unreadable: Error {}

    private static let headSize = 64
    private static let entrySize = 56
    private static let loaded: UInt32 = 1
    private static let dynamic: UInt32 = 2
    private static let interpreterKind: UInt32 = 3

    private struct Segment {
        let kind: UInt32
        let offset, address, size: UInt64
    }

    /// - Throws: ``Unreadable``.
    init(_ bytes: [UInt8]) throws(Unreadable) {
        // Class 2, data 1: 64 bits, least significant byte first.
        guard bytes.count >= Self.headSize, bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else {
            throw Unreadable()
        }
        let segments = try Self.segments(of: bytes)
        if let segment = segments.first(where: { $0.kind == Self.interpreterKind }) {
            interpreter = try Self.text(bytes, at: segment.offset, end: segment.offset &+ segment.size)
        }
        guard let segment = segments.first(where: { $0.kind == Self.dynamic }) else { return }
        try readTable(bytes, try Self.tags(bytes, segment), segments)
    }

    private mutating func readTable(
        _ bytes: [UInt8], _ tags: [(tag: UInt64, value: UInt64)], _ segments: [Segment]
    ) throws(Unreadable) {
        guard let table = tags.first(where: { $0.tag == Tag.texts })?.value else {
            if tags.isEmpty { return }
            throw Unreadable()
        }
        let offset = try Self.offset(of: table, segments)
        for (tag, value) in tags where Tag.names.contains(tag) {
            let name = try Self.text(bytes, at: offset &+ value, end: UInt64(bytes.count))
            if Tag.libraries.contains(tag) {
                needed.append(name)
            } else {
                runPaths += name.split(
                    separator: ":", omittingEmptySubsequences: false
                ).map(String.init)
            }
        }
    }

    private enum Tag {
        static let texts: UInt64 = 5
        /// `DT_NEEDED`, and what is loaded besides: `DT_AUXILIARY`, `DT_FILTER`, `DT_AUDIT`, `DT_DEPAUDIT`.
        static let libraries: Set<UInt64> = [1, 0x7fff_fffd, 0x7fff_ffff, 0x6fff_fefc, 0x6fff_fefb]
        /// `DT_RPATH`, `DT_RUNPATH`.
        static let names = libraries.union([15, 29])
    }

    private static func segments(of bytes: [UInt8]) throws(Unreadable) -> [Segment] {
        let start = bytes.span.littleEndian(UInt64.self, at: 32)
        let (size, count) = (
            bytes.span.littleEndian(UInt16.self, at: 54), Int(bytes.span.littleEndian(UInt16.self, at: 56))
        )
        // More segments than 65,534 are counted elsewhere; no program has them.
        guard count == 0 || Int(size) == entrySize, count < 0xFFFF,
            let first = Int(exactly: start), first <= bytes.count, count * entrySize <= bytes.count - first
        else { throw Unreadable() }
        return (0..<count).map { index in
            let place = first + index * entrySize
            return Segment(
                kind: bytes.span.littleEndian(UInt32.self, at: place),
                offset: bytes.span.littleEndian(UInt64.self, at: place + 8),
                address: bytes.span.littleEndian(UInt64.self, at: place + 16),
                size: bytes.span.littleEndian(UInt64.self, at: place + 32))
        }
    }

    private static func tags(
        _ bytes: [UInt8], _ segment: Segment
    ) throws(Unreadable) -> [(tag: UInt64, value: UInt64)] {
        guard let start = Int(exactly: segment.offset), let size = Int(exactly: segment.size), start <= bytes.count,
            size <= bytes.count - start
        else { throw Unreadable() }
        var tags: [(tag: UInt64, value: UInt64)] = []
        for place in stride(from: start, through: start + size - 16, by: 16) {
            let tag = bytes.span.littleEndian(UInt64.self, at: place)
            if tag == 0 { break }
            tags.append((tag, bytes.span.littleEndian(UInt64.self, at: place + 8)))
        }
        return tags
    }

    /// Where in the file lies what is loaded at an address.
    private static func offset(of address: UInt64, _ segments: [Segment]) throws(Unreadable) -> UInt64 {
        guard
            let segment = segments.first(where: {
                $0.kind == loaded && address >= $0.address
                    && address - $0.address < $0.size
            })
        else { throw Unreadable() }
        return segment.offset &+ (address - segment.address)
    }

    private static let longestText = 4096

    private static func text(_ bytes: [UInt8], at offset: UInt64, end: UInt64) throws(Unreadable) -> String {
        guard let start = Int(exactly: offset), let end = Int(exactly: min(end, UInt64(bytes.count))), start < end
        else { throw Unreadable() }
        let text = bytes[start..<end].prefix { $0 != 0 }
        guard text.count <= longestText, start + text.count < end else { throw Unreadable() }
        return String(decoding: text, as: UTF8.self)
    }
}
