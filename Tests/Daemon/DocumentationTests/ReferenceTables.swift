import KeychainClient
import KeychainModel

/// The tables of `docs/reference.md`.
enum ReferenceTables {
    static var classes: String {
        markdown(
            ["constant", "value", "primary key", "default protection"],
            ItemClass.allCases.map { itemClass in
                let own = AttributeTable.primaryKey(of: itemClass).filter { $0.keyIn != ItemClass.stored }
                let key = own.map { constant($0.constants.last(where: CoverageTables.isDeclared) ?? $0.constants[0]) }
                    .joined(separator: ", ")
                let isStored = ItemClass.stored.contains(itemClass)
                return [
                    itemClass.constant, "`\(itemClass.code)`", isStored ? key : "that of its certificate",
                    isStored ? "`\(itemClass.defaultAccessibility.code)`" : "–",
                ]
            })
    }

    static var attributes: String {
        markdown(
            ["constant", "code", "kind", "classes", "key of", "default", "search", "set by", "meaning"],
            AttributeTable.rows.filter { $0.id != .restricted }.map { attribute in
                [
                    attribute.constants.map(constant).joined(separator: ", "), "`\(attribute.code)`",
                    attribute.kind.name,
                    attribute.classes.codes, attribute.keyIn.codes, attribute.defaultTextWithClasses,
                    search(attribute), attribute.setBy.name, attribute.meaning,
                ]
            })
    }

    /// Some of Apple's names are in no public header: a program writes the key itself.
    private static func constant(_ name: String) -> String {
        CoverageTables.isDeclared(name) || !name.hasPrefix("kSec") ? name : "\(name) (not declared)"
    }

    private static func search(_ attribute: ItemAttribute) -> String {
        if attribute.search == .none { return "no" }
        let isIndexed = attribute.classes.contains { AttributeTable.indexed(of: $0).contains { $0 === attribute } }
        return attribute.search == .plain || isIndexed ? "yes" : "open"
    }

    static var keys: String {
        markdown(
            ["constant", "key", "what it does"],
            QueryKey.rows.map { [constant($0.constant), "`\($0.code)\($0.code == "m_" ? "…" : "")`", $0.role.meaning] })
    }

    static var settings: String {
        markdown(
            ["variable", "key", "takes", "default", "what it does"],
            Setting.table.map { ["`\($0.variable)`", "`\($0.key)`", $0.takes, $0.standard, $0.meaning] })
    }
}

extension ItemAttribute.Setter {
    fileprivate var name: String {
        switch self {
        case .program: "program"
        case .engine: "keychain"
        case .nobody: "nobody: -34018"
        }
    }
}

extension QueryKey.Role {
    fileprivate var meaning: String {
        switch self {
        case .itemClass: "Which class the request is about."
        case .matchLimit: "How many items: one (the default), all, or a number. In a search; a delete may say all."
        case .matchCertificate:
            "Certificates and identities that pass; see below. Another class: -4. Anywhere but in a search -50."
        case .matchHost: "Internet passwords whose server is this host or a subdomain of it; another class: -4."
        case .matchIgnored: "Ignored in a search, as in Apple's engine; elsewhere -50."
        case .returnFlag(let flag): "Return " + (Self.returned[flag] ?? "") + "."
        case .valueData: "The value, at most 1 MiB; in a search it is ignored."
        case .valueReference:
            """
            An object whose item is meant: its attributes count where the dictionary has none. Another object: -50. Of \
            an identity kSecReturnPersistentRef alone is answered.
            """
        case .persistentReference: "The one item with this reference, synchronised or not; no attributes beside it."
        case .authenticationUI: "Whether the user may be asked: allow, fail, or (in a search only) skip."
        case .noAuthenticationUI: "True is the same as fail."
        case .operationPrompt: "What the user reads when he is asked: at most 1 KiB of it."
        case .authenticationContext: "An LAContext, whose state, reason and password count; another object: -50."
        case .searchList:
            "An array of SecKeychain: these are searched, in order. An update or a delete takes one; in an add -50."
        case .keychain: "The SecKeychain to which an add goes; ignored otherwise."
        case .useTombstones: "Accepted, and decides nothing: tombstones are left where other machines have the item."
        case .updateExisting:
            "True: an add changes the item that is there under the same primary key, as an update would. Ours; "
                + "only in an add."
        case .useItemList: "Ignored; when adding -50."
        case .useAccepted: "Accepted; it steers what is not there yet."
        case .useRestricted: "For Apple's own programs: -34018."
        }
    }

    private static let returned: [ReturnFlags: String] = [
        .data: "the value", .attributes: "the attributes",
        .reference: "the item's object; for passwords, with another return key, the attributes",
        .persistentReference: "the persistent reference",
    ]
}
