package import KeychainModel

/// The rules for the name of an access group.
enum GroupNames {
    /// Enough for a Team ID and a name in reverse-DNS form.
    static let mostBytes = 512
    static let mostGroups = 128
    /// The group of items that tokens offer. It has no owner, every program may read it on request, and it is always
    /// last.
    static let token = "com.apple.token"

    /// The groups in order, each once; the tokens' group comes last.
    static func ordered(_ groups: [String]) -> [String] {
        var seen: Set<ExactText> = []
        let unique = groups.filter { seen.insert(ExactText($0)).inserted }
        return unique.filter { $0 != token } + unique.filter { $0 == token }
    }

    /// Refuses names that a list or a log cannot show, and those of claimed groups. So are the groups of what
    /// applications in sandboxes give to the bridge to the desktop.
    ///
    /// - Throws: `errSecMissingEntitlement` (`entitlements.malformed`).
    static func checkText(_ group: String) throws(Refusal) {
        let isPlain = group.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && !$0.isControl }
        guard !group.isEmpty, group.utf8.count <= mostBytes, isPlain, group != "*" else {
            throw .malformedEntitlements(
                "a group's name is empty, too long, or has blanks or control characters", line: 0)
        }
        guard !AccessGroup.isClaimed(group) else { throw .claimedGroup(group) }
        guard !AccessGroup.hasSandboxedSecretsPrefix(group) else { throw .sandboxedGroup(group) }
    }
}

/// The identifier of a program in its signature, as `-i` gives it.
package enum CodeIdentifier {
    static let mostBytes = 255

    /// Refuses an identifier that cannot be part of a group's name.
    ///
    /// - Throws: `errSecMissingEntitlement` (`code.identifier`).
    package static func check(_ identifier: String) throws(Refusal) {
        let isPlain = identifier.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || Array("-._+".utf8).contains(byte)
        }
        guard (1...mostBytes).contains(identifier.utf8.count), isPlain else {
            throw Refusal(
                .missingEntitlement, .codeIdentifier, identifier, "This cannot be the identifier of a program.",
                do: "Give one with -i: letters, digits, '.', '-', '_' and '+', such as com.example.app.")
        }
    }
}

extension UnicodeScalar {
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .surrogate: true
        default: false
        }
    }
}

extension Refusal {
    fileprivate static func claimedGroup(_ group: String) -> Refusal {
        Refusal(
            .missingEntitlement, .malformedEntitlements, group,
            "\(group) cannot be granted: any program of a user's can claim it.",
            do: "Name a group of your own, and move the items there (security move-items).")
    }

    fileprivate static func sandboxedGroup(_ group: String) -> Refusal {
        Refusal(
            .missingEntitlement, .malformedEntitlements, group,
            "\(group) cannot be granted: it is what an application in a sandbox has stored on the desktop.",
            do: "Name a group of your own, and move the items there (security move-items).")
    }

    static func foreignPrefix(_ group: String, _ team: TeamID) -> Refusal {
        Refusal(
            .missingEntitlement, .foreignPrefix, group,
            "\(group) does not begin with the Team ID of the key that signed, \(team.text).",
            do:
                "Write $(AppIdentifierPrefix) before the group's name, or sign with the key of the team that owns it."
        )
    }
}
