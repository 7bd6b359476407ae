package import KeychainModel
import KeychainWire

/// Decides which items a caller's request may touch: a pure function of the caller's groups and the request (rule
/// access-groups.decision.table).
///
/// `ItemRequest.checkAccess(of:)` asks one question after the other, and the first no refuses the request. A request
/// that passes all of them gets its scope here.
package enum AccessPolicy {
    /// Lets a request through or says why not.
    ///
    /// - Throws: `errSecMissingEntitlement` for a group the caller has not been granted and for attributes no program
    ///   may name; `errSecItemNotFound` when a caller without groups searches; the refusals of ``ItemRequest/check()``.
    package static func authorize(
        _ request: ItemRequest, from caller: CallerIdentity
    ) throws(Refusal) -> AuthorizedRequest {
        try request.check()
        if request.isAddition, let parts = request.identityParts {
            let certificate = try authorize(parts.certificate, from: caller)
            return AuthorizedRequest(
                request, caller, scope: certificate.scope, targetGroup: certificate.targetGroup,
                parts: [certificate, try authorize(parts.key, from: caller)])
        }
        try request.checkAccess(of: caller)
        return try authorized(request, caller)
    }

    /// The request with what it may touch; every check has let it through.
    private static func authorized(
        _ request: ItemRequest, _ caller: CallerIdentity
    ) throws(Refusal) -> AuthorizedRequest {
        if request.inspectsAllGroups {
            return AuthorizedRequest(request, caller, scope: .allGroups, isInspection: true)
        }
        if request.isAddition {
            let group = try targetGroup(request.namedGroup, of: caller)
            return AuthorizedRequest(request, caller, scope: .groups([group]), targetGroup: group)
        }
        if let named = request.namedGroup { return AuthorizedRequest(request, caller, scope: .groups([named])) }
        let groups = request.writes ? caller.writableGroups : caller.groups
        return AuthorizedRequest(
            request, caller, scope: groups.contains(AccessGroup.any) ? .allGroups : .groups(groups))
    }

    /// The group something new goes into: the one named, or the first of the caller's own (rule
    /// access-groups.default.first).
    ///
    /// - Throws: `errSecMissingEntitlement` for a group that is not the caller's, or that no program writes to.
    static func targetGroup(_ named: String?, of caller: CallerIdentity) throws(Refusal) -> String {
        guard let group = named ?? caller.defaultGroup else { throw .noDefaultGroup(caller) }
        try caller.check(group, toWrite: true)
        return group
    }
}

extension AccessPolicy {
    /// The groups whose changes a caller hears of: those it names, or all of its own. To hear of a group takes what
    /// reading it takes.
    ///
    /// - Throws: `errSecMissingEntitlement` for a group that is not the caller's, and for a caller without groups.
    package static func groupsToWatch(_ named: [String], for caller: CallerIdentity) throws(Refusal) -> [String] {
        guard !caller.groups.isEmpty else { throw .noGroups(caller, .add) }
        for group in named { try caller.check(group, toWrite: false) }
        return named.isEmpty ? caller.groups : named
    }

    /// Whether a caller may make and restore backups: the keychain's own command, and root. The enclave asks for
    /// what the user has to show; where no password is set, only those may who have the files anyway.
    ///
    /// - Parameter daemonUser: the user that this keychain's daemon runs as.
    /// - Throws: `errSecMissingEntitlement` (`backup.not-granted`).
    package static func requireBackup(
        _ caller: CallerIdentity, passcodeIsSet: Bool, daemonUser: UInt32
    ) throws(Refusal) {
        guard caller.user == 0 || caller.mayInspectAllGroups else { throw .backupNotGranted }
        guard passcodeIsSet || caller.user == 0 || caller.user == daemonUser else { throw .backupNeedsPassword }
    }

    /// Whether a caller may ask about the circle of machines. Its carrier is any program of the user outside of
    /// sandboxes: it gives and takes what a transport sees anyway.
    ///
    /// - Parameters:
    ///   - changes: whether only the keychain's own command may.
    ///   - daemonUser: the user that this keychain's daemon runs as.
    /// - Throws: `errSecMissingEntitlement` (`circle.not-granted`).
    package static func requireCircle(
        _ caller: CallerIdentity, changes: Bool, daemonUser: UInt32
    ) throws(Refusal) {
        if caller.user == 0 || caller.mayInspectAllGroups { return }
        guard !changes else { throw .circleNotGranted }
        if case .sandboxed = caller.provenance { throw .carrierNotGranted }
        guard caller.user == daemonUser else { throw .carrierNotGranted }
    }
}

extension Refusal {
    fileprivate static let circleNotGranted = Refusal(
        .missingEntitlement, .circleNotGranted, AccessGroup.any,
        "Only the keychain's own command looks at the circle of machines and changes it.", do: "Use `security sync`.")

    fileprivate static let carrierNotGranted = Refusal(
        .missingEntitlement, .circleNotGranted, AccessGroup.any,
        "Only programs of the keychain's user, outside of sandboxes, carry what its circle writes.",
        do: "Let keychain-carrier do it.")

    fileprivate static let backupNotGranted = Refusal(
        .missingEntitlement, .backupNotGranted, AccessGroup.any,
        "Only the keychain's own command makes and restores backups.", do: "Use `security backup`.")

    fileprivate static let backupNeedsPassword = Refusal(
        .missingEntitlement, .backupNotGranted, "password",
        "No password is set that could show that the user wants this, and the keychain's files are not the user's.",
        do: "Set one (security set-keychain-password), or do it as root.")
}
