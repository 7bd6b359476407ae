import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// Gets the values that references name: all of them, or none.
struct ReferenceResolver {
    private let session: Session
    /// The command for which the values are, as failures name it.
    private let verb: String

    init(_ session: Session, for verb: String) { (self.session, self.verb) = (session, verb) }

    /// The keychains that have the items of references, as far as this can be known without asking anybody.
    func places(of references: [ItemReference]) -> [ItemReference: ChosenKeychain] {
        let before = session.place
        defer { turnBack(to: before) }
        var places: [ItemReference: ChosenKeychain] = [:]
        for reference in references where places[reference] == nil {
            places[reference] = try? only(reference, in: try keychains()).place
        }
        return places
    }

    /// The values of the references, and of all items of services under their accounts. Where the user must show
    /// something, they are asked once for all of a keychain.
    ///
    /// - Parameters:
    ///   - places: the keychains that the user was shown for some references, which are looked for there alone.
    ///   - reason: what the prompt says of it.
    /// - Throws: a refusal for the first that names no item, or more than one, or has no such field.
    func values(
        of references: [ItemReference], services: [String] = [], places: [ItemReference: ChosenKeychain] = [:],
        reason: String
    ) throws(CommandFailure) -> ReferencedValues {
        var values = ReferencedValues()
        guard !references.isEmpty || !services.isEmpty else { return values }
        let before = session.place
        defer { turnBack(to: before) }
        try UnlockOffer(session).run { () throws(CommandFailure) in
            // Every item is found before the user is asked about one.
            let found = try Findings(
                single: find(Set(references), places), profiles: services.map(all(ofService:)))
            try together(found.keychains[...], reason) { () throws(CommandFailure) in values = try read(found) }
        }
        return values
    }

    /// Later requests go to the session's own keychain again.
    private func turnBack(to keychain: ChosenKeychain) { try? session.turn(to: keychain, verb) }

    /// Those of the search list, as for find- commands; and the default, which has what was added last.
    private func keychains() throws(CommandFailure) -> [ChosenKeychain] {
        let chosen = try session.chosen([], verb)
        guard chosen.isEmpty else { return chosen }
        let (searched, standard) = (try session.searchList(verb), try session.standard(verb))
        return searched.contains(standard) ? searched : searched + [standard]
    }

    private func find(
        _ references: Set<ItemReference>, _ places: [ItemReference: ChosenKeychain]
    ) throws(CommandFailure) -> [Findings.One] {
        let all = try keychains()
        var found: [Findings.One] = []
        for reference in references {
            found.append(try only(reference, in: places[reference].map { [$0] } ?? all))
        }
        return found
    }

    /// Runs something with one context of the user's for each of the keychains.
    private func together(
        _ keychains: ArraySlice<ChosenKeychain>, _ reason: String, _ body: () throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        guard let keychain = keychains.first else { return try body() }
        try session.turn(to: keychain, verb)
        try session.asOneThing(verb, reason: reason) { () throws(CommandFailure) in
            try together(keychains.dropFirst(), reason, body)
        }
    }

    private func read(_ found: Findings) throws(CommandFailure) -> ReferencedValues {
        var values = ReferencedValues()
        for one in found.single {
            try session.turn(to: one.place, verb)
            values.single[one.reference] = try value(one.reference.field, of: one.item, one.reference)
        }
        for profile in found.profiles {
            try session.turn(to: profile.place, verb)
            for item in profile.items {
                values.profiles.append((item.attributes[.account]?.string ?? "", try password(of: item)))
            }
        }
        return values
    }

    /// The one item of a reference, in the first keychain that has any.
    private func only(
        _ reference: ItemReference, in keychains: [ChosenKeychain]
    ) throws(CommandFailure) -> Findings.One {
        try session.inFirst(of: keychains, verb) { () throws(CommandFailure) in
            Findings.One(reference: reference, item: try only(reference), place: session.place)
        }
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

    /// All items of a service, in the first keychain that has any.
    private func all(ofService service: String) throws(CommandFailure) -> Findings.Profile {
        try session.inFirst(of: try keychains(), verb) { () throws(CommandFailure) in
            let items = try matches([("svce", .string(service))], .genericPassword)
            guard !items.isEmpty else { throw .refused(call: verb, .nothing(ofService: service)) }
            return Findings.Profile(items: items, place: session.place)
        }
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

/// The items that references name, without their values, and the keychains that have them.
private struct Findings {
    struct One {
        let reference: ItemReference
        let item: ItemResponse.Item
        let place: ChosenKeychain
    }

    struct Profile {
        let items: [ItemResponse.Item]
        let place: ChosenKeychain
    }

    let single: [One]
    let profiles: [Profile]

    var keychains: [ChosenKeychain] { Array(Set(single.map(\.place) + profiles.map(\.place))) }
}

extension Refusal {
    fileprivate static func nothing(ofService service: String) -> Refusal {
        Refusal(
            .itemNotFound, .notFound, "service", "No generic password has service \(service.quoted).",
            do: "See `security dump-keychain` for the items there are.")
    }

    fileprivate static func nothing(at reference: ItemReference) -> Refusal {
        let (service, account) = (reference.service.quoted, reference.account?.quoted)
        let problem: Words
        if reference.itemClass == .genericPassword {
            problem =
                account.map { "No generic password has service \(service) and account \($0)." }
                ?? "No generic password has service \(service)."
        } else {
            problem =
                switch (account, reference.port) {
                case (nil, nil): "No internet password has server \(service)."
                case (let account?, nil): "No internet password has server \(service) and account \(account)."
                case (nil, let port?): "No internet password has server \(service) and port \(port)."
                case (let account?, let port?):
                    "No internet password has server \(service), account \(account) and port \(port)."
                }
        }
        return Refusal(
            .itemNotFound, .notFound, "reference", problem,
            do: "See `security dump-keychain` for the items there are.")
    }
}
