import Foundation
import Testing

/// A file of test vectors of C2SP/wycheproof, which find common mistakes of implementations.
struct WycheproofFile<Group: Decodable>: Decodable {
    let numberOfTests: Int
    let testGroups: [Group]

    init(_ name: String) throws {
        let folder = try #require(Wycheproof.folder)
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: folder.appending(path: name)))
    }
}

enum Wycheproof {
    /// The folder of the files: named by KEYCHAIN_VECTORS, or otherwise next to the package; `nil` when they are
    /// missing.
    static let folder: URL? = {
        let package = (0..<4).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        let named = ProcessInfo.processInfo.environment["KEYCHAIN_VECTORS"].map { URL(filePath: $0) }
        let folder = named ?? package.appending(path: "../shared/vectors/wycheproof")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    static let note: Comment = """
        The Wycheproof files are not here: set KEYCHAIN_VECTORS to a folder with C2SP/wycheproof's testvectors_v1
        """
}
