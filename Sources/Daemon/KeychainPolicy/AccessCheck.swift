import KeychainModel
import KeychainWire

/// The questions the access policy asks of a request; the first that is answered with no refuses it.
extension ItemRequest {
    /// Asks all of them in their order: what nobody may do comes before what this caller may not.
    func checkAccess(of caller: CallerIdentity) throws(Refusal) {
        try Self.checkRestricted(query)
        try Self.checkRestricted(changes)
        try checkPartition()
        try checkInspection(by: caller)
        try checkThatGroupsAreThere(caller)
        try checkChangedGroup(caller)
        try checkNamedGroup(caller)
        try checkCandidateGroups(caller)
        try checkGroupOfKey(caller)
    }

    /// The group the query names.
    var namedGroup: String? { query[.accessGroup]?.string }
    var writes: Bool { !isSearch }

    /// There are attributes that no program may name.
    private static func checkRestricted(_ list: AttributeList) throws(Refusal) {
        guard list.present & forbidden != 0 else { return }
        let entry = list.first { AttributeTable.attribute(id: $0.id)?.setBy == .nobody }
        if let entry { throw .restricted(entry.id) }
    }

    private static let forbidden = AttributeTable.set { $0.setBy == .nobody }

    /// The user partition may be named when it is the one there is; as a change it is ignored (rule
    /// items.update.user-partition).
    private func checkPartition() throws(Refusal) {
        if let entry = query.entry(.multiUser), entry.length > 0 { throw .restricted(.multiUser) }
    }

    /// Only the inspecting command looks at all groups, at what is there now, and never at values.
    private func checkInspection(by caller: CallerIdentity) throws(Refusal) {
        guard inspectsAllGroups else { return }
        let isLook = operation == .copyMatching && !returns.contains(.data)
        guard caller.mayInspectAllGroups, isLook else { throw .inspectionOnly }
    }

    /// A caller without groups finds nothing, and may do nothing else (rule access-groups.list.none).
    private func checkThatGroupsAreThere(_ caller: CallerIdentity) throws(Refusal) {
        guard !inspectsAllGroups, caller.groups.isEmpty else { return }
        throw .noGroups(caller, operation)
    }

    /// An item is moved only into a group of the caller's.
    private func checkChangedGroup(_ caller: CallerIdentity) throws(Refusal) {
        guard let target = changes[.accessGroup]?.string else { return }
        try caller.check(target, toWrite: true)
    }

    /// A group that is named is one of the caller's, and not one that nobody writes to where it is to be written to.
    private func checkNamedGroup(_ caller: CallerIdentity) throws(Refusal) {
        guard !inspectsAllGroups, let named = namedGroup else { return }
        try caller.check(named, toWrite: writes)
    }

    /// Where none is named, there is one that the request could be about.
    private func checkCandidateGroups(_ caller: CallerIdentity) throws(Refusal) {
        guard !inspectsAllGroups, namedGroup == nil else { return }
        if isAddition {
            if caller.defaultGroup == nil { throw .noDefaultGroup(caller) }
        } else if !caller.hasGroup(toWrite: writes) {
            throw .readOnly(AccessGroup.token)
        }
    }

    /// A caller that adds a key to a group must be allowed to use the key.
    private func checkGroupOfKey(_ caller: CallerIdentity) throws(Refusal) {
        guard isAddition, let key = try sealedKey() else { return }
        try caller.check(key.binding.group, toWrite: false)
    }
}

extension CallerIdentity {
    /// Whether there is a group that a request could be about that names none.
    func hasGroup(toWrite: Bool) -> Bool {
        toWrite ? groups.contains { $0 != AccessGroup.token } : !groups.isEmpty
    }

    /// The groups it may change something in.
    var writableGroups: [String] { groups.filter { $0 != AccessGroup.token } }

    /// Where its items go when it names no group (rule access-groups.default.first).
    var defaultGroup: String? { groups.first { $0 != AccessGroup.token && $0 != AccessGroup.any } }

    private func holds(_ group: String) -> Bool {
        groups.containsExactly(group) || groups.contains(AccessGroup.any)
            || mayManageUnits && group.hasPrefix(AccessGroup.unitPrefix) || keepsForSandboxes(group)
    }

    /// Whether it is the bridge to the desktop, and the group is that of an application in a sandbox: the bridge knows
    /// which application asks it, and names the group in each request. A request without a group never means it.
    func keepsForSandboxes(_ group: String) -> Bool {
        groups.containsExactly(AccessGroup.secretService) && AccessGroup.isOfSandboxedSecrets(group)
    }

    /// Refuses a group that it may not use.
    ///
    /// - Throws: `errSecMissingEntitlement` for a group that is not its own, or that no program writes to.
    func check(_ group: String, toWrite: Bool) throws(Refusal) {
        guard holds(group) else { throw .foreign(group, self) }
        if toWrite, group == AccessGroup.token { throw .readOnly(group) }
    }
}
