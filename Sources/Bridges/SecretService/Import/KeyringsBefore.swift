import KeychainClient
import LinuxSystem

/// The files of older keyrings, as they were before an import read them: a change meanwhile is not in what was read.
struct KeyringsBefore {
    private let files: [(path: String, line: String)]
    private let origin: KeyringImport
    private let note: ImportedKeyrings

    init?(of origin: KeyringImport, in folders: UserFolders?) {
        guard let folders else { return nil }
        let keeper = origin == .wallet ? OlderKeyring.Keeper.kwallet : .gnomeKeyring
        let paths = (try? OlderKeyring.paths(of: keeper, below: folders.data)) ?? []
        files = paths.compactMap { path in ImportedKeyrings.line(of: path).map { (path, $0) } }
        (self.origin, note) = (origin, ImportedKeyrings(state: folders.state))
    }

    /// Notes the files whose collections are in the keychain. A program offers no collection of a file that it cannot
    /// read. Without the note, setup asks for the import once more.
    ///
    /// - Parameter collections: their paths, as the source of the import has them.
    func noteImported(_ collections: [String]) {
        try? note.add(files.filter { file in collections.contains { isFile(file.path, of: $0) } }.map(\.line))
    }

    private func isFile(_ path: String, of collection: String) -> Bool {
        let name = path.split(separator: "/").last?.split(separator: ".").dropLast().joined(separator: ".") ?? ""
        switch origin {
        case .service: return collection.hasSuffix("/\(SecretObject.name(of: name))")
        case .wallet: return collection.hasBytes(of: name)
        case .file:
            guard let file = try? FileStatus(at: collection) else { return false }
            return (try? FileStatus(at: path))?.isSameFile(as: file) == true
        }
    }
}
