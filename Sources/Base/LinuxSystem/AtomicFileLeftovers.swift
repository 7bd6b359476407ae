import Glibc

extension AtomicFile {
    /// Removes what crashes in the middle of ``replace(_:with:mode:)`` have left beside the file: a copy of a content that
    /// never became the file's, or no longer is, but can still be read.
    ///
    /// The caller holds a lock that everybody takes who replaces the file.
    ///
    /// - Throws: `SystemError` of `opendir`, `unlink` or `fsync`.
    package static func removeLeftovers(of path: String) throws(SystemError) {
        let folder = PrivateDirectory.parent(of: path) ?? "."
        let name = path.split(separator: "/").last.map(String.init) ?? path
        for entry in try names(in: folder) where isLeftover(entry, of: name) { try remove("\(folder)/\(entry)") }
    }

    private static func isLeftover(_ entry: String, of name: String) -> Bool {
        let beginning = name + replacementMark
        return entry.hasPrefix(beginning) && entry.utf8.count == beginning.utf8.count + 6
    }

    private static func names(in folder: String) throws(SystemError) -> [String] {
        guard let directory = unsafe opendir(folder) else { throw SystemError(code: errno, call: "opendir") }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }
}
