import KeychainModel
import LinuxSystem
import Systemd

/// The methods of the service itself.
extension Bridge {
    func openSession(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        guard let input = call.arguments[1].content else { throw .invalid("The input is missing.") }
        let (session, output) = try SecretSession.open(for: call.client, call.text(0), input)
        return [.variant(output), .object(SecretObject.session(keep(session)).path)]
    }

    func closeSession(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        _ = try session(call.path, of: call.client)
        if case .session(let name) = call.object { close(name) }
        return []
    }

    func createCollection(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let properties = try call.properties(0)
        let label = try Self.label(properties, .collection)
        let alias = ExactText(call.text(1))
        if !alias.isEmpty, let existing = try collections().first(where: { $0.has(alias) }) {
            return [.object(existing.object.path), .object("/")]
        }
        try checkUnlocked(SecretCollection.login, "Cannot create a collection while the keychain is locked")
        let aliases = alias.isEmpty ? [] : [alias]
        try Self.check(.record(of: aliases), label)
        guard try collections().count < SecretCollection.most else {
            throw BusFailure(.limitsExceeded, "There are \(SecretCollection.most) collections at most. Delete one.")
        }
        let name = SecretCollection.freshName(for: label)
        try asking { () throws(Refusal) in try secrets.addCollection(name, label: label, aliases: aliases) }
        let path = SecretObject.collection(name).path
        signal("CollectionCreated", from: .service, path)
        return [.object(path), .object("/")]
    }

    func searchAll(_ call: MethodCall) throws(BusFailure) -> BusAnswer {
        let search = try SecretSearch(call.pairs(0), in: nil, self)
        return .steps { () throws(BusFailure) in
            guard let found = try search.step() else { return nil }
            let closed = try self.lockedOnes(among: found.map(\.collection))
            let paths = { (isClosed: Bool) in
                BusValue.objects(found.filter { closed.contains($0.collection) == isClosed }.map(\.object.path))
            }
            return [paths(false), paths(true)]
        }
    }

    /// So many items are read before other clients have their turn.
    private static let itemsInStep = 16
    /// The most bytes of values in one answer. A bus ends the connection of a program that sends too much.
    private static let mostValueBytes = 16 << 20

    /// Items that are locked or gone are left out, as the specification has it; every other failure is one.
    func getSecrets(_ call: MethodCall) throws(BusFailure) -> BusAnswer {
        let path = call.text(1)
        let session = try session(path, of: call.client)
        var (rest, found, bytes) = (try call.paths(0)[...], [BusValue.Entry](), 0)
        let isByAlias = rest.contains { $0.hasPrefix(SecretObject.aliases) }
        let aliases = isByAlias ? Self.names(byAliases: try collections()) : [:]
        return .steps { () throws(BusFailure) in
            let marked = try self.marked()
            for name in rest.prefix(Self.itemsInStep) {
                guard let object = SecretObject(name, aliases: aliases), case .item(let collection, _) = object,
                    !marked.contains(collection), let (item, value) = try self.openItemIfAny(object)
                else { continue }
                bytes += value.count
                guard bytes <= Self.mostValueBytes else { throw .answerTooLarge }
                let secret = try session.sealed(value, item.lookup.contentType, in: path)
                found.append(BusValue.Entry(.object(name), secret))
            }
            rest = rest.dropFirst(Self.itemsInStep)
            return rest.isEmpty ? [.dictionary("o", "(oayays)", found)] : nil
        }
    }

    /// An item with its value; nil when it is gone, or closed until the first unlock.
    private func openItemIfAny(
        _ object: SecretObject
    ) throws(BusFailure) -> (item: SecretItem, value: SecretBytes)? {
        do throws(BusFailure) { return try openItem(object, withValue: true) } catch {
            guard error == .gone(object.path) || error.name == .isLocked else { throw error }
            return nil
        }
    }

    func readAlias(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let alias = ExactText(call.text(0))
        let named = try collections().first { $0.has(alias) }
        return [.object(named?.object.path ?? "/")]
    }

    func setAlias(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let (alias, path) = (ExactText(call.text(0)), call.text(1))
        guard !alias.isEmpty else { throw .invalid("An alias has a name.") }
        let all = try collections()
        let old = all.first { $0.has(alias) }
        // Two have it where a change was cut off.
        let holders = all.filter { $0.aliases.contains(alias) }
        let name = SecretObject(path, aliases: Self.names(byAliases: all))?.ifCollection
        let new = all.first { $0.name == name }
        guard new != nil || path == "/" else {
            throw BusFailure(.noSuchObject, "There is no collection at path “\(path)”.")
        }
        guard old?.name != new?.name || holders.count > 1 else { return [] }
        // There is always a default collection: taken from another, the alias is that of `login` again.
        let isLogins = alias == "default"
        guard new != nil || !isLogins || old?.name != SecretCollection.login, alias != "login", alias != "session"
        else { throw BusFailure(.notSupported, "The alias “\(alias.text)” always names a collection.") }
        if let new { try Self.check(.record(of: new.aliases + [alias]), new.label) }
        // The new one first: a bridge that ends here loses no alias.
        if let new, !new.aliases.contains(alias), !isLogins || new.name != SecretCollection.login {
            try setAliases(new.aliases + [alias], of: new)
        }
        for holder in holders where holder.name != new?.name {
            try setAliases(holder.aliases.filter { $0 != alias }, of: holder)
        }
        return []
    }

    /// Gives a collection other aliases; the one in memory forgets them with the session.
    private func setAliases(_ aliases: [ExactText], of collection: SecretCollection) throws(BusFailure) {
        guard collection.name != SecretCollection.session else { return sessionAliases = Set(aliases) }
        guard aliases != collection.aliases else { return }
        try asking { () throws(Refusal) in
            guard collection.reference.isEmpty else { return try secrets.setAliases(aliases, of: collection) }
            try secrets.addCollection(collection.name, label: collection.label, aliases: aliases)
        }
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
