import KeychainModel
import LinuxSystem
import Systemd

/// An item that a search has found: its path, and its place among the others.
struct SecretMatch {
    let object: SecretObject
    let collection: String
    /// Whether it has the attributes that are asked for and no other.
    let isExact: Bool
    let created: Double

    init(_ item: SecretItem, _ wanted: LookupAttributes.Pairs) {
        (object, collection, created) = (item.object, item.collection, item.created)
        isExact = item.isExactly(wanted)
    }

    /// An item of which no more is known.
    init(named name: String, in collection: String) {
        object = .item(collection: collection, name)
        (self.collection, isExact, created) = (collection, false, 0)
    }

    /// Clients take the first: one with more attributes than were asked for may be another account's.
    static func comesFirst(_ one: SecretMatch, _ other: SecretMatch) -> Bool {
        one.isExact == other.isExact ? one.created > other.created : one.isExact
    }
}

/// Looking up collections and items. Where the keychain cannot say whether there is an item, the answer is an error.
extension Bridge {
    /// All collections: those that always exist, and those that were made.
    func collections() throws(BusFailure) -> [SecretCollection] {
        let made = try madeCollections()
        let taken = Set(made.flatMap(\.aliases)).union(sessionAliases)
        var login =
            made.first { $0.name == SecretCollection.login }
            ?? SecretCollection(name: SecretCollection.login, label: SecretCollection.loginLabel)
        login.implied = ["default", "login"].filter { !taken.contains($0) }
        let session = SecretCollection(
            name: SecretCollection.session, label: "", aliases: sessionAliases.sorted(), implied: ["session"],
            created: memory.created, modified: memory.created)
        return [login] + made.filter { $0.name != login.name } + [session]
    }

    /// The collections that were made. Before the first unlock, what bridges in other folders have stored cannot be
    /// gathered; then those that were known last are, so that clients find the default one and can ask for an unlock.
    private func madeCollections() throws(BusFailure) -> [SecretCollection] {
        do throws(BusFailure) {
            lastMade = try asking { () throws(Refusal) in try secrets.collections() }
        } catch {
            guard error.name == .isLocked else { throw error }
        }
        return lastMade
    }

    func collection(_ name: String) throws(BusFailure) -> SecretCollection {
        guard let found = try collections().first(where: { $0.name == name }) else {
            throw .gone(SecretObject.collection(name).path)
        }
        return found
    }

    /// The paths of a collection's items, the newest first.
    ///
    /// - Parameter count: so many at most; nil for all.
    func paths(of collection: String, atMost count: Int? = nil) throws(BusFailure) -> [String] {
        let names =
            if collection == SecretCollection.session {
                Array(memory.all.prefix(count ?? .max).map(\.name).reversed())
            } else {
                try asking { () throws(Refusal) in try secrets.names(in: collection, atMost: count) }
            }
        return Self.paths(of: names, in: collection)
    }

    /// The paths of items whose names come the oldest first.
    static func paths(of names: [String], in collection: String) -> [String] {
        names.reversed().map { SecretObject.item(collection: collection, $0).path }
    }

    /// An item; before the first unlock without what nobody knows of it then.
    func item(_ object: SecretObject) throws(BusFailure) -> SecretItem {
        guard case .item(let collection, let name) = object else { throw .gone(object.path) }
        do throws(BusFailure) { return try openItem(object).item } catch {
            guard error.name == .isLocked,
                try asking({ () throws(Refusal) in try secrets.hasItem(named: name) })
            else { throw error }
        }
        return SecretItem(
            name: name, collection: collection, label: "", lookup: LookupAttributes(pairs: knownPairs[name] ?? [:]),
            created: 0, modified: 0)
    }

    /// An item that is open, with its value if that is wanted.
    func openItem(
        _ object: SecretObject, withValue: Bool = false
    ) throws(BusFailure) -> (item: SecretItem, value: SecretBytes) {
        guard case .item(let collection, let name) = object else { throw .gone(object.path) }
        if collection == SecretCollection.session {
            guard let item = memory.all.first(where: { $0.name == name }) else { throw .gone(object.path) }
            return (item, memory.value(of: item))
        }
        let found = try asking { () throws(Refusal) in
            try secrets.item(named: name, in: collection, withValue: withValue)
        }
        guard let found else { throw .gone(object.path) }
        return found
    }

    /// The most closed items of which the attributes are remembered.
    private static let mostKnown = 1000

    /// Remembers by which attributes closed items were found.
    func note(_ wanted: LookupAttributes.Pairs, of names: [String]) {
        guard !wanted.isEmpty else { return }
        for name in names.prefix(Self.mostKnown) {
            if knownPairs.count >= Self.mostKnown { knownPairs.removeAll() }
            knownPairs[name, default: [:]].merge(wanted) { $1 }
        }
    }

    /// The item of a collection that an addition with these attributes replaces, the newest of several.
    func replaced(by lookup: LookupAttributes, in collection: String) throws(BusFailure) -> SecretItem? {
        guard !lookup.pairs.isEmpty else { return nil }
        let found =
            if collection == SecretCollection.session {
                memory.all
            } else {
                try asking { () throws(Refusal) in try secrets.items(lookup.pairs, in: collection) }
            }
        return found.filter { $0.isReplaced(by: lookup) }.max { $0.created < $1.created }
    }
}
