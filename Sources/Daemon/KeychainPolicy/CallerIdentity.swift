import KeychainModel

/// Who is calling, as far as it could be verified, and the access groups that follow from it (semantics C.1).
package struct CallerIdentity: Hashable, Sendable {
    /// The user the process runs as.
    package let user: UInt32
    package let process: Int32
    /// What a person calls the program; for prompts and logs.
    package let program: String
    /// What its groups rest on.
    package let provenance: Provenance
    /// Its kernel keeps the user's other programs out of its memory: it was installed by root with our marker group, and the
    /// process had that group when it connected.
    package let isAnchored: Bool
    /// The groups the program may use; the first is where its items go by default (S-15).
    package let groups: [String]
    /// The inspecting command of this installation: it may list attributes of all groups, never values.
    package let mayInspectAllGroups: Bool
    /// Root at the system's keychain: it may use the groups of all units, whose credentials it keeps.
    package var mayManageUnits = false

    package init(
        user: UInt32, process: Int32, program: String, provenance: Provenance = .unsigned, isAnchored: Bool = false,
        groups: [String], mayInspectAllGroups: Bool = false
    ) {
        self.user = user
        self.process = process
        self.program = program
        self.provenance = provenance
        self.isAnchored = isAnchored
        self.groups = groups
        self.mayInspectAllGroups = mayInspectAllGroups
    }

    /// The program as a person is shown it, in prompts: that nobody vouches for it is said.
    package var title: String { provenance == .unsigned ? "\(program) (unsigned)" : program }

    /// The group of a program that brings no entitlements: its own, named by its executable (S-18).
    package static func ownGroup(ofExecutable path: String) -> String { AccessGroup.unsignedPrefix + path }
}

/// Whose word a program's access groups rest on.
package enum Provenance: Hashable, Sendable {
    /// Its own signature: the team's key vouches for identifier and groups.
    case signed(team: String, identifier: String)
    /// An entitlements file that root has installed for it.
    case installed(file: String)
    /// The sandbox that runs it: Flatpak or Snap.
    case sandboxed(Sandbox, application: String)
    /// The service manager that runs it: a system unit of systemd.
    case unit(String)
    /// Nobody's: the group is made from the executable's path.
    case unsigned

    package enum Sandbox: String, Hashable, Sendable {
        case flatpak
        case snap
    }
}
