package import KeychainModel

/// The access groups that anchored programs alone have. Nobody else is shown what is in them, not even with the
/// inspecting command, which any program of the user can run.
package struct AnchoredGroups: Sendable {
    private let holds: @Sendable (String) -> Bool

    /// - Parameter holds: whether anchored programs alone have a group.
    package init(_ holds: @escaping @Sendable (String) -> Bool) { self.holds = holds }

    /// There are no anchored programs.
    package static let none = AnchoredGroups { _ in false }

    /// Whether anchored programs alone have a group.
    package func have(_ group: String) -> Bool { holds(group) }

    /// Whether an item is hidden from a caller that inspects all groups.
    ///
    /// - Parameters:
    ///   - item: its attributes; nil when they cannot be read.
    package func hide(_ item: AttributeList?, from viewer: CallerIdentity) -> Bool {
        if viewer.user == 0 { return false }
        guard let item, let group = item[.accessGroup]?.string else { return true }
        if viewer.groups.containsExactly(group) { return false }
        return AccessConstraint(flags: item.accessControl?.flags ?? 0).needsAnchor || holds(group)
    }
}
