package import KeychainModel
import LinuxSystem

/// A caller, as far as it could be verified, and the access groups that follow from it (rule
/// access-groups.list.identity).
///
/// One reference, so that every request, write and entry of the log can have it for the price of one.
package struct CallerIdentity: Sendable {
    private struct Facts: Equatable, Sendable {
        let user: UInt32
        let process: Int32
        let program: String
        let provenance: Provenance
        let isAnchored: Bool
        let groups: [String]
        let mayInspectAllGroups, mayAskForOthers, mayManageUnits: Bool

        /// Names are compared by their bytes.
        static func == (one: Facts, other: Facts) -> Bool {
            one.user == other.user && one.process == other.process && one.isAnchored == other.isAnchored
                && one.mayInspectAllGroups == other.mayInspectAllGroups && one.mayAskForOthers == other.mayAskForOthers
                && one.mayManageUnits == other.mayManageUnits && one.provenance == other.provenance
                && one.program.hasBytes(of: other.program)
                && one.groups.elementsEqual(other.groups) { $0.hasBytes(of: $1) }
        }
    }

    private final class Box: Sendable {
        let facts: Facts
        init(_ facts: Facts) { self.facts = facts }
    }

    private let box: Box
    /// The user the process runs as.
    package var user: UInt32 { box.facts.user }
    package var process: Int32 { box.facts.process }
    /// The program's name for a person, in prompts and logs.
    package var program: String { box.facts.program }
    /// The source of its groups.
    package var provenance: Provenance { box.facts.provenance }
    /// Its kernel keeps the user's other programs out of its memory: it was installed by root with our marker group,
    /// and the process had that group when it connected.
    package var isAnchored: Bool { box.facts.isAnchored }
    /// The groups the program may use; the first is where its items go by default (rule access-groups.default.first).
    package var groups: [String] { box.facts.groups }
    /// The inspecting command of this installation: it may list attributes of all groups, never values.
    package var mayInspectAllGroups: Bool { box.facts.mayInspectAllGroups }
    /// The desktop's bridge of this installation: it says for which program it has the user asked.
    package var mayAskForOthers: Bool { box.facts.mayAskForOthers }
    /// Root at the system's keychain: it may use the groups of all units, whose credentials it keeps.
    package var mayManageUnits: Bool { box.facts.mayManageUnits }

    package init(
        user: UInt32, process: Int32, program: String, provenance: Provenance = .unsigned, isAnchored: Bool = false,
        groups: [String], mayInspectAllGroups: Bool = false, mayAskForOthers: Bool = false,
        mayManageUnits: Bool = false
    ) {
        box = Box(
            Facts(
                user: user, process: process, program: program, provenance: provenance, isAnchored: isAnchored,
                groups: groups, mayInspectAllGroups: mayInspectAllGroups, mayAskForOthers: mayAskForOthers,
                mayManageUnits: mayManageUnits))
    }

    /// Any program of a user can run the inspecting command: what demands an anchored program is shown to that and to
    /// root.
    package var mayShowAnchored: Bool { isAnchored || user == 0 }

    /// The program as a person is shown it, in prompts: that nobody vouches for it is said, unless it is a program of
    /// this installation.
    package var title: String {
        provenance.isUnsigned && !mayInspectAllGroups && !mayAskForOthers ? "\(program) (unsigned)" : program
    }

    /// The group of a program that brings no entitlements: its own, named by its executable (rule
    /// access-groups.unsigned.path).
    package static func ownGroup(ofExecutable path: String) -> String { AccessGroup.unsignedPrefix + path }

    /// The group of a name that programs claim for themselves.
    package static func group(ofClaim name: String) -> String { AccessGroup.claimedPrefix + name }

    /// The executable whose own group this is; nil for every other group.
    package static func executable(ofOwnGroup group: String) -> String? {
        group.hasPrefix(AccessGroup.unsignedPrefix) ? String(group.dropFirst(AccessGroup.unsignedPrefix.count)) : nil
    }
}

extension CallerIdentity: Equatable {
    package static func == (one: CallerIdentity, other: CallerIdentity) -> Bool {
        one.box === other.box || one.box.facts == other.box.facts
    }
}

/// Whose word a program's access groups rest on.
package enum Provenance: Hashable, Sendable {
    /// Its own signature: the team's key vouches for identifier and groups.
    case signed(team: String, identifier: String)
    /// An entitlements file that root has installed for it.
    case installed(file: String)
    /// The sandbox that runs it: Flatpak or Snap.
    case sandboxed(SandboxKind, application: String)
    /// The service manager that runs it: a system unit of systemd.
    case unit(String)
    /// Nobody's: the group is made from the executable's path.
    case unsigned
    /// Nobody's: besides the group of its path it has that of a name which it claims itself.
    case claimed(String)
    /// Nobody's: it claims a name that opens nothing, and why.
    case misclaimed(why: String)

    /// Whether nobody vouches for the program.
    package var isUnsigned: Bool {
        switch self {
        case .signed, .installed, .sandboxed, .unit: false
        case .unsigned, .claimed, .misclaimed: true
        }
    }
}
