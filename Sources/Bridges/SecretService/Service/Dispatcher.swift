import KeychainModel
import Systemd

/// From a call to the method that answers it. Belongs to the thread of the bus.
struct Dispatcher {
    let bridge: Bridge

    /// Answers a call.
    func answer(_ call: BusCall) throws(BusFailure) -> BusAnswer {
        try bridge.clients.check(call.client)
        if call.interface == StandardInterface.introspection { return .values([.text(try introspection(of: call))]) }
        guard let object = SecretObject(call.path, aliases: try aliases(in: call.path)) else { throw .gone(call.path) }
        if call.interface == StandardInterface.properties {
            return .values(try bridge.answerProperties(call, object))
        }
        let method = SecretMethod.all.first { $0.interface == object.interface && $0.name == call.member }
        guard let method, call.interface.isEmpty || call.interface == object.interface.rawValue else {
            throw BusFailure(.unknownMethod, "\(call.interface) has no method \(call.member) here.")
        }
        return try method.run(bridge, MethodCall(call, object, try call.arguments(method.input)))
    }

    private func introspection(of call: BusCall) throws(BusFailure) -> String {
        if let text = Introspection.text(above: call.path) { return text }
        let object = SecretObject(call.path, aliases: try aliases(in: call.path))
        let children = try bridge.children(of: call.path, object, for: call.client)
        if let object { return Introspection.text(of: object, children) }
        guard let children else { throw .gone(call.path) }
        return Introspection.text(of: nil, children)
    }

    /// Only a path with an alias needs them, which are in the keychain.
    private func aliases(in path: String) throws(BusFailure) -> [String: String] {
        guard path.hasPrefix(SecretObject.root + "/aliases/") else { return [:] }
        return Bridge.names(byAliases: try bridge.collections())
    }
}

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
