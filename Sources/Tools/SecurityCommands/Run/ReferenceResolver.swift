import KeychainModel
import KeychainWire
import LinuxSystem

/// Gets the values that references name: all of them, or none.
struct ReferenceResolver {
    private let session: Session
    /// The command for which the values are, as failures name it.
    private let verb: String

    init(_ session: Session, for verb: String) { (self.session, self.verb) = (session, verb) }

    /// The values of the references, and of all items of services under their accounts. Where the user must show
    /// something, they are asked once for all.
    ///
    /// - Parameter reason: what the prompt says of it.
    /// - Throws: a refusal for the first that names no item, or more than one, or has no such field.
    func values(
        of references: [ItemReference], services: [String] = [], reason: String
    ) throws(CommandFailure) -> ReferencedValues {
        var values = ReferencedValues()
        guard !references.isEmpty || !services.isEmpty else { return values }
        try UnlockOffer(session).run { () throws(CommandFailure) in
            try session.asOneThing(verb, reason: reason) { () throws(CommandFailure) in
                values = try resolve(references, services)
            }
        }
        return values
    }

    private func resolve(
        _ references: [ItemReference], _ services: [String]
    ) throws(CommandFailure) -> ReferencedValues {
        // Every item is found before the user is asked about one.
        var found: [(reference: ItemReference, item: ItemResponse.Item)] = []
        for reference in Set(references) { found.append((reference, try only(reference))) }
        var profiles: [(service: String, items: [ItemResponse.Item])] = []
        for service in services { profiles.append((service, try all(ofService: service))) }
        var values = ReferencedValues()
        for (reference, item) in found { values.single[reference] = try value(reference.field, of: item, reference) }
        for (_, items) in profiles {
            for item in items {
                values.profiles.append((item.attributes[.account]?.string ?? "", try password(of: item)))
            }
        }
        return values
    }

    private func only(_ reference: ItemReference) throws(CommandFailure) -> ItemResponse.Item {
        var items = try matches(reference)
        // Items of git and docker are in a domain of theirs; the user's own item is meant before it.
        let own = items.filter { $0.securityDomain.isEmpty }
        if items.count > 1, !own.isEmpty { items = own }
        guard let item = items.first else { throw .refused(call: verb, .nothing(at: reference)) }
        guard items.count == 1 else { throw ambiguous(reference, items) }
        return item
    }

    private func ambiguous(_ reference: ItemReference, _ items: [ItemResponse.Item]) -> CommandFailure {
        let accounts = items.prefix(5).map { ($0.attributes[.account]?.string ?? "").quoted }
        let more = items.count > accounts.count ? ", …" : ""
        return .failed(
            "\(verb): \(reference.text) names \(items.count) items",
            cause: "Their accounts are \(accounts.joined(separator: ", "))\(more).",
            remedy: reference.account == nil
                ? "Put the account behind the service: \(ItemReference.scheme)SERVICE/ACCOUNT."
                : "Delete all but one of them, or give them other accounts.")
    }

    private func all(ofService service: String) throws(CommandFailure) -> [ItemResponse.Item] {
        let items = try matches([("svce", .string(service))], .genericPassword)
        guard !items.isEmpty else {
            throw .refused(
                call: verb,
                Refusal(
                    .itemNotFound, .notFound, "service", "No generic password has service \(service.quoted).",
                    do: "See `security dump-keychain` for the items there are."))
        }
        return items
    }

    private func matches(_ reference: ItemReference) throws(CommandFailure) -> [ItemResponse.Item] {
        let isServer = reference.itemClass == .internetPassword
        var attributes: [(String, RawValue)] = [(isServer ? "srvr" : "svce", .string(reference.service))]
        if let account = reference.account { attributes.append(("acct", .string(account))) }
        if let port = reference.port { attributes.append(("port", .number(Int64(port)))) }
        return try matches(attributes, reference.itemClass)
    }

    private func matches(
        _ attributes: [(code: String, value: RawValue)], _ itemClass: ItemClass
    ) throws(CommandFailure) -> [ItemResponse.Item] {
        try session.items(verb) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.copyMatching)
            try builder.set("class", .string(itemClass.code))
            for (code, value) in attributes { try builder.set(code, value) }
            try builder.set("sync", .string("syna"))
            try builder.set("m_Limit", .string("m_LimitAll"))
            for key in ["r_Attributes", "r_PersistentRef"] { try builder.set(key, .boolean(true)) }
            return try builder.build()
        }
    }

    private func value(
        _ field: ItemReference.Field, of item: ItemResponse.Item, _ reference: ItemReference
    ) throws(CommandFailure) -> SecretBytes {
        let id: AttributeID
        switch field {
        case .password: return try password(of: item)
        case .account: id = .account
        case .label: id = .label
        case .comment: id = .comment
        }
        guard let value = item.attributes.secret(id) else {
            throw .failed(
                "\(verb): \(reference.text) has no \(field.rawValue)",
                cause: "The item is there, and its \(field.rawValue) was never set.",
                remedy: "Set it with `security add-generic-password -U`, or name another field behind #.")
        }
        return value
    }

    private func password(of item: ItemResponse.Item) throws(CommandFailure) -> SecretBytes {
        let response = try session.send(verb) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.copyMatching)
            try builder.set("v_PersistentRef", item.reference)
            try builder.set("m_Limit", .string("m_LimitOne"))
            try builder.set("r_Data", .boolean(true))
            return try builder.build()
        }
        guard let found = response.items.first else { throw .refused(call: verb, .nothingFound) }
        return found.password
    }
}

/// The values that references name.
struct ReferencedValues {
    var single: [ItemReference: SecretBytes] = [:]
    /// The passwords of whole services, under their accounts.
    var profiles: [(account: String, password: SecretBytes)] = []
}

extension Refusal {
    fileprivate static func nothing(at reference: ItemReference) -> Refusal {
        let isServer = reference.itemClass == .internetPassword
        let place = "\(isServer ? "internet password has server" : "generic password has service") "
        let account = reference.account.map { " and account \($0.quoted)" } ?? ""
        let port = reference.port.map { " and port \($0)" } ?? ""
        return Refusal(
            .itemNotFound, .notFound, "reference", "No \(place)\(reference.service.quoted)\(account)\(port).",
            do: "See `security dump-keychain` for the items there are.")
    }
}
