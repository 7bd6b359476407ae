import KeychainModel

/// An item as the bus shows it, without its value.
struct SecretItem {
    /// Its name in a path, for ever.
    let name: String
    let collection: String
    var label: String
    var lookup: LookupAttributes
    /// Seconds since 1970.
    var created: Double
    var modified: Double
    /// The keychain's own name for it; empty for an item in memory.
    var reference: [UInt8] = []

    var object: SecretObject { .item(collection: collection, name) }

    /// Whether it has all these attributes; none at all are attributes of every item.
    func matches(_ wanted: [String: String]) -> Bool {
        let all = lookup.all
        return wanted.allSatisfy { all[$0.key] == $0.value }
    }

    /// Whether it is the item that an addition with these attributes replaces. An empty list replaces nothing.
    func isReplaced(by other: LookupAttributes) -> Bool {
        guard !other.pairs.isEmpty, lookup.pairs == other.pairs else { return false }
        return other.pairs[LookupAttributes.schema] != nil || other.kind.isEmpty || other.kind == lookup.itemKind
    }
}

/// A collection as the bus shows it.
struct SecretCollection {
    /// Its name in a path, for ever.
    let name: String
    var label: String
    var aliases: [String] = []
    var created: Double = 0
    var modified: Double = 0
    /// The keychain's own name for it; empty for one that is always there.
    var reference: [UInt8] = []

    /// The collection that always exists, and the one that ends with the session.
    static let login = "login", session = "session"

    var object: SecretObject { .collection(name) }
}

/// A change of an item; what is nil stays.
struct SecretChange {
    var label: String?
    var lookup: LookupAttributes?
}
