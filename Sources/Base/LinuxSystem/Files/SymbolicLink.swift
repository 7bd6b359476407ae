import CLinux
import Glibc

/// The targets of symbolic links, those in `/proc` included.
package enum SymbolicLink {
    /// The text of a link.
    ///
    /// - Throws: `SystemError` of `readlink`: `EINVAL` for a file that is not a link; `ENAMETOOLONG` for a text that is
    ///   too long for a path; `EILSEQ` for one that is not UTF-8, of which two could become the same text.
    package static func read(_ path: String) throws(SystemError) -> String {
        try unsafe text { unsafe readlink(path, $0, $1) }
    }

    /// The text of a link in a process's folder in `/proc`.
    ///
    /// - Throws: as ``read(_:)``.
    static func readProcessLink(_ name: String, of process: Int32) throws(SystemError) -> String {
        try unsafe text { unsafe clinux_process_link(process, name, $0, $1) }
    }

    /// Tries a buffer on the stack first, which fits most texts.
    private static func text(
        _ read: (UnsafeMutablePointer<CChar>, Int) -> Int
    ) throws(SystemError) -> String {
        if let text = try unsafe text(room: 1000, read) { return text }
        if let text = try unsafe text(room: Int(PATH_MAX), read) { return text }
        throw SystemError(code: ENAMETOOLONG, call: "readlink")
    }

    /// Nil for a text that may have been truncated.
    private static func text(
        room: Int, _ read: (UnsafeMutablePointer<CChar>, Int) -> Int
    ) throws(SystemError) -> String? {
        try unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) { (buffer) throws(SystemError) in
            let count = try retrying("readlink") { unsafe read(buffer.baseAddress!, room) }
            guard count < room else { return nil }
            let text = unsafe buffer[..<count].withMemoryRebound(to: UInt8.self) {
                unsafe String(validating: $0, as: UTF8.self)
            }
            guard let text else {
                throw SystemError(code: EILSEQ, call: "readlink", advice: "the name of the file is not UTF-8")
            }
            return text
        }
    }

    /// The path without symbolic links that leads to the same file; nil when there is none.
    package static func resolve(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
