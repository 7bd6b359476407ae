import Glibc

/// Where symbolic links lead, the kernel's own in `/proc` among them.
package enum SymbolicLink {
    /// The text of a link.
    ///
    /// - Throws: `SystemError` of `readlink`: `EINVAL` for what is no link; `ENAMETOOLONG` for a text that is no path.
    package static func read(_ path: String) throws(SystemError) -> String {
        let room = Int(PATH_MAX)
        return try unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) {
            (buffer) throws(SystemError) in
            let count = try retrying("readlink") { unsafe readlink(path, buffer.baseAddress!, room) }
            guard count < room else { throw SystemError(code: ENAMETOOLONG, call: "readlink") }
            return unsafe buffer[..<count].withMemoryRebound(to: UInt8.self) {
                unsafe String(decoding: $0, as: UTF8.self)
            }
        }
    }

    /// The path without symbolic links that leads to the same file; nil when there is none.
    package static func resolve(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
