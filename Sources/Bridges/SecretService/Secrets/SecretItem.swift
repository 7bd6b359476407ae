import KeychainCrypto
import KeychainModel
import LinuxSystem

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
    /// The keychain's own name for it; empty for an item in memory, and for one that is closed.
    var reference: [UInt8] = []

    var object: SecretObject { .item(collection: collection, name) }

    /// Whether it has all these attributes; none at all are attributes of every item.
    func matches(_ wanted: LookupAttributes.Pairs) -> Bool {
        let all = lookup.all
        return wanted.allSatisfy { all[$0.key] == $0.value }
    }

    /// Whether it has these attributes and no other. Its kind counts where it is asked for.
    func isExactly(_ wanted: LookupAttributes.Pairs) -> Bool {
        let own = wanted[LookupAttributes.schema] == nil ? lookup.pairs : lookup.all
        return wanted == own.filter { wanted[LookupAttributes.schema] != nil || $0.key != LookupAttributes.schema }
    }

    /// Whether it is the item that an addition with these attributes replaces. An empty list replaces nothing. The
    /// usual schema is the same as none, which other keyrings show as the usual one.
    func isReplaced(by other: LookupAttributes) -> Bool {
        guard !other.pairs.isEmpty else { return false }
        if lookup.all == other.all { return true }
        guard lookup.pairs == other.pairs else { return false }
        return other.pairs[LookupAttributes.schema] != nil || other.kind.isEmpty
            || ExactText(other.kind) == ExactText(lookup.itemKind)
    }
}

/// A collection as the bus shows it.
struct SecretCollection {
    /// Its name in a path, for ever.
    let name: String
    var label: String
    /// Its other names, those that were given to it.
    var aliases: [ExactText] = []
    /// Those that it has as long as no other collection has them.
    var implied: [ExactText] = []
    var created: Double = 0
    var modified: Double = 0
    /// The keychain's own name for its record; empty where there is none.
    var reference: [UInt8] = []

    /// The collection that always exists, and the one that ends with the session.
    static let login = "login", session = "session"

    /// So many may there be. Every call may have to read their names.
    static let most = 128

    /// The label of the first until a client gives it another.
    static let loginLabel = "Login"

    var object: SecretObject { .collection(name) }

    /// A name for a collection with a label that none has, and none has ever had: another bridge may just be deleting
    /// everything of a name.
    static func freshName(for label: String) -> String {
        let wanted = label.isEmpty ? "collection" : SecretObject.name(of: String(label.prefix(64)))
        return "\(wanted)_\(hexadecimal(Randomness.bytes(8)))"
    }

    /// Whether it is the one that a user has been shown: the same record, under the same label.
    func isShown(as other: SecretCollection) -> Bool {
        !reference.isEmpty && reference == other.reference && ExactText(label) == ExactText(other.label)
    }

    func has(_ alias: ExactText) -> Bool { aliases.contains(alias) || implied.contains(alias) }
}

/// A change of an item; what is nil stays.
struct SecretChange {
    var label: String?
    var lookup: LookupAttributes?
    /// Whether the item is found by other attributes than before.
    var hasOtherAttributes = false
}

extension LookupAttributes {
    /// The account of an item that replaces those with the same attributes: the same for the same names, values and
    /// type, and for no others.
    var account: String {
        let list = LookupAttributes(pairs: pairs, kind: kind, contentType: "").encoded
        guard let digest = try? Digest.sha256(list.span) else { return hexadecimal(list) }
        return hexadecimal(digest.span.array(0, 32))
    }
}
