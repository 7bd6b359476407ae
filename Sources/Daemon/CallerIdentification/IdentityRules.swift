package import KeychainModel
package import KeychainPolicy
package import LinuxSystem
import Sandboxes

/// The users that a daemon serves.
package enum ServedCallers: Hashable, Sendable {
    /// The programs of one user.
    case user(UInt32)
    /// The machine itself: root, and units of the system's service manager.
    case system
}

/// Decides who a caller is: a pure function of what is known about it.
///
/// The first source that speaks gives the groups: the program's signature, entitlements that root has installed, the
/// sandbox, the service manager; a program that none of them knows has the group of its path, and before it that of a
/// name which it claims.
package struct IdentityRules: Sendable {
    package var servedCallers: ServedCallers
    /// The group that the kernel gives to anchored programs; nil where there is none.
    package var anchorGroup: UInt32?
    /// The file of the one program that may list the items of all groups.
    package var inspector: FileStatus?
    /// The file of the one program that has the user asked for others.
    package var prompter: FileStatus?
    package var installed: InstalledEntitlements
    /// The bridge to the desktop (``AccessGroup/secretService``).
    package var bridge: KnownBridge
    /// The owner of everything installed: root, but for tests.
    package var installer: UInt32

    package init(
        _ servedCallers: ServedCallers, anchorGroup: UInt32? = nil,
        installed: InstalledEntitlements = InstalledEntitlements(), installer: UInt32 = 0,
        bridge: KnownBridge = .unknown
    ) {
        (self.servedCallers, self.anchorGroup, self.bridge) = (servedCallers, anchorGroup, bridge)
        (self.installed, self.installer) = (installed, installer)
    }

    /// - Throws: `errSecMissingEntitlement` when the caller is none of those served, is not what it claims to be, or
    ///   lacks the anchor that its groups ask for; `errSecNotAvailable` when it cannot be looked at.
    package func identify(_ facts: some ProcessFacts) throws(Refusal) -> CallerIdentity {
        try check(user: facts.user)
        let isAnchored = try isAnchored(facts)
        let word = try word(for: facts, isAnchored: isAnchored)
        try check(word, of: facts.user)
        guard isAnchored || !word.granted.requiresAnchor else { throw .notAnchored(facts.path) }
        return CallerIdentity(
            user: facts.user, process: facts.process, program: word.program, provenance: word.provenance,
            isAnchored: isAnchored, groups: word.granted.groups,
            mayInspectAllGroups: inspector.map(facts.file.isSameFile) ?? false,
            mayAskForOthers: prompter.map(facts.file.isSameFile) ?? false,
            mayManageUnits: servedCallers == .system && facts.user == 0)
    }

    /// Refuses who cannot be among those served, before anything else is found out.
    ///
    /// - Throws: `errSecMissingEntitlement`.
    package func check(user: UInt32) throws(Refusal) {
        if case .user(let owner) = servedCallers, owner != user { throw .foreignUser(user, owner) }
    }

    private func check(_ word: Word, of user: UInt32) throws(Refusal) {
        guard servedCallers == .system, user != 0 else { return }
        if case .unit = word.provenance { return }
        throw .noUnit(word.program)
    }

    /// The facts about a program from one source.
    private struct Word {
        let program: String
        var provenance: Provenance
        var granted: GrantedGroups
    }

    private func word(for facts: some ProcessFacts, isAnchored: Bool) throws(Refusal) -> Word {
        if let signature = try facts.signature() {
            // Its name may be anything: it is the content that is signed.
            return Word(
                program: signature.identifier,
                provenance: .signed(team: signature.team, identifier: signature.identifier), granted: signature.granted)
        }
        if let word = try installed(facts) { return word }
        if let application = try facts.sandbox() {
            return Word(
                program: application.identifier,
                provenance: .sandboxed(application.sandbox, application: application.identifier),
                granted: GrantedGroups([application.group]))
        }
        if let unit = facts.unit() {
            return Word(
                program: unit, provenance: .unit(unit), granted: GrantedGroups([AccessGroup.unitPrefix + unit]))
        }
        guard try facts.hasTrueName() else { throw .forgedName(facts.path) }
        return try ownWord(of: facts, isAnchored: isAnchored)
    }

    /// The word of a program that nobody vouches for: its path, and its claim.
    private func ownWord(of facts: some ProcessFacts, isAnchored: Bool) throws(Refusal) -> Word {
        var word = Word(
            program: facts.path, provenance: .unsigned,
            granted: GrantedGroups([CallerIdentity.ownGroup(ofExecutable: facts.path)]))
        if isBridge(facts) {
            word.granted = GrantedGroups([AccessGroup.secretService] + word.granted.groups)
            return word
        }
        guard let claim = try facts.claim() else { return word }
        word.provenance = provenance(of: claim, facts, isAnchored: isAnchored)
        guard case .claimed(let name) = word.provenance else { return word }
        word.granted = GrantedGroups([CallerIdentity.group(ofClaim: name)] + word.granted.groups)
        return word
    }

    private func installed(_ facts: some ProcessFacts) throws(Refusal) -> Word? {
        let path = ExactText(facts.path)
        let (program, scripts) = (installed.programs[path], installed.scripts[path] ?? [])
        guard program != nil || !scripts.isEmpty, isInstalled(facts.file), try facts.hasTrueName() else { return nil }
        if let script = scripts.first(where: { facts.runs($0) }) {
            return Word(
                program: script.path, provenance: .installed(file: script.file), granted: script.granted)
        }
        guard let program else { return nil }
        return Word(
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
    /// The kernel gives the marker group to any process that executes a file marked with it, and then refuses to
    /// preload and to trace. The group that the caller had when it connected shows that the kernel did so. Users who
    /// have the group as their own real one gain nothing by executing the file, and nothing is refused to those who
    /// trace them.
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

extension IdentityRules {
    /// The groups that only an anchored program has. One is made of the path of a file that is marked, since a process
    /// of it that the kernel has not anchored is refused. The others are those that root gives on that condition.
    package func anchoredGroups(_ folders: EntitlementFolders) -> AnchoredGroups {
        guard let marker = anchorGroup else { return .none }
        return AnchoredGroups { [self] group in
            if let path = CallerIdentity.executable(ofOwnGroup: group) {
                // A path that is absent or not visible is no program that could have a mark.
                return (try? FileStatus(at: path)).map { isMarked($0, with: marker) } ?? false
            }
            let programs = folders.read().programs.values.filter { $0.granted.groups.containsExactly(group) }
            return !programs.isEmpty && programs.allSatisfy(\.granted.requiresAnchor)
        }
    }
}
