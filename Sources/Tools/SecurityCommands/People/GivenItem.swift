import CommandOptions
import KeychainModel
import LinuxSystem

/// The name and the fields of an item that is to be made: `service/account`, a reference, and `field=value`.
struct GivenItem {
    private var fields: [ItemField: String] = [:]

    /// - Parameter text: a service, or a service and its account behind the last slash.
    /// - Throws: ``CommandFailure/usage(_:nearest:)`` for an empty name and a malformed reference.
    init(_ text: String) throws(CommandFailure) {
        guard !text.isEmpty else { throw .usage("an item has a name") }
        guard ItemReference.isMeant(by: text) else {
            let slash = text.contains("://") ? nil : text.lastIndex(of: "/")
            fields[.service] = String(slash.map { text[..<$0] } ?? text[...])
            fields[.account] = slash.map { String(text[text.index(after: $0)...]) }
            return
        }
        do throws(ItemReference.Malformed) {
            let reference = try ItemReference(text)
            fields[reference.itemClass == .internetPassword ? .server : .service] = reference.service
            fields[.account] = reference.account
            fields[.port] = reference.port.map(String.init)
        } catch { throw .usage("\"\(text)\" is no reference: \(error.problem)") }
    }

    /// Whether anything is known beyond the name.
    var hasAccount: Bool { fields[.account] != nil }

    /// Takes fields. A server makes an internet password, and a name without an account is then its account.
    mutating func take(_ given: [ItemField: String]) {
        fields.merge(given) { $1 }
        guard given[.server] != nil, given[.service] == nil, let name = fields[.service] else { return }
        fields[.account] = fields[.account] ?? name
        fields[.service] = nil
    }

    /// The item in a sentence.
    var title: String {
        let name = DisplayName.shown(fields[.service] ?? fields[.server] ?? "")
        return fields[.account].map { $0.isEmpty ? name : "\(name) (\(DisplayName.shown($0)))" } ?? name
    }

    private var itemClass: ItemClass { fields[.service] == nil ? .internetPassword : .genericPassword }

    /// The fields as a request has them; the label is the name unless another is given.
    ///
    /// - Throws: ``CommandFailure/usage(_:nearest:)`` for fields that do not belong together.
    func attributes() throws(CommandFailure) -> [(code: String, value: RawValue)] {
        var given = fields
        given[.label] = given[.label] ?? given[.service] ?? given[.server]
        return try ItemField.attributes(given, of: itemClass)
    }

    /// Stores the item.
    ///
    /// - Parameter isSynchronizable: whether it is for all machines of the circle.
    func save(
        _ value: SecretBytes, isSynchronizable: Bool = false, _ session: Session, _ call: String
    ) throws(CommandFailure) {
        let mark: [(code: String, value: RawValue)] = isSynchronizable ? [("sync", .boolean(true))] : []
        try ItemAccess(session, call).addItem(of: itemClass, try attributes() + mark, value)
    }
}

/// A field of an item, by the name that people give it.
enum ItemField: String, CaseIterable {
    case service, account, label, comment, kind, server, port, path, scheme = "protocol", domain

    /// The name in a query.
    var code: String {
        switch self {
        case .service: "svce"
        case .account: "acct"
        case .label: "labl"
        case .comment: "icmt"
        case .kind: "desc"
        case .server: "srvr"
        case .port: "port"
        case .path: "path"
        case .scheme: "ptcl"
        case .domain: "sdmn"
        }
    }

    private var belongsToServers: Bool {
        switch self {
        case .server, .port, .path, .scheme, .domain: true
        case .service, .account, .label, .comment, .kind: false
        }
    }

    /// The fields as a request has them.
    ///
    /// - Throws: ``CommandFailure/usage(_:nearest:)`` for a field that the class has not, or a value of another form.
    static func attributes(
        _ fields: [ItemField: String], of itemClass: ItemClass
    ) throws(CommandFailure) -> [(code: String, value: KeychainModel.RawValue)] {
        var attributes: [(code: String, value: KeychainModel.RawValue)] = []
        for field in allCases {
            guard let text = fields[field] else { continue }
            let isPlace = field == .service ? itemClass == .genericPassword : true
            guard isPlace, !field.belongsToServers || itemClass == .internetPassword else {
                throw .usage(
                    "\(itemClass == .genericPassword ? "a generic" : "an internet") password has no \(field.rawValue)")
            }
            attributes.append((field.code, try field.queryValue(text)))
        }
        return attributes
    }

    private func queryValue(_ text: String) throws(CommandFailure) -> KeychainModel.RawValue {
        switch self {
        case .port:
            guard let port = UInt16(text) else { throw .usage("\"\(text)\" is not a port number") }
            return .number(Int64(port))
        case .scheme:
            guard text.utf8.count == 4 else { throw .usage("a protocol has four characters, such as htps") }
            return .string(text)
        default: return .string(text)
        }
    }
}
