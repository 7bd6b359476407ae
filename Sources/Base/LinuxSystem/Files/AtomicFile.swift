import Glibc

/// Files that are read and replaced as a whole: a reader sees the old content or the new, never a part.
package enum AtomicFile {
    /// The mark between a file's name and the six random characters in the name of its replacement.
    static let replacementMark = ".new-"

    /// Reads a regular file.
    ///
    /// - Parameters:
    ///   - limit: the most bytes it may have.
    ///   - followsLinks: whether the last name of the path may be a symbolic link.
    /// - Throws: `SystemError` of `open` (`ENOENT` when there is none) or `read`; `EFBIG` when it has more than `limit`
    ///   bytes, `EINVAL` when it is not a regular file, `EIO` when it changed while it was read.
    package static func read(_ path: String, limit: Int, followsLinks: Bool = true) throws(SystemError) -> [UInt8] {
        let (file, size) = try open(path, limit: limit, flags: followsLinks ? 0 : O_NOFOLLOW)
        var bytes = [UInt8](repeating: 0, count: size)
        var span = bytes.mutableSpan
        try fill(&span, from: file)
        return bytes
    }

    /// Reads a regular file that holds a secret, without a copy of it in ordinary memory.
    ///
    /// - Throws: as ``read(_:limit:)``.
    package static func readSecret(_ path: String, limit: Int) throws(SystemError) -> SecretBytes {
        let (file, size) = try open(path, limit: limit)
        let secret = SecretBytes(count: size)
        try secret.withMutableSpan { (span) throws(SystemError) in try fill(&span, from: file) }
        return secret
    }

    /// Reads such a file and says which one it is, by the descriptor that was read.
    ///
    /// - Returns: the content, the path without symbolic links, and the status.
    /// - Throws: as ``read(_:limit:)``; `SystemError` of `readlink`.
    package static func readSecretAndPath(
        _ path: String, limit: Int
    ) throws(SystemError) -> (content: SecretBytes, path: String, status: FileStatus) {
        let (file, size) = try open(path, limit: limit)
        let secret = SecretBytes(count: size)
        try secret.withMutableSpan { (span) throws(SystemError) in try fill(&span, from: file) }
        return (secret, try SymbolicLink.read("/proc/self/fd/\(file.number)"), try FileStatus(of: file))
    }

    /// Replaces a file's content, or makes the file. When this returns, the new content survives a power cut; when it
    /// throws, the old content is still there.
    ///
    /// - Parameter mode: the permissions of the file; it never has wider ones.
    /// - Throws: `SystemError` of the step that failed; `ENOSPC` when the disk is full.
    package static func replace(_ path: String, with content: Span<UInt8>, mode: UInt32 = 0o600) throws(SystemError) {
        let replacement = try FileReplacement(path)
        try replacement.file.writeFully(content)
        try replacement.commit(mode: mode)
    }

    /// Makes a file. When this returns, it survives a power cut; when it throws, there is none.
    ///
    /// - Throws: `SystemError` of the step that failed; `EEXIST` when something has the name.
    package static func make(at path: String, with content: SecretBytes) throws(SystemError) {
        let file = try NewFile(in: PrivateDirectory.parent(of: path) ?? ".")
        try content.withSpan { (content) throws(SystemError) in try file.descriptor.writeFully(content) }
        guard try file.publish(as: path, mode: 0o600) else { throw SystemError(code: EEXIST, call: "link") }
        try synchronizeDirectory(of: path)
    }

    /// Replaces the content of the file at a place, as ``replace(_:with:mode:)``.
    ///
    /// - Throws: as ``replace(_:with:mode:)``.
    package static func replace(
        _ place: FilePlace, with content: Span<UInt8>, mode: UInt32 = 0o600
    ) throws(SystemError) {
        let replacement = try FileReplacement(in: place)
        try replacement.file.writeFully(content)
        try replacement.commit(mode: mode)
    }

    /// Removes a file so that it is still gone after a power cut; nothing happens when there is none.
    ///
    /// - Throws: `SystemError` of `unlink` or `fsync`.
    package static func remove(_ path: String) throws(SystemError) {
        do { _ = try retrying("unlink") { unsafe unlink(path) } } catch  where error.code == ENOENT { return }
        try synchronizeDirectory(of: path)
    }

    // A rename survives a power cut only after its directory was synchronised.
    /// Renames a synchronised file within its folder.
    ///
    /// - Throws: `SystemError` of `rename`, `open` or `fsync`.
    package static func rename(_ path: String, to name: String) throws(SystemError) {
        _ = try retrying("rename") { unsafe Glibc.rename(path, name) }
        try synchronizeDirectory(of: name)
    }

    /// Synchronises the directory that contains a file.
    ///
    /// - Throws: `SystemError` of `open` or `fsync`.
    package static func synchronizeDirectory(of path: String) throws(SystemError) {
        let parent = PrivateDirectory.parent(of: path) ?? "."
        let directory = try FileDescriptor.open(parent, O_RDONLY | O_DIRECTORY)
        _ = try retrying("fsync") { fsync(directory.number) }
    }

    private static func open(
        _ path: String, limit: Int, flags: CInt = 0
    ) throws(SystemError) -> (file: FileDescriptor, size: Int) {
        // O_NONBLOCK, in case somebody has put a pipe there.
        let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | flags)
        let status = try FileStatus(of: file)
        guard status.isRegularFile else {
            throw SystemError(code: EINVAL, call: "open", advice: "\(path) is not a regular file")
        }
        guard status.size <= limit else {
            throw SystemError(
                code: EFBIG, call: "read", advice: "\(path) has \(status.size) bytes and at most \(limit) are allowed")
        }
        return (file, status.size)
    }

    private static func fill(_ span: inout MutableSpan<UInt8>, from file: FileDescriptor) throws(SystemError) {
        guard try file.readFully(into: &span) == span.count else {
            throw SystemError(code: EIO, call: "read", advice: "the file became shorter while it was read: try again")
        }
    }
}

// MARK: - Leftovers of crashes

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
        for entry in try FolderEntries.names(in: folder) where isReplacement(entry, of: name) {
            try remove("\(folder)/\(entry)")
        }
    }

    /// Whether an entry of a folder is a file that was to replace another of this name.
    package static func isReplacement(_ entry: String, of name: String) -> Bool {
        let beginning = name + replacementMark
        return entry.hasPrefix(beginning) && entry.utf8.count == beginning.utf8.count + 6
    }
}
