package import KeychainModel
package import KeychainPolicy
package import LinuxSystem

/// Whom a daemon serves.
package enum Clientele: Hashable, Sendable {
    /// The programs of one user.
    case user(UInt32)
    /// The machine itself: root, and units of the system's service manager.
    case system
}

/// Decides who a caller is: a pure function of what is known about it.
///
/// The first source that speaks gives the groups: the program's signature, entitlements that root has installed, the sandbox,
/// the service manager; a program that none of them knows has the group of its path.
package struct IdentityRules: Sendable {
    package var clientele: Clientele
    /// The group that the kernel gives to anchored programs; nil where there is none.
    package var anchorGroup: UInt32?
    /// The file of the one program that may list the items of all groups.
    package var inspector: FileStatus?
    package var installed: InstalledEntitlements
    /// Who owns what was installed: root, but for tests.
    package var installer: UInt32

    package init(
        _ clientele: Clientele, anchorGroup: UInt32? = nil, inspector: FileStatus? = nil,
        installed: InstalledEntitlements = InstalledEntitlements(), installer: UInt32 = 0
    ) {
        (self.clientele, self.anchorGroup, self.inspector) = (clientele, anchorGroup, inspector)
        (self.installed, self.installer) = (installed, installer)
    }

    /// - Throws: `errSecMissingEntitlement` when the caller is none of those served, is not what it claims to be, or lacks the
    ///   anchor that its groups ask for; `errSecNotAvailable` when it cannot be looked at.
    package func identify(_ facts: some ProcessFacts) throws(Refusal) -> CallerIdentity {
        try check(user: facts.user)
        let isAnchored = try isAnchored(facts)
        let claim = try claim(of: facts)
        try check(claim, of: facts.user)
        guard isAnchored || !claim.granted.requiresAnchor else { throw .notAnchored(facts.path) }
        return CallerIdentity(
            user: facts.user, process: facts.process, program: claim.program, provenance: claim.provenance,
            isAnchored: isAnchored, groups: claim.granted.groups,
            mayInspectAllGroups: inspector.map(facts.file.isSameFile) ?? false,
            mayManageUnits: clientele == .system && facts.user == 0)
    }

    /// Refuses who cannot be among those served, before anything else is found out.
    ///
    /// - Throws: `errSecMissingEntitlement`.
    package func check(user: UInt32) throws(Refusal) {
        if case .user(let owner) = clientele, owner != user { throw .foreignUser(user, owner) }
    }

    private func check(_ claim: Claim, of user: UInt32) throws(Refusal) {
        guard clientele == .system, user != 0 else { return }
        if case .unit = claim.provenance { return }
        throw .noUnit(claim.program)
    }

    /// What one source says of a program.
    private struct Claim {
        let program: String
        let provenance: Provenance
        let granted: GrantedGroups
    }

    private func claim(of facts: some ProcessFacts) throws(Refusal) -> Claim {
        if let signature = try facts.signature() {
            // Its name may be anything: it is the content that is signed.
            return Claim(
                program: signature.identifier,
                provenance: .signed(team: signature.team, identifier: signature.identifier), granted: signature.granted)
        }
        if let claim = try installed(facts) { return claim }
        if let application = try facts.sandbox() {
            return Claim(
                program: application.identifier,
                provenance: .sandboxed(application.sandbox, application: application.identifier),
                granted: GrantedGroups([application.group]))
        }
        if let unit = facts.unit() {
            return Claim(
                program: unit, provenance: .unit(unit), granted: GrantedGroups([AccessGroup.unitPrefix + unit]))
        }
        guard try facts.hasTrueName() else { throw .forgedName(facts.path) }
        return Claim(
            program: facts.path, provenance: .unsigned,
            granted: GrantedGroups([CallerIdentity.ownGroup(ofExecutable: facts.path)]))
    }

    private func installed(_ facts: some ProcessFacts) throws(Refusal) -> Claim? {
        let (program, scripts) = (installed.programs[facts.path], installed.scripts[facts.path] ?? [])
        guard program != nil || !scripts.isEmpty, isInstalled(facts.file), try facts.hasTrueName() else { return nil }
        if let script = scripts.first(where: { facts.runs($0) }) {
            return Claim(
                program: script.path, provenance: .installed(file: script.file), granted: script.granted)
        }
        guard let program else { return nil }
        return Claim(
            program: facts.path, provenance: .installed(file: program.file), granted: program.granted)
    }

    private func isInstalled(_ file: FileStatus) -> Bool {
        file.isRegularFile && file.owner == installer && !file.isWritableByOthers
    }
}

// MARK: - Anchors

extension IdentityRules {
    /// Whether the kernel keeps the user's other programs out of the caller.
    ///
    /// It gives the marker group to whoever executes a file that is marked with it, and then refuses to preload and to trace.
    /// That it did is seen from the group the caller had when it connected. Who has the group as his own real one, too, gains
    /// nothing by executing the file, and nothing is refused to those who trace him.
    private func isAnchored(_ facts: some ProcessFacts) throws(Refusal) -> Bool {
        guard let marker = anchorGroup, isMarked(facts.file, with: marker) else { return false }
        guard facts.group == marker else { throw .withoutMarker(facts.path) }
        guard try facts.realGroup() != marker else { throw .markerInherited(facts.path) }
        return true
    }

    /// Whether a file was made an anchored program by root.
    package func isMarked(_ file: FileStatus, with marker: UInt32) -> Bool {
        isInstalled(file) && file.group == marker && file.setsGroup
    }
}
