import KeychainModel
import Systemd

/// The methods of the service itself.
extension Bridge {
    func openSession(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        guard sessions.values.count(where: { $0.client == call.client }) < Self.mostSessions else {
            throw BusFailure(.limitsExceeded, "A client may have \(Self.mostSessions) sessions open.")
        }
        guard let input = call.arguments[1].content else { throw .invalid("The input is missing.") }
        let (session, output) = try SecretSession.open(for: call.client, call.text(0), input)
        let name = nextName("s")
        sessions[name] = session
        return [.variant(output), .object(SecretObject.session(name).path)]
    }

    func closeSession(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        _ = try session(call.path, of: call.client)
        if case .session(let name) = call.object { sessions[name] = nil }
        return []
    }

    func createCollection(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let properties = call.properties(0)
        let label = try Self.label(properties, .collection)
        let alias = call.text(1)
        if !alias.isEmpty, let existing = try collections().first(where: { $0.aliases.contains(alias) }) {
            return [.object(existing.object.path), .object("/")]
        }
        try checkUnlocked(SecretCollection.login, "Cannot create a collection while the keychain is locked")
        let name = try freeName(for: label)
        try asking { () throws(Refusal) in
            try secrets.addCollection(name, label: label, aliases: alias.isEmpty ? [] : [alias])
        }
        let path = SecretObject.collection(name).path
        signal("CollectionCreated", from: .service, path)
        return [.object(path), .object("/")]
    }

    /// A name for a collection that no other has.
    private func freeName(for label: String) throws(BusFailure) -> String {
        let taken = Set(try collections().map(\.name))
        let wanted = label.isEmpty ? "collection" : SecretObject.name(of: String(label.prefix(64)))
        if !taken.contains(wanted) { return wanted }
        return (1...).lazy.map { "\(wanted)_\($0)" }.first { !taken.contains($0) } ?? wanted
    }

    func searchAll(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let found = try matches(call.texts(0), in: nil)
        let closed = try lockedOnes(among: found.map(\.collection))
        let paths = { (isClosed: Bool) in
            BusValue.objects(found.filter { closed.contains($0.collection) == isClosed }.map(\.object.path))
        }
        return [paths(false), paths(true)]
    }

    func getSecrets(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let path = call.text(1)
        let session = try session(path, of: call.client)
        var found: [BusValue: BusValue] = [:]
        for name in call.paths(0) {
            guard let object = SecretObject(name, aliases: [:]), case .item(let collection, _) = object,
                try !isLocked(collection), let item = try? item(object)
            else { continue }
            found[.object(name)] = try session.sealed(try value(of: item), item.lookup.contentType, in: path)
        }
        return [.dictionary("o", "(oayays)", found)]
    }

    func readAlias(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let named = try collections().first { $0.aliases.contains(call.text(0)) }
        return [.object(named?.object.path ?? "/")]
    }

    func setAlias(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let (alias, path) = (call.text(0), call.text(1))
        let target = SecretObject(path, aliases: [:])
        let all = try collections()
        let new = all.first { $0.object == target }
        guard new != nil || path == "/" else {
            throw BusFailure(.noSuchObject, "There is no collection at path “\(path)”.")
        }
        // The collections that always exist have their aliases by themselves.
        if let old = all.first(where: { $0.aliases.contains(alias) && !$0.reference.isEmpty }), old.name != new?.name {
            try asking { () throws(Refusal) in
                try secrets.setAliases(old.aliases.filter { $0 != alias }, of: old)
            }
        }
        if let new, !new.reference.isEmpty, !new.aliases.contains(alias) {
            try asking { () throws(Refusal) in try secrets.setAliases(new.aliases + [alias], of: new) }
        }
        return []
    }

    /// The keychain has one passcode for all collections.
    func changeLock(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        throw BusFailure(
            .notSupported,
            "A collection has no password of its own. Change the keychain's passcode: security set-keychain-password.")
    }

    /// The label among the properties of a new object.
    ///
    /// - Throws: `InvalidArgs` for a property that is none, or of another type.
    static func label(_ properties: [String: BusValue], _ interface: SecretInterface) throws(BusFailure) -> String {
        for (name, value) in properties {
            let known = SecretProperty.all.first { $0.fullName == name && $0.interface == interface }
            guard let known, known.isWritable, known.signature == value.signature else {
                throw .invalid("“\(name)” is no property that a new object can have.")
            }
        }
        return properties["\(interface.rawValue).Label"]?.string ?? ""
    }
}
