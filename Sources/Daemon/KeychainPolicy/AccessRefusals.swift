package import KeychainModel

// The refusals of the access policy, and the remedy for each kind of program.
extension Refusal {
    static func foreign(_ group: String, _ caller: CallerIdentity) -> Refusal {
        Refusal(
            .missingEntitlement, .foreignGroup, group,
            "The program \(caller.program) is not entitled to the access group \"\(group)\".",
            do: caller.wayTo(group))
    }

    static func readOnly(_ group: String) -> Refusal {
        Refusal(
            .missingEntitlement, .readOnlyGroup, group, "Items of the group \"\(group)\" come from tokens only.",
            do: "Use another of the program's groups.")
    }

    static func noDefaultGroup(_ caller: CallerIdentity) -> Refusal {
        Refusal(
            .missingEntitlement, .noOwnGroup, "agrp",
            "The program \(caller.program) has no group of its own to put an item into.",
            do: "Name a group with kSecAttrAccessGroup, or \(caller.provenance.wayToGroups).")
    }

    static func noGroups(_ caller: CallerIdentity, _ operation: ItemRequest.Operation) -> Refusal {
        Refusal(
            [.copyMatching, .history].contains(operation) ? .itemNotFound : .missingEntitlement, .noGroups, "agrp",
            "The program \(caller.program) has no access groups.",
            do: caller.provenance.wayToGroups.capitalizedFirst + ".")
    }

    static let inspectionOnly = Refusal(
        .missingEntitlement, .inspection, AccessGroup.any,
        "Only the keychain's own command may look at all programs' items, and never at their values.",
        do: "Use the `security` in the daemon's folder. After an upgrade, end the daemon that ran before.")

    static func restricted(_ id: AttributeID) -> Refusal {
        let attribute = AttributeTable.attribute(id: id)
        return Refusal(
            .missingEntitlement, .restrictedAttribute, attribute?.code ?? "",
            "\(attribute?.displayName ?? "The attribute") needs an entitlement that no program here has.",
            do: "Leave it out.")
    }

    /// The user's authentication is not enough for this item.
    package static let notAnchored = Refusal(
        .missingEntitlement, .notAnchored, "accc",
        "The item opens for programs that are anchored, and this one is not: others of its user could reach into it.",
        do: "Have root anchor the program (security anchor; docs/security/identity.md), and start it again.")
}

extension CallerIdentity {
    /// How the program would come by a group, or what it can use instead.
    fileprivate func wayTo(_ group: String) -> String {
        let own = groups.isEmpty ? "" : " Or use one of its groups: \(groups.joined(separator: ", "))."
        if AccessGroup.isClaimed(group) {
            return "Embed the name in a program below the user's home that nobody vouches for "
                + "(docs/security/identity.md)." + own
        }
        if case .signed(let team, _) = provenance, !group.hasPrefix(team + ".") {
            return "Groups begin with the team that signed the program, \(team); what another team has is not shared."
                + own
        }
        return provenance.wayToGroups.capitalizedFirst + "." + own
    }
}

extension Provenance {
    /// The source of a group for a program of this kind.
    fileprivate var wayToGroups: String {
        switch self {
        case .unsigned, .claimed, .misclaimed:
            "sign the program with the group among its keychain-access-groups "
                + "(security codesign; docs/guides/signing.md)"
        case .signed:
            "put the group among its keychain-access-groups and sign the program again (security codesign)"
        case .installed(let file): "put the group among the keychain-access-groups of \(file), as root"
        case .sandboxed(let sandbox, _): "use the group that its sandbox (\(sandbox.rawValue)) gives it"
        case .unit: "use the group of its unit"
        }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
