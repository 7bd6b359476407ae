/// Files that nobody but root can have put where they are: they and all folders on the way are root's, and nobody else
/// may change them.
package struct TrustedFiles: Sendable {
    /// Root, but for tests.
    package let owner: UInt32
    /// The folder below which it is looked; above it everything is trusted. The root, but for tests.
    private let top: String

    package static let installedByRoot = TrustedFiles(owner: 0, below: "/")

    package init(owner: UInt32, below top: String) { (self.owner, self.top) = (owner, top) }

    /// Why a file cannot be trusted.
    package struct Doubt: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// The path without symbolic links that leads to the file, and what lies there.
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

    /// Checks a folder and all above it.
    ///
    /// - Parameter folder: without symbolic links.
    /// - Throws: ``Doubt``.
    package func check(folder: String) throws(Doubt) {
        var folder = folder
        while true {
            let status = try look(folder)
            guard status.isDirectory, status.owner == owner else {
                throw Doubt(description: "\(folder) belongs to user \(status.owner)")
            }
            // What is the owner's own in a sticky folder, nobody else can rename or remove.
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
