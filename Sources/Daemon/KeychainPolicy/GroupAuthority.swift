package import KeychainModel

/// Decides which programs may move a group's items or set the group's policy, and what they still have to show.
package enum GroupAuthority: Hashable, Sendable {
    /// Nothing more.
    case granted
    /// The user's passcode, which the enclave looks at and counts as every attempt.
    case passcode
}

/// The facts besides the caller that the answer depends on.
package struct GroupSituation: Hashable, Sendable {
    package var passcodeIsSet: Bool
    /// The user that this keychain's daemon runs as. A caller that is the same user owns the files too.
    package var daemonUser: UInt32
    /// The old group's team has handed it over, by a statement that was verified.
    package var isHandedOver: Bool

    package init(passcodeIsSet: Bool, daemonUser: UInt32, isHandedOver: Bool = false) {
        (self.passcodeIsSet, self.daemonUser, self.isHandedOver) = (passcodeIsSet, daemonUser, isHandedOver)
    }
}

extension AccessPolicy {
    /// Decides on a group's life: a pure function, as the decision on items is.
    ///
    /// Four kinds of program may: one that is entitled to all the groups; one that is entitled to the new group, when
    /// the old one's team has handed that over; root; and the keychain's own command, which speaks for its user. The
    /// command needs the passcode. It needs none where none is set and the daemon is the user's own, for then a process
    /// that has the user's files has everything.
    ///
    /// - Parameters:
    ///   - from: the group as it is; `to`: the one its items are to have, or the same.
    /// - Throws: `errSecMissingEntitlement` for everybody else, and for groups that nobody writes to.
    package static func authority(
        overItemsOf from: String, goingTo to: String, for caller: CallerIdentity, in situation: GroupSituation
    ) throws(Refusal) -> GroupAuthority {
        for group in [from, to] {
            if group == AccessGroup.token || group == AccessGroup.any || group.isEmpty { throw .readOnlyName(group) }
        }
        if to != from { try checkClaim(to) }
        if caller.isEntitled(to: from), caller.isEntitled(to: to) { return .granted }
        if situation.isHandedOver, caller.isEntitled(to: to) { return .granted }
        if caller.user == 0 { return .granted }
        guard caller.mayInspectAllGroups else { throw .groupsNotGranted(from, to, caller) }
        if situation.passcodeIsSet { return .passcode }
        guard situation.daemonUser == caller.user else { throw .passcodeNeeded }
        return .granted
    }

    /// Refuses a caller that does not have a group.
    ///
    /// - Throws: `errSecMissingEntitlement`.
    package static func requireEntitled(_ caller: CallerIdentity, to group: String) throws(Refusal) {
        guard caller.isEntitled(to: group) else { throw .groupsNotGranted(group, group, caller) }
    }

    /// Refuses a group that no program can claim, and one of no application: none would find the items there.
    private static func checkClaim(_ group: String) throws(Refusal) {
        if AccessGroup.hasSandboxedSecretsPrefix(group), !AccessGroup.isOfSandboxedSecrets(group) {
            throw .noApplication(group)
        }
        guard AccessGroup.isClaimed(group) else { return }
        let name = Array(group.utf8.dropFirst(AccessGroup.claimedPrefix.utf8.count))
        guard AccessGroup.isClaimName(name) else { throw .noClaim(group) }
    }

    /// Refuses a policy, or another name, for a group that programs claim. They are built, moved and removed again and
    /// again, and any other program of the user's can claim the name: that one has gone means nothing.
    ///
    /// - Throws: `errSecParam`.
    package static func checkLife(of group: String) throws(Refusal) {
        if AccessGroup.isClaimed(group) { throw .lifeOfClaim(group) }
    }

    /// Decides whether a caller may work on the items of a program as the program itself may: to carry them from one
    /// keychain to another.
    ///
    /// Only a program that its path or its own claim names can be worked for: an anchor, a signature, an
    /// entitlement or a unit would be worth nothing if a store that the user may have forged could put items into
    /// their groups. To take items away is to give them another group, and takes what that takes. To put some
    /// there, which changes none that are there, the keychain's own command needs the passcode only where one is
    /// set.
    ///
    /// - Throws: `errSecMissingEntitlement` for every other group, and for everybody else.
    package static func authority(
        toWorkFor group: String, onlyAdding: Bool, for caller: CallerIdentity, in situation: GroupSituation,
        _ anchored: AnchoredGroups
    ) throws(Refusal) -> GroupAuthority {
        guard isOfUnverified(group), !anchored.have(group) else { throw .groupOfVerifiedPrograms(group) }
        guard onlyAdding, !caller.isEntitled(to: group) else {
            return try authority(overItemsOf: group, goingTo: group, for: caller, in: situation)
        }
        if caller.user == 0 { return .granted }
        guard caller.mayInspectAllGroups else { throw .groupsNotGranted(group, group, caller) }
        return situation.passcodeIsSet ? .passcode : .granted
    }

    private static func isOfUnverified(_ group: String) -> Bool {
        CallerIdentity.executable(ofOwnGroup: group)?.hasPrefix("/") ?? AccessGroup.isClaimed(group)
    }

    /// Whether a caller may say that programs were removed, which deletes what nobody can use any more.
    ///
    /// - Throws: `errSecMissingEntitlement` for all but root and the keychain's own command.
    package static func requireUninstaller(_ caller: CallerIdentity) throws(Refusal) {
        guard caller.user == 0 || caller.mayInspectAllGroups else {
            throw Refusal(
                .missingEntitlement, .inspection, AccessGroup.any,
                "Only root and the keychain's own command say that programs were removed.",
                do: "Use `security uninstalled` in the script that removes them.")
        }
    }

    /// Whether a caller may have a search explained for another program than itself.
    ///
    /// - Throws: `errSecMissingEntitlement` for all but the keychain's own command and root.
    package static func requireInspector(_ caller: CallerIdentity) throws(Refusal) {
        guard caller.user == 0 || caller.mayInspectAllGroups else { throw .inspectionOfOthers }
    }
}

extension CallerIdentity {
    fileprivate func isEntitled(to group: String) -> Bool {
        groups.containsExactly(group) || groups.contains(AccessGroup.any) || keepsForSandboxes(group)
    }
}

extension Refusal {
    fileprivate static func readOnlyName(_ group: String) -> Refusal {
        Refusal(
            .missingEntitlement, .readOnlyGroup, group, "\"\(group)\" is no group that programs put items into.",
            do: "Name a group as `security dump-keychain --json` shows it (agrp).")
    }

    fileprivate static func noClaim(_ group: String) -> Refusal {
        Refusal(
            .param, .foreignGroups, group, "No program can claim the group \"\(group)\".",
            do: "A claimed name has 1 to 64 letters, digits, '.' and '-', and none of these two at an end.")
    }

    fileprivate static func noApplication(_ group: String) -> Refusal {
        Refusal(
            .param, .foreignGroups, group, "No application in a sandbox has the group \"\(group)\".",
            do: "Name it secret-service:flatpak:APPLICATION or secret-service:snap:NAME.")
    }

    fileprivate static func lifeOfClaim(_ group: String) -> Refusal {
        Refusal(
            .param, .foreignGroups, group,
            "The group \"\(group)\" is one that programs claim themselves: it has no policy, and is not renamed.",
            do: "Move its items to a group whose programs are known (security move-items).")
    }

    fileprivate static func groupOfVerifiedPrograms(_ group: String) -> Refusal {
        Refusal(
            .missingEntitlement, .foreignGroups, group,
            "The group \"\(group)\" is not that of a program which its path or its own claim names.",
            do: "Let the programs of the group store their items again.")
    }

    fileprivate static func groupsNotGranted(_ from: String, _ to: String, _ caller: CallerIdentity) -> Refusal {
        let both = from == to ? "\"\(from)\"" : "both \"\(from)\" and \"\(to)\""
        return Refusal(
            .missingEntitlement, .foreignGroups, from,
            "The program \(caller.program) is not entitled to \(both).",
            do:
                "Let a program do it that has the groups, or the user with `security move-items`. Or present a "
                + "handover statement of the old team (docs/security/access.md).")
    }

    fileprivate static let passcodeNeeded = Refusal(
        .missingEntitlement, .foreignGroups, "password",
        "No password is set that could show that the user wants this, and the keychain's files are not the user's.",
        do: "Set one (security set-keychain-password), or do it as root.")

    fileprivate static let inspectionOfOthers = Refusal(
        .missingEntitlement, .inspection, AccessGroup.any,
        "Only the keychain's own command asks about other programs than itself.",
        do: "Use `security why --as PROGRAM`, or leave the program out.")
}

extension Provenance: CustomStringConvertible {
    /// In words, for logs.
    package var description: String {
        switch self {
        case .signed(let team, let identifier): "signed by \(team) as \(identifier)"
        case .installed(let file): "entitled by \(file)"
        case .sandboxed(let sandbox, let application): "\(sandbox.rawValue) \(application)"
        case .unit(let name): "unit \(name)"
        case .unsigned: "unsigned"
        case .claimed(let name): "unsigned, claims \(name)"
        case .misclaimed(let why): "unsigned, its claim opens nothing: \(why)"
        }
    }
}

extension CallerIdentity {
    /// The owner of the rows that the program writes, for quotas: its signature or unit rather than its file, where it
    /// has one. A claim is no owner: a program that can claim one name can be built with a thousand.
    package var owner: String {
        switch provenance {
        case .signed(let team, let identifier): "signed:\(team).\(identifier)"
        case .unit(let name): AccessGroup.unitPrefix + name
        case .sandboxed(let sandbox, let application): "\(sandbox.rawValue):\(application)"
        case .installed, .unsigned, .claimed, .misclaimed: AccessGroup.unsignedPrefix + program
        }
    }
}
