import KeychainModel
import KeychainWire

/// A request and who sends it, as the checks look at them.
struct AccessQuestion {
    let request: ItemRequest
    let caller: CallerIdentity
    /// The group the query names.
    let named: String?

    init(_ request: ItemRequest, _ caller: CallerIdentity) {
        (self.request, self.caller) = (request, caller)
        named = request.query[.accessGroup]?.string
    }

    var writes: Bool { request.operation != .copyMatching }

    /// The groups that are meant when none is named.
    var candidates: [String] { writes ? caller.writableGroups : caller.groups }
    var hasCandidates: Bool { writes ? caller.groups.contains { $0 != AccessGroup.token } : !caller.groups.isEmpty }
}

/// One question the access policy asks, and the refusal when the answer is no.
struct AccessCheck: Sendable {
    let refusal: @Sendable (AccessQuestion) -> Refusal?

    /// All of them in their order: what nobody may do comes before what this caller may not.
    static let all = [
        restrictedInQuery, restrictedInChanges, foreignPartition, inspection, hasGroups, changedGroup, namedGroup,
        candidateGroups, groupOfKey,
    ]

    /// Attributes that no program may name.
    private static let restrictedInQuery = Self { refusal(ofRestricted: $0.request.query) }
    private static let restrictedInChanges = Self { refusal(ofRestricted: $0.request.changes) }

    /// The user partition may be named when it is the one there is; as a change it is ignored (semantics B.4).
    private static let foreignPartition = Self { question in
        guard let entry = question.request.query.entry(.multiUser), entry.length > 0 else { return nil }
        return .restricted(.multiUser)
    }

    /// Only the inspecting command looks at all groups, and never at values.
    private static let inspection = Self { question in
        guard question.request.inspectsAllGroups else { return nil }
        let isLook = !question.writes && !question.request.returns.contains(.data)
        return question.caller.mayInspectAllGroups && isLook ? nil : .inspectionOnly
    }

    /// A caller without groups finds nothing, and may do nothing else (semantics C.2, K).
    private static let hasGroups = Self { question in
        guard question.caller.groups.isEmpty, !question.request.inspectsAllGroups else { return nil }
        return .noGroups(question.caller, question.request.operation)
    }

    /// An item is moved only into a group of the caller's.
    private static let changedGroup = Self { question in
        guard let target = question.request.changes[.accessGroup]?.string else { return nil }
        return question.caller.refusal(of: target, toWrite: true)
    }

    /// A group that is named is one of the caller's, and not one that nobody writes to where it is to be written to.
    private static let namedGroup = Self { question in
        guard let named = question.named, !question.request.inspectsAllGroups else { return nil }
        return question.caller.refusal(of: named, toWrite: question.writes)
    }

    /// Where none is named, there is one that the request could be about.
    private static let candidateGroups = Self { question in
        guard question.named == nil, !question.request.inspectsAllGroups else { return nil }
        if question.request.operation == .add {
            return question.caller.defaultGroup == nil ? .noDefaultGroup(question.caller) : nil
        }
        return question.hasCandidates ? nil : .readOnly(AccessGroup.token)
    }

    /// Who adds a key to a group must be one who may use it.
    private static let groupOfKey = Self { question in
        guard question.request.operation == .add else { return nil }
        do throws(Refusal) {
            guard let key = try question.request.sealedKey() else { return nil }
            return question.caller.refusal(of: key.binding.group, toWrite: false)
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
