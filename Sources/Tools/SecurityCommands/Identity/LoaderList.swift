import LinuxSystem

/// The system's list of libraries, which ldconfig(8) writes for the loader.
enum LoaderList {
    static let path = "/etc/ld.so.cache"
    private static let mark = Array("glibc-ld.so.cache1.1".utf8)
    private static let headSize = 48
    private static let entrySize = 24
    private static let largest = 64 << 20

    /// Where the libraries are, by their names; nothing where there is no list, as with other C libraries.
    static func read(_ path: String = LoaderList.path) -> [String: [String]] {
        guard let bytes = try? AtomicFile.read(path, limit: largest) else { return [:] }
        return parse(bytes)
    }

    /// An older form of the list may lie in front of it.
    static func parse(_ bytes: [UInt8]) -> [String: [String]] {
        guard let start = find(mark, in: bytes), bytes.count - start >= headSize else { return [:] }
        let count = Int(bytes.span.littleEndian(UInt32.self, at: start + mark.count))
        guard count <= (bytes.count - start - headSize) / entrySize else { return [:] }
        var found: [String: [String]] = [:]
        for index in 0..<count {
            let entry = start + headSize + index * entrySize
            let places = [4, 8].map { start + Int(bytes.span.littleEndian(UInt32.self, at: entry + $0)) }
            guard let name = text(bytes, places[0]), let path = text(bytes, places[1]) else { continue }
            found[name, default: []].append(path)
        }
        return found
    }

    private static func find(_ mark: [UInt8], in bytes: [UInt8]) -> Int? {
        // Both forms are aligned to eight bytes.
        stride(from: 0, to: max(0, bytes.count - mark.count), by: 8).first { bytes[$0...].starts(with: mark) }
    }

    private static func text(_ bytes: [UInt8], _ start: Int) -> String? {
        guard start >= 0, start < bytes.count, let end = bytes[start...].firstIndex(of: 0) else { return nil }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
