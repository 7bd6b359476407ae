extension AtomicFile {
    /// Removes what crashes in the middle of ``replace(_:with:mode:)`` have left beside the file: a copy of a content
    /// that never became the file's, or no longer is, but can still be read.
    ///
    /// The caller holds a lock that everybody takes who replaces the file.
    ///
    /// - Throws: `SystemError` of `opendir`, `unlink` or `fsync`.
    package static func removeLeftovers(of path: String) throws(SystemError) {
        let folder = PrivateDirectory.parent(of: path) ?? "."
        let name = path.split(separator: "/").last.map(String.init) ?? path
        for entry in try FolderEntries.names(in: folder) where isLeftover(entry, of: name) {
            try remove("\(folder)/\(entry)")
        }
    }

    private static func isLeftover(_ entry: String, of name: String) -> Bool {
        let beginning = name + replacementMark
        return entry.hasPrefix(beginning) && entry.utf8.count == beginning.utf8.count + 6
    }
}
