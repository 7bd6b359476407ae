import Systemd

/// From a call to the method that answers it. Belongs to the thread of the bus.
struct Dispatcher {
    /// The bridge of the client's secrets.
    let bridge: Bridge

    /// Answers a call.
    func answer(_ call: BusCall) throws(BusFailure) -> BusAnswer {
        if call.path == SecretPortal.path { return .values(try SecretPortal(bridge: bridge).answer(call)) }
        if call.interface == StandardInterface.introspection { return .values([.text(try introspection(of: call))]) }
        guard let object = SecretObject(call.path, aliases: try aliases(in: call.path)) else { throw .gone(call.path) }
        if call.interface == StandardInterface.properties {
            return try bridge.answerProperties(call, object)
        }
        let method = SecretMethod.all.first { method in
            let isMeant = call.interface.isEmpty || call.interface == method.interface.rawValue
            return isMeant && object.interfaces.contains(method.interface) && method.name == call.member
        }
        guard let method else {
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
        guard path.hasPrefix(SecretObject.aliases) else { return [:] }
        return Bridge.names(byAliases: try bridge.collections())
    }
}
