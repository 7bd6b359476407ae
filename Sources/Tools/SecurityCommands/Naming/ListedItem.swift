import DER
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// An item as lists and searches know it: its attributes as texts, and never its value.
struct ListedItem {
    /// The kinds of items, as people name them.
    enum Kind: String, CaseIterable {
        case password = "pass"
        case internet = "inet"
        case certificate = "cert"
        case key
        case identity = "ident"
        case deleted

        /// The name in a sentence.
        var phrase: String {
            switch self {
            case .password: "generic password"
            case .internet: "internet password"
            case .certificate: "certificate"
            case .key: "key"
            case .identity: "identity"
            case .deleted: "deleted item"
            }
        }
    }

    let itemClass: ItemClass
    let kind: Kind
    /// The name it goes by: service or server, else the label. Of an item that came over the desktop's bus the label,
    /// for its service is the bridge's.
    let name: String
    let account, label, group: String
    /// Seconds since 2001; nil where the item has no such moment. The last change of a deleted item is its deletion.
    let created, changed, expires: Double?
    let port: Int64?
    let accessControl: AccessControl?
    let accessibility: Accessibility?
    /// The lasting name in the keychain.
    let reference: [UInt8]
    let keychain: ChosenKeychain

    init(_ item: ItemResponse.Item, in keychain: ChosenKeychain, isDeleted: Bool = false) {
        self.keychain = keychain
        let attributes = item.attributes
        itemClass = item.itemClass
        kind = isDeleted ? .deleted : Kind(item.itemClass)
        let place = attributes.shownText(item.itemClass == .internetPassword ? .server : .service)
        label = attributes.shownText(.label)
        let lookup = LookupAttributes(in: attributes)
        let names = lookup == nil ? [place, label, attributes.shownText(.applicationTag)] : [label, place]
        name = names.first { !$0.isEmpty } ?? ""
        account = lookup.map(Self.user) ?? attributes.shownText(.account)
        group = attributes.shownText(.accessGroup)
        created = attributes.moment(.creationDate)
        changed = (isDeleted ? attributes.moment(.versionEnded) : nil) ?? attributes.moment(.modificationDate)
        (expires, port) = (attributes.moment(.endDate), attributes[.port]?.number)
        (accessControl, accessibility) = (attributes.accessControl, attributes.accessibility)
        if case .data(let bytes)? = attributes[.persistentReference] { reference = bytes } else { reference = [] }
    }

    /// An item as it was read before.
    init(
        itemClass: ItemClass, kind: Kind, name: String, account: String, label: String, group: String,
        dates: (created: Double?, changed: Double?, expires: Double?), port: Int64?,
        protection: (AccessControl?, Accessibility?), reference: [UInt8], keychain: ChosenKeychain
    ) {
        (self.itemClass, self.kind, self.reference, self.keychain) = (itemClass, kind, reference, keychain)
        (self.name, self.account, self.label, self.group, self.port) = (name, account, label, group, port)
        (created, changed, expires) = dates
        (accessControl, accessibility) = protection
    }

    /// The attribute that names a user, by the names that programs of the desktop have for it.
    private static func user(_ lookup: LookupAttributes) -> String {
        ["username", "user", "account", "login"].lazy.compactMap { lookup.pairs[ExactText($0)]?.text }.first ?? ""
    }

    /// The item in a sentence: `deploy (ci)`.
    var title: String {
        let shown = name.isEmpty ? "an item without a name" : DisplayName.shown(name)
        return account.isEmpty ? shown : "\(shown) (\(DisplayName.shown(account)))"
    }

    /// The lasting name in base64, for programs.
    var encodedReference: String {
        let buffer = SecretBuffer(capacity: 64)
        buffer.append(base64: reference.span)
        return buffer.withSpan { $0.text(0, $0.count) } ?? ""
    }

    /// Whether both are the same item of the same keychain.
    func isSame(as other: ListedItem) -> Bool { reference == other.reference && keychain == other.keychain }

    /// The label where it says something else than the name; nil where it does not.
    var ownLabel: String? { label.isEmpty || label == name ? nil : label }

    /// The kind that a deleted item was of; of others their own.
    var formerKind: Kind { kind == .deleted ? Kind(itemClass) : kind }

    /// Whether it is a certificate, or one with its key.
    var hasCertificate: Bool { kind == .certificate || kind == .identity }

    /// The item as a request names it.
    var query: RawValue { .data(reference) }

    /// Whether a backup, and so a kept version, may have it.
    var leavesVersions: Bool { accessibility.map { !$0.isThisDeviceOnly } ?? true }
}

extension ListedItem.Kind {
    fileprivate init(_ itemClass: ItemClass) {
        self =
            switch itemClass {
            case .genericPassword: .password
            case .internetPassword: .internet
            case .certificate: .certificate
            case .key: .key
            case .identity: .identity
            }
    }
}

extension AttributeList {
    /// The attribute as a text; bytes that are no UTF-8 are replaced.
    func shownText(_ id: AttributeID) -> String {
        switch self[id] {
        case .string(let text): text
        case .data(let bytes): String(decoding: bytes, as: UTF8.self)
        case .number, .date, nil: ""
        }
    }

    /// The moment that an attribute is, in seconds since 2001.
    func moment(_ id: AttributeID) -> Double? {
        if case .date(let seconds)? = self[id] { seconds } else { nil }
    }
}
