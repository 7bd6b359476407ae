/// Files that only root can have installed: root owns them and all parent folders, and nobody else may change them.
package struct TrustedFiles: Sendable {
    /// Root, except in tests.
    package let owner: UInt32
    /// The folder below which the check applies; everything above it is trusted. It is the root, except in tests.
    private let top: String

    package static let installedByRoot = TrustedFiles(owner: 0, below: "/")

    package init(owner: UInt32, below top: String) { (self.owner, self.top) = (owner, top) }

    /// Why a file cannot be trusted.
    package struct Doubt: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// The path of the file without symbolic links, and the file's status.
    ///
    /// - Throws: ``Doubt``.
    package func find(_ path: String) throws(Doubt) -> (path: String, status: FileStatus) {
        guard path.hasPrefix("/"), let real = SymbolicLink.resolve(path) else {
            throw Doubt(description: "\(path) does not exist")
        }
        try check(folder: Self.folder(of: real))
        let status = try look(real)
        guard status.isRegularFile else { throw Doubt(description: "\(real) is no file") }
        guard status.owner == owner else { throw Doubt(description: "\(real) belongs to user \(status.owner)") }
        guard !status.isWritableByOthers else { throw Doubt(description: "others may write \(real)") }
        return (real, status)
    }

    /// Checks a folder and all its parents.
    ///
    /// - Parameter folder: a path without symbolic links.
    /// - Throws: ``Doubt``.
    package func check(folder: String) throws(Doubt) {
        var folder = folder
        while true {
            let status = try look(folder)
            guard status.isDirectory, status.owner == owner else {
                throw Doubt(description: "\(folder) belongs to user \(status.owner)")
            }
            // In a sticky folder, nobody else can rename or remove an entry that belongs to the owner.
            guard !status.isWritableByOthers || status.isSticky else {
                throw Doubt(description: "others may write \(folder)")
            }
            if folder == top || folder == "/" { return }
            folder = Self.folder(of: folder)
        }
    }

    private func look(_ path: String) throws(Doubt) -> FileStatus {
        do throws(SystemError) {
            if let status = try FileStatus(ofLink: path) { return status }
        } catch { throw Doubt(description: "\(path): \(error)") }
        throw Doubt(description: "\(path) does not exist")
    }

    private static func folder(of path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }
}
