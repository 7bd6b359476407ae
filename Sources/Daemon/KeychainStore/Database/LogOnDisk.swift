import Glibc
import LinuxSystem

/// Has the disk keep what this machine's memory has of a log that another process left.
///
/// After a failed sync the kernel may keep pages that the disk does not have and count them as clean. The process that
/// was told has ended; the next one would read these pages, take their frames for committed and write its own behind
/// them, and a power cut would lose all from there on. So the first process that opens a store writes the log's frames
/// onto themselves and syncs them, before SQLite looks at them. (https://wiki.postgresql.org/wiki/Fsync_Errors has what
/// kernels do.)
///
/// The caller is alone with the store, and no connection of its own is open.
enum LogOnDisk {
    /// https://www.sqlite.org/fileformat2.html, section 4.1
    private static let headerSize = 32
    private static let frameHeaderSize = 24
    private static let chunk = 1 << 20

    /// Does so with the log of the database at a path, and with the database itself while that is being made.
    ///
    /// - Throws: `SystemError` of `read`, `write` or `fdatasync`; then the store is not to be opened.
    static func ensure(of path: String, isNew: Bool) throws(SystemError) {
        try rewrite("\(path)-wal", upTo: end)
        if isNew { try rewrite(path) { (_, size) throws(SystemError) in size } }
    }

    private static func rewrite(
        _ path: String, upTo end: (FileDescriptor, Int) throws(SystemError) -> Int
    ) throws(SystemError) {
        guard let found = try FileStatus(at: path), found.size > 0 else { return }
        let file = try FileDescriptor.open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        let end = try end(file, found.size)
        guard end > 0 else { return }
        var offset = 0
        while offset < end {
            let bytes = try file.read(at: UInt64(offset), count: min(chunk, end - offset))
            guard !bytes.isEmpty else { break }
            try file.write(bytes.span, at: UInt64(offset))
            offset += bytes.count
        }
        guard fdatasync(file.number) == 0 else { throw SystemError(code: errno, call: "fdatasync", advice: path) }
    }

    /// Where the frames end that were written since the log began: those with the salt of its header.
    private static func end(of file: FileDescriptor, _ size: Int) throws(SystemError) -> Int {
        let header = try file.read(at: 0, count: headerSize)
        guard header.count == headerSize else { return size }
        let page = (8..<12).reduce(0) { $0 << 8 | Int(header[$1]) }
        guard (512...65536).contains(page) else { return size }
        var offset = headerSize
        while offset + frameHeaderSize + page <= size {
            let frame = try file.read(at: UInt64(offset), count: frameHeaderSize)
            guard frame.count == frameHeaderSize, frame[8..<16] == header[16..<24] else { break }
            offset += frameHeaderSize + page
        }
        return offset
    }
}
