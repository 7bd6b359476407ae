package import KeychainModel

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
        try refuseRestricted(request.query)
        try refuseRestricted(request.changes)
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
        guard let group = named ?? writable(caller).first(where: { $0 != AccessGroup.any }) else {
            throw notWritable(AccessGroup.token)
        }
        try require(group, caller, toWrite: true)
        return AuthorizedRequest(request, scope: .groups([group]), targetGroup: group)
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

    private static func require(_ group: String, _ caller: CallerIdentity, toWrite: Bool) throws(Refusal) {
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

    /// Attributes that no program may name; the user partition may be named only when it is the one there is.
    private static func refuseRestricted(_ list: AttributeList) throws(Refusal) {
        for entry in list.entries {
            guard let attribute = AttributeTable.attribute(id: entry.id) else { continue }
            guard attribute.setBy == .nobody || attribute.id == .multiUser && entry.length > 0 else { continue }
            throw Refusal(
                .missingEntitlement, .restrictedAttribute, attribute.code,
                "\(attribute.displayName) needs an entitlement that no program here has.", do: "Leave it out.")
        }
    }

    private static func noGroups(_ operation: ItemRequest.Operation) -> Refusal {
        Refusal(
            operation == .copyMatching ? .itemNotFound : .missingEntitlement, .noGroups, "agrp",
            "The program has no access groups.", do: "Sign it with the keychain-access-groups entitlement.")
    }

    private static func notWritable(_ group: String) -> Refusal {
        Refusal(
            .missingEntitlement, .foreignGroup, group, "Items of the group \"\(group)\" come from tokens only.",
            do: "Use another of the program's groups.")
    }
}
