package import KeychainModel
package import LinuxSystem

/// What there is to know about a caller. The decision asks for each part when it needs it, because some cost much; a test
/// answers from its own words.
package protocol ProcessFacts {
    /// The effective user and group it had when it connected.
    var user: UInt32 { get }
    var group: UInt32 { get }
    var process: Int32 { get }
    /// The program, by the name the process sees it by, and the file itself.
    var path: String { get }
    var file: FileStatus { get }

    /// Its real group; the kernel gives the marker group as effective group only.
    func realGroup() throws(Refusal) -> UInt32
    /// What the signature in the executable says; nil when there is none.
    func signature() throws(Refusal) -> ProgramSignature?
    /// Whether ``path`` is what the file is called in the file system that everybody sees.
    func hasTrueName() throws(Refusal) -> Bool
    /// Whether it runs a script, by its own account.
    func runs(_ script: InstalledEntitlements.Script) -> Bool
    /// The sandbox it was started in.
    func sandbox() throws(Refusal) -> SandboxedApplication?
    /// The unit of the system's service manager that it is: not one that has only started it for somebody.
    func unit() -> String?
}

/// What a verified signature says, as far as identity goes.
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
