import KeychainModel
import KeychainWire

/// Which items belong to this command, and how the groups of others are shown.
struct OwnGroups {
    private let groups: Set<String>
    private let program: String

    /// The name under which the command's own groups are shown.
    static let title = "security"

    /// Asks the daemon who this command is.
    init(_ session: Session, _ call: String) throws(CommandFailure) {
        let report = try session.identity(.identity, call)
        (groups, program) = (Set(report.groups), report.program)
    }

    /// Whether the command can read and change the items of a group.
    func have(_ group: String) -> Bool { groups.contains(group) || groups.contains(AccessGroup.any) }

    /// The group as a list shows it: what a path proves is marked as a path, so that no program looks like another.
    func title(of group: String) -> String {
        if have(group) { return Self.title }
        let path = group.hasPrefix(AccessGroup.unsignedPrefix) ? group.dropFirst(AccessGroup.unsignedPrefix.count) : ""
        return DisplayName.shown(path.isEmpty ? group : String(path))
    }

    /// Refuses an item that only other programs may read and change.
    ///
    /// - Throws: `errSecMissingEntitlement`.
    func require(_ item: ListedItem, _ call: String) throws(CommandFailure) {
        guard !have(item.group) else { return }
        throw .refused(
            call: call,
            Refusal(
                .missingEntitlement, .foreignGroup, item.name,
                "\(item.title) belongs to \(title(of: item.group)), and only that program's values are its own.",
                do: "Use that program. `security list -l` shows whose an item is."))
    }
}
