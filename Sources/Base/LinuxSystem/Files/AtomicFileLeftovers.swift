extension AtomicFile {
    /// Removes files that crashes during ``replace(_:with:mode:)`` have left next to the file. Such a copy has content
    /// that never became the file's, or is outdated, but can still be read.
    ///
    /// The caller holds the lock that every replacement of the file takes.
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
