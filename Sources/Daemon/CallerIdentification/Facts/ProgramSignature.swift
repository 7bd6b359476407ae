/// The facts of a verified signature that identities rest on.
package struct ProgramSignature: Hashable, Sendable {
    package let team: String
    package let identifier: String
    package let granted: GrantedGroups

    package init(team: String, identifier: String, granted: GrantedGroups) {
        (self.team, self.identifier, self.granted) = (team, identifier, granted)
    }
}

/// The access groups that entitlements give.
package struct GrantedGroups: Hashable, Sendable {
    package let groups: [String]
    /// Whether they are for the anchored program only.
    package let requiresAnchor: Bool

    package init(_ groups: [String], requiresAnchor: Bool = false) {
        (self.groups, self.requiresAnchor) = (groups, requiresAnchor)
    }
}
