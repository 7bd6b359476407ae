package import KeychainModel
import KeychainWire

/// Decides which items a caller's request may touch: a pure function of the caller's groups and the request (semantics C.2).
package enum AccessPolicy {
    /// Lets a request through or says why not.
    ///
    /// - Throws: `errSecMissingEntitlement` for a group the caller has not been granted and for attributes no program may
    ///   name; `errSecItemNotFound` when a caller without groups searches; the refusals of ``ItemRequest/check()``.
    package static func authorize(
        _ request: ItemRequest, from caller: CallerIdentity
    ) throws(Refusal) -> AuthorizedRequest {
        try request.check()
        if let parts = request.identityParts {
            let certificate = try authorize(parts.certificate, from: caller)
            return AuthorizedRequest(
                request, scope: certificate.scope, targetGroup: certificate.targetGroup,
                parts: [certificate, try authorize(parts.key, from: caller)])
        }
        try refuseRestricted(request.query)
        try refuseRestricted(request.changes)
        try refuseForeignPartition(request.query)
        if request.inspectsAllGroups { return try inspection(request, caller) }
        guard !caller.groups.isEmpty else { throw noGroups(request.operation) }
        if let target = request.changes[.accessGroup]?.string { try require(target, caller, toWrite: true) }
        let named = request.query[.accessGroup]?.string
        switch request.operation {
        case .add: return try addition(request, named, caller)
        case .copyMatching: return try search(request, named, caller.groups, caller)
        case .update, .delete: return try search(request, named, writable(caller), caller)
        }
    }

    private static func addition(
        _ request: ItemRequest, _ named: String?, _ caller: CallerIdentity
    ) throws(Refusal) -> AuthorizedRequest {
        let group = try targetGroup(named, of: caller)
        // Who adds a key to a group must be one who may use it.
        if let key = try request.sealedKey() { try require(key.binding.group, caller, toWrite: false) }
        return AuthorizedRequest(request, scope: .groups([group]), targetGroup: group)
    }

    /// The group something new goes into: the one named, or the first of the caller's own.
    static func targetGroup(_ named: String?, of caller: CallerIdentity) throws(Refusal) -> String {
        guard let group = named ?? writable(caller).first(where: { $0 != AccessGroup.any }) else {
            throw noDefaultGroup
        }
        try require(group, caller, toWrite: true)
        return group
    }

    private static func search(
        _ request: ItemRequest, _ named: String?, _ groups: [String], _ caller: CallerIdentity
    ) throws(Refusal) -> AuthorizedRequest {
        if let named {
            try require(named, caller, toWrite: request.operation != .copyMatching)
            return AuthorizedRequest(request, scope: .groups([named]))
        }
        guard !groups.isEmpty else { throw notWritable(AccessGroup.token) }
        return AuthorizedRequest(request, scope: groups.contains(AccessGroup.any) ? .allGroups : .groups(groups))
    }

    private static func inspection(_ request: ItemRequest, _ caller: CallerIdentity) throws(Refusal)
        -> AuthorizedRequest
    {
        guard caller.mayInspectAllGroups, request.operation == .copyMatching, !request.returns.contains(.data) else {
            throw Refusal(
                .missingEntitlement, .foreignGroup, AccessGroup.any,
                "Only the keychain's own command may look at all programs' items, and never at their values.",
                do: "Use `security dump-keychain` to list items.")
        }
        return AuthorizedRequest(request, scope: .allGroups, mayOpenValues: false)
    }

    static func require(_ group: String, _ caller: CallerIdentity, toWrite: Bool) throws(Refusal) {
        guard caller.groups.contains(group) || caller.groups.contains(AccessGroup.any) else {
            throw Refusal(
                .missingEntitlement, .foreignGroup, group,
                "The program \(caller.program) is not entitled to the access group \"\(group)\".",
                do: "Use one of its groups: \(caller.groups.joined(separator: ", ")).")
        }
        if toWrite, group == AccessGroup.token { throw notWritable(group) }
    }

    private static func writable(_ caller: CallerIdentity) -> [String] {
        caller.groups.filter { $0 != AccessGroup.token }
    }

    /// Attributes that no program may name.
    private static func refuseRestricted(_ list: AttributeList) throws(Refusal) {
        guard list.present & forbidden != 0 else { return }
        for entry in list where AttributeTable.attribute(id: entry.id)?.setBy == .nobody {
            throw restricted(entry.id)
        }
    }

    private static let forbidden = AttributeTable.set { $0.setBy == .nobody }

    /// The user partition may be named when it is the one there is; as a change it is ignored (semantics B.4).
    private static func refuseForeignPartition(_ query: AttributeList) throws(Refusal) {
        if let entry = query.entry(.multiUser), entry.length > 0 { throw restricted(.multiUser) }
    }

    private static func restricted(_ id: AttributeID) -> Refusal {
        let attribute = AttributeTable.attribute(id: id)
        return Refusal(
            .missingEntitlement, .restrictedAttribute, attribute?.code ?? "",
            "\(attribute?.displayName ?? "The attribute") needs an entitlement that no program here has.",
            do: "Leave it out.")
    }

    private static func noGroups(_ operation: ItemRequest.Operation) -> Refusal {
        Refusal(
            operation == .copyMatching ? .itemNotFound : .missingEntitlement, .noGroups, "agrp",
            "The program has no access groups.", do: "Sign it with the keychain-access-groups entitlement.")
    }

    private static let noDefaultGroup = Refusal(
        .missingEntitlement, .foreignGroup, "agrp", "The program has no group of its own to put an item into.",
        do: "Name a group with kSecAttrAccessGroup, or sign the program with the keychain-access-groups entitlement.")

    private static func notWritable(_ group: String) -> Refusal {
        Refusal(
            .missingEntitlement, .foreignGroup, group, "Items of the group \"\(group)\" come from tokens only.",
            do: "Use another of the program's groups.")
    }
}
