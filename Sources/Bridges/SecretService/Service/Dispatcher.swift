import Systemd

/// From a call to the method that answers it. Belongs to the thread of the bus.
struct Dispatcher {
    let bridge: Bridge

    /// Answers a call.
    func answer(_ call: BusCall) throws(BusFailure) -> [BusValue] {
        try bridge.clients.check(call.client)
        guard let object = SecretObject(call.path, aliases: try aliases(in: call.path)) else {
            if call.interface == StandardInterface.introspection, let text = Introspection.text(above: call.path) {
                return [.text(text)]
            }
            throw .gone(call.path)
        }
        switch call.interface {
        case StandardInterface.properties: return try bridge.answerProperties(call, object)
        case StandardInterface.introspection: return [.text(Introspection.text(of: object))]
        default: break
        }
        let method = SecretMethod.all.first { $0.interface == object.interface && $0.name == call.member }
        guard let method, call.interface.isEmpty || call.interface == object.interface.rawValue else {
            throw BusFailure(.unknownMethod, "\(call.interface) has no method \(call.member) here.")
        }
        return try method.run(bridge, MethodCall(call, object, try call.arguments(method.input)))
    }

    /// Only a path with an alias needs them, which are in the keychain.
    private func aliases(in path: String) throws(BusFailure) -> [String: String] {
        guard path.hasPrefix(SecretObject.root + "/aliases/") else { return [:] }
        var aliases: [String: String] = [:]
        for collection in try bridge.collections() {
            for alias in collection.aliases { aliases[alias] = collection.name }
        }
        return aliases
    }
}
