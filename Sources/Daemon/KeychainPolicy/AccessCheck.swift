import KeychainModel
import KeychainWire

extension ItemRequest {
    /// The group the query names.
    var namedGroup: String? { query[.accessGroup]?.string }
    var writes: Bool { operation != .copyMatching }
}

/// One question the access policy asks, and the refusal when the answer is no.
struct AccessCheck: Sendable {
    let refusal: @Sendable (_ request: ItemRequest, _ caller: CallerIdentity) -> Refusal?

    /// All of them in their order: what nobody may do comes before what this caller may not.
    static let all = [
        restrictedInQuery, restrictedInChanges, foreignPartition, inspection, hasGroups, changedGroup, namedGroup,
        candidateGroups, groupOfKey,
    ]

    /// Attributes that no program may name.
    private static let restrictedInQuery = Self { request, _ in refusal(ofRestricted: request.query) }
    private static let restrictedInChanges = Self { request, _ in refusal(ofRestricted: request.changes) }

    /// The user partition may be named when it is the one there is; as a change it is ignored (semantics B.4).
    private static let foreignPartition = Self { request, _ in
        guard let entry = request.query.entry(.multiUser), entry.length > 0 else { return nil }
        return .restricted(.multiUser)
    }

    /// Only the inspecting command looks at all groups, and never at values.
    private static let inspection = Self { request, caller in
        guard request.inspectsAllGroups else { return nil }
        let isLook = !request.writes && !request.returns.contains(.data)
        return caller.mayInspectAllGroups && isLook ? nil : .inspectionOnly
    }

    /// A caller without groups finds nothing, and may do nothing else (semantics C.2, K).
    private static let hasGroups = Self { request, caller in
        guard caller.groups.isEmpty, !request.inspectsAllGroups else { return nil }
        return .noGroups(caller, request.operation)
    }

    /// An item is moved only into a group of the caller's.
    private static let changedGroup = Self { request, caller in
        guard let target = request.changes[.accessGroup]?.string else { return nil }
        return caller.refusal(of: target, toWrite: true)
    }

    /// A group that is named is one of the caller's, and not one that nobody writes to where it is to be written to.
    private static let namedGroup = Self { request, caller in
        guard let named = request.namedGroup, !request.inspectsAllGroups else { return nil }
        return caller.refusal(of: named, toWrite: request.writes)
    }

    /// Where none is named, there is one that the request could be about.
    private static let candidateGroups = Self { request, caller in
        guard request.namedGroup == nil, !request.inspectsAllGroups else { return nil }
        if request.operation == .add {
            return caller.defaultGroup == nil ? .noDefaultGroup(caller) : nil
        }
        return caller.hasGroup(toWrite: request.writes) ? nil : .readOnly(AccessGroup.token)
    }

    /// Who adds a key to a group must be one who may use it.
    private static let groupOfKey = Self { request, caller in
        guard request.operation == .add else { return nil }
        do throws(Refusal) {
            guard let key = try request.sealedKey() else { return nil }
            return caller.refusal(of: key.binding.group, toWrite: false)
        } catch { return error }
    }

    private static func refusal(ofRestricted list: AttributeList) -> Refusal? {
        guard list.present & forbidden != 0 else { return nil }
        let entry = list.first { AttributeTable.attribute(id: $0.id)?.setBy == .nobody }
        return entry.map { .restricted($0.id) }
    }

    private static let forbidden = AttributeTable.set { $0.setBy == .nobody }
}

extension CallerIdentity {
    /// Whether there is a group that a request could be about that names none.
    func hasGroup(toWrite: Bool) -> Bool {
        toWrite ? groups.contains { $0 != AccessGroup.token } : !groups.isEmpty
    }

    /// The groups it may change something in.
    var writableGroups: [String] { groups.filter { $0 != AccessGroup.token } }

    /// Where its items go when it names no group (S-15).
    var defaultGroup: String? { groups.first { $0 != AccessGroup.token && $0 != AccessGroup.any } }

    private func holds(_ group: String) -> Bool {
        groups.contains(group) || groups.contains(AccessGroup.any)
            || mayManageUnits && group.hasPrefix(AccessGroup.unitPrefix)
    }

    /// Why it may not use a group; nil when it may.
    func refusal(of group: String, toWrite: Bool) -> Refusal? {
        guard holds(group) else { return .foreign(group, self) }
        return toWrite && group == AccessGroup.token ? .readOnly(group) : nil
    }
}
