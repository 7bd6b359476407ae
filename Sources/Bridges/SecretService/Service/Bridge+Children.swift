import KeychainModel
import Systemd

/// The objects below a path.
extension Bridge {
    /// The names of collections by those of their aliases that can stand in a path.
    static func names(byAliases collections: [SecretCollection]) -> [String: String] {
        var names: [String: String] = [:]
        for collection in collections {
            for alias in collection.implied + collection.aliases where SecretObject.isName(alias.text) {
                names[alias.text] = collection.name
            }
        }
        return names
    }

    /// The names below a path, as far as the client may know them; nil for a path with none.
    func children(
        of path: String, _ object: SecretObject?, for client: String
    ) throws(BusFailure) -> [String]? {
        let root = SecretObject.root
        switch path {
        case root: return ["aliases", "collection", "prompt", "session"]
        case "\(root)/collection": return try collections().map(\.name)
        case "\(root)/aliases": return Self.names(byAliases: try collections()).keys.sorted()
        case "\(root)/session": return sessions.names(of: client)
        case "\(root)/prompt": return prompts.names(of: client)
        default: break
        }
        guard case .collection(let name)? = object else { return nil }
        // Of a large collection, `Items` has all.
        return try paths(of: name, atMost: Self.mostListed).compactMap {
            $0.split(separator: "/").last.map(String.init)
        }
    }
}
