import Glibc
package import LinuxSystem

/// Secrets of desktop programs that gnome-keyring or KWallet keeps in files.
package enum OlderKeyring {
    /// The programs that keep them.
    package enum Keeper: CaseIterable, Sendable {
        case gnomeKeyring
        case kwallet

        /// Where its files are below the user's folder of data, and how their names end.
        fileprivate var place: (folder: String, ending: String) {
            switch self {
            case .gnomeKeyring: ("keyrings", ".keyring")
            case .kwallet: ("kwalletd", ".kwl")
            }
        }
    }

    /// The first keyring or wallet, in which programs may have stored something; nil where there is none. A folder that
    /// cannot be read counts as one.
    ///
    /// - Parameters:
    ///   - data: the user's folder of data (`XDG_DATA_HOME`).
    ///   - imported: those that are left out as long as they are as they were.
    package static func first(below data: String, except imported: ImportedKeyrings? = nil) -> String? {
        let known = imported?.read() ?? []
        for keeper in Keeper.allCases {
            do throws(SystemError) {
                let paths = try paths(of: keeper, below: data)
                let found = paths.first { path in ImportedKeyrings.line(of: path).map(known.contains) != true }
                if let found { return found }
            } catch { return "\(data)/\(keeper.place.folder)" }
        }
        return nil
    }

    /// The keyrings or wallets of a program; none where it has no folder.
    ///
    /// - Throws: `SystemError` for a folder that cannot be read.
    package static func paths(of keeper: Keeper, below data: String) throws(SystemError) -> [String] {
        let (folder, ending) = ("\(data)/\(keeper.place.folder)", keeper.place.ending)
        do throws(SystemError) {
            return try FolderEntries.names(in: folder).filter { $0.hasSuffix(ending) }.map { "\(folder)/\($0)" }
        } catch {
            if [ENOENT, ENOTDIR].contains(error.code) { return [] }
            throw error
        }
    }
}

/// The older keyrings that an import has brought as a whole, each as it was before it was read: a file with a line for
/// each. A keyring that was changed since has another line, so that it is not taken for imported.
///
///     line = modified SP size SP path LF                      ; nanoseconds since 1970, bytes
package struct ImportedKeyrings: Sendable {
    private let file: String

    private static let limit = 1 << 20

    /// - Parameter state: the keychain's folder of state (`XDG_STATE_HOME`).
    package init(state: String) { file = "\(state)/imported-keyrings" }

    /// The line of a keyring as it is now; nil where it cannot be known.
    package static func line(of path: String) -> String? {
        guard !path.contains("\n"), let status = try? FileStatus(at: path) else { return nil }
        return "\(status.modified) \(status.size) \(path)"
    }

    fileprivate func read() -> Set<String> {
        guard let bytes = try? AtomicFile.read(file, limit: Self.limit) else { return [] }
        return Set(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init))
    }

    /// Notes keyrings.
    ///
    /// - Parameter lines: what ``line(of:)`` gave before they were read.
    /// - Throws: `SystemError` of writing.
    package func add(_ lines: [String]) throws(SystemError) {
        guard !lines.isEmpty else { return }
        if let folder = PrivateDirectory.parent(of: file) { try PrivateDirectory.ensure(folder) }
        let all = read().union(lines).sorted().map { "\($0)\n" }.joined()
        try AtomicFile.replace(file, with: Array(all.utf8).span)
    }

    /// Forgets all of them.
    ///
    /// - Throws: `SystemError` of removing the file.
    package func forget() throws(SystemError) {
        if try FileStatus(at: file) != nil { try AtomicFile.remove(file) }
    }
}
