import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// The requests to the two keychains that items are carried between.
extension MigrationEnd {
    /// The attributes of all items of a class, whosever they are.
    func items(of itemClass: ItemClass) throws(CommandFailure) -> [ItemResponse.Item] {
        let first = try MigrationPlan.request { () throws(Refusal) in
            var builder = try Self.listing(of: itemClass)
            builder.inspectAllGroups()
            return try builder.build()
        }
        var (items, next): ([ItemResponse.Item], ItemRequest?) = ([], first)
        while let request = next, let page = try Self.found({ () throws(CommandFailure) in try send(request) }) {
            items += page.items
            next = request.following(page)
        }
        return items
    }

    /// Asks for the items of a class that a program has, with their values; without those whose user has to be asked.
    func values(of itemClass: ItemClass) throws(CommandFailure) -> ItemRequest {
        try MigrationPlan.request { () throws(Refusal) in
            var builder = try Self.listing(of: itemClass)
            for flag in ["r_Data", "r_PersistentRef"] { try builder.set(flag, .boolean(true)) }
            try builder.set("u_AuthUI", .string("u_AuthUIS"))
            return try builder.build()
        }
    }

    /// A page of what a program has; nil where nothing is left.
    func page(of group: String, _ request: ItemRequest) throws(CommandFailure) -> ItemResponse? {
        try Self.found { () throws(CommandFailure) in
            try answer(to: request, for: group).getOrFail()
        }
    }

    private static func found(
        _ ask: () throws(CommandFailure) -> ItemResponse
    ) throws(CommandFailure) -> ItemResponse? {
        do throws(CommandFailure) { return try ask() } catch {
            guard error.isStatus(.itemNotFound) else { throw error }
            return nil
        }
    }

    private static func listing(of itemClass: ItemClass) throws(Refusal) -> ItemRequestBuilder {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string(itemClass.code))
        try builder.set("sync", .string("syna"))
        try builder.set("m_Limit", .string("m_LimitAll"))
        try builder.set("r_Attributes", .boolean(true))
        return builder
    }
}

extension ItemResponse.Item {
    /// Why it cannot be carried; nil when it can.
    var reasonToStay: String? {
        guard let group = attributes[.accessGroup]?.string else { return "it cannot be read" }
        guard AccessGroup.isOfUnsigned(group) else { return "its programs are more than a path" }
        if attributes.entry(.sealedKey) != nil || attributes[.tokenID]?.string?.isEmpty == false {
            return "its key cannot leave the enclave"
        }
        let isGuarded = AccessConstraint(flags: attributes.accessControl?.flags ?? 0).isGuard
        return isGuarded ? "its user, or an anchored program, guards it" : nil
    }

    /// Its name as a person knows it.
    var name: String {
        for id in [AttributeID.label, .service, .server, .account] {
            if let text = attributes[id]?.string, !text.isEmpty { return text }
        }
        return ""
    }

    /// Adds the same to another keychain.
    func addition() throws(Refusal) -> ItemRequest {
        var builder = ItemRequestBuilder(.add)
        try builder.set("class", .string(itemClass.code))
        for attribute in AttributeTable.attributes(of: itemClass) where attribute.setBy == .program {
            guard attribute.id != .accessControl, attribute.id != .accessible, let value = attributes[attribute.id]
            else {
                continue
            }
            builder.fill(attribute.id, value)
        }
        if let accessibility = attributes.accessibility { builder.fill(.accessible, .string(accessibility.code)) }
        if let value = attributes.secret(.valueData) { try builder.fill(value: value) }
        return try builder.build()
    }

    /// Takes it away as it was read, and its earlier versions: its copy is elsewhere. An item that was changed since
    /// stays.
    func deletion() throws(Refusal) -> ItemRequest {
        var builder = ItemRequestBuilder(.delete)
        try builder.set("class", .string(itemClass.code))
        for attribute in AttributeTable.primaryKey(of: itemClass) {
            let missing = attribute.setBy == .program ? attribute.defaultValue : nil
            if let value = attributes[attribute.id] ?? missing { builder.fill(attribute.id, value) }
        }
        if let date = attributes[.modificationDate] { builder.fill(.modificationDate, date) }
        builder.leaveNoHistory()
        return try builder.build()
    }
}
