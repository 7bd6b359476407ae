import CodeSignature
import EnclaveWire
package import KeychainModel
import KeychainPolicy
package import KeychainStore
import KeychainWire
import LinuxSystem

/// Requests about access: decisions, explanations, and the life of groups.
extension KeychainEngine {
    /// Answers an access request.
    ///
    /// - Parameter passcode: what the user typed, where the request brought it; the enclave reads it.
    func access(
        _ request: AccessRequest, _ passcode: FileDescriptor?, from caller: CallerIdentity, by deadline: Deadline
    ) throws(Refusal) -> AccessReply {
        switch request {
        case .decisions(let number): return .decisions(decisions.page(after: number, for: caller))
        case .why(let program, let query):
            return .explanation(try explain(query, for: program, to: caller, by: deadline))
        case .whyFile(let program, let file): return .fileExplanation(try explain(file, for: program, to: caller))
        case .move(let move):
            guard move.from != move.to else { throw .sameGroup }
            if move.isRename { for group in [move.from, move.to] { try AccessPolicy.checkLife(of: group) } }
            try require(move.from, move.to, move.statement, caller, passcode)
            return .moved(
                try change { (writer) throws(Refusal) in
                    try MoveItems(move: move, writer: writer, deadline: deadline).run()
                })
        case .orphans: return .orphans(try orphans(for: caller))
        case .setPolicy(let policy, let group):
            try set(policy, of: group, caller, passcode)
            return .done
        case .work(let work): return .worked(try carryOut(work, passcode, from: caller, by: deadline))
        case .keepRows(let rows):
            try keep(rows, for: caller)
            return .done
        case .row(let number): return .row(try row(number, for: caller))
        case .others: return .others(try othersHaveItems(than: caller))
        case .use: return .used(try isUsed(caller))
        case .changes(let number): return .changes(try changes(after: number, for: caller))
        case .gather: return .moved(try gather(for: caller, by: deadline))
        case .uninstalled(let programs):
            try AccessPolicy.requireUninstaller(caller)
            return .purged(
                try changeGroups { (writer) throws(Refusal) in
                    try PurgePrograms(programs: programs, writer: writer).run()
                })
        }
    }

    /// Runs something that may be refused with the writing connection, while nobody else writes.
    func change<Result>(_ body: (ItemWriter) throws(Refusal) -> Result) throws(Refusal) -> Result {
        let outcome = exclusively { writer -> Swift.Result<Result, Refusal> in
            do throws(Refusal) { return .success(try body(writer)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// As ``change(_:)``, for synchronisation: with the writing connection alone.
    package func withStoreWriter<Result>(
        _ body: (StoreWriter) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        try change { (writer) throws(Refusal) in try body(writer.store) }
    }

    /// As ``change(_:)``, after what was seen of programs is written down.
    private func changeGroups<Result>(_ body: (ItemWriter) throws(Refusal) -> Result) throws(Refusal) -> Result {
        try change { (writer) throws(Refusal) in
            try GroupRecords(writer: writer).write(activity.take())
            return try body(writer)
        }
    }

    // MARK: - Whose groups they are

    private func require(
        _ from: String, _ to: String, _ statement: [UInt8], _ caller: CallerIdentity, _ passcode: FileDescriptor?
    ) throws(Refusal) {
        var situation = GroupSituation(
            passcodeIsSet: try enclave.status().passcodeIsSet, daemonUser: CurrentProcess.user)
        if !statement.isEmpty { situation.isHandedOver = try isHandedOver(from, to, by: statement) }
        switch try AccessPolicy.authority(overItemsOf: from, goingTo: to, for: caller, in: situation) {
        case .granted: break
        case .passcode:
            guard let passcode else { throw .passcodeWanted }
            try enclave.unlock(passcode: passcode)
        }
    }

    /// Whether the team of a group has handed it over to another group.
    ///
    /// - Throws: the refusal of a statement that does not hold; `errSecMissingEntitlement` for one about other groups.
    private func isHandedOver(_ from: String, _ to: String, by statement: [UInt8]) throws(Refusal) -> Bool {
        guard case .handover(let stated, let target) = try TeamStatement(verifying: statement).content,
            stated.hasBytes(of: from), target.hasBytes(of: to)
        else { throw .otherStatement(from, to) }
        return true
    }

    private func set(
        _ policy: GroupPolicy, of group: String, _ caller: CallerIdentity, _ passcode: FileDescriptor?
    ) throws(Refusal) {
        try AccessPolicy.checkLife(of: group)
        try require(group, group, [], caller, passcode)
        try changeGroups { (writer) throws(Refusal) in
            try SetGroupPolicy(policy: policy, group: group, writer: writer).run()
        }
    }

    private func orphans(for caller: CallerIdentity) throws(Refusal) -> [OrphanGroup] {
        let groups = try changeGroups { (writer) throws(Refusal) in try GroupRecords(writer: writer).groupsWithItems() }
        let visible = groups.filter {
            $0.record.isWithoutPrograms && (caller.seesEverything || caller.groups.containsExactly($0.record.name))
        }
        return visible.map { record, items in
            OrphanGroup(
                group: record.name, policy: record.policy, items: items,
                lastSeen: record.programs.map(\.seen).max() ?? 0, programs: record.possiblePrograms)
        }
    }

    /// Whether there are items of groups that the caller does not have; the digests of groups are readable while the
    /// keychain is locked. Files that shelves protect may be anybody's.
    private func othersHaveItems(than caller: CallerIdentity) throws(Refusal) -> Bool {
        try AccessPolicy.requireInspector(caller)
        return try change { (writer) throws(Refusal) in
            var own: Set<[UInt8]> = []
            for group in caller.groups { own.insert(try writer.store.digester.group(group).bytes) }
            var found = try writer.store.hasShelves()
            for itemClass in ItemClass.stored {
                try writer.store.countItemsOfGroups(in: itemClass) { group, _ in
                    found = found || !own.contains(group)
                }
            }
            return found
        }
    }

    /// Whether anything was ever stored, for a command that would erase the store otherwise.
    private func isUsed(_ caller: CallerIdentity) throws(Refusal) -> Bool {
        try AccessPolicy.requireInspector(caller)
        return try change { (writer) throws(Refusal) in try writer.store.isUsed() }
    }

    /// Gives the bridge to the desktop what bridges of other folders have stored, which had the groups of their paths.
    ///
    /// - Throws: `errSecInteractionNotAllowed` while there may be such items, and their class is closed.
    private func gather(for caller: CallerIdentity, by deadline: Deadline) throws(Refusal) -> MoveReport {
        let target = AccessGroup.secretService
        try AccessPolicy.requireEntitled(caller, to: target)
        return try changeGroups { (writer) throws(Refusal) in
            let records = GroupRecords(writer: writer)
            let groups = try records.groupsWithItems()
            if try records.hasClosedGroups(besides: groups) { throw .locked(.afterFirstUnlock) }
            var report = MoveReport()
            for group in groups.map({ $0.record.name }) where AccessGroup.isOfBridgesPath(group) {
                let move = GroupMove(from: group, to: target, itemClass: LookupAttributes.itemClass)
                let one = try MoveItems(move: move, writer: writer, deadline: deadline, leavesTwins: true).run()
                (report.moved, report.damaged) = (report.moved + one.moved, report.damaged + one.damaged)
            }
            return report
        }
    }

    /// The changes since a number. Those of other processes that share the store are not known here.
    private func changes(after number: UInt64, for caller: CallerIdentity) throws(Refusal) -> ChangePage {
        try AccessPolicy.requireInspector(caller)
        // To begin may wait for a writer; to go on does not.
        if number == .max, !store.changeLog.isKept {
            try change { (writer) throws(Refusal) in try writer.store.watchChanges() }
        }
        var page = store.changeLog.page(after: number)
        if store.isShared { page.state = .shared }
        return page
    }

    // MARK: - Explanations

    private func explain(
        _ query: [UInt8], for program: String, to caller: CallerIdentity, by deadline: Deadline
    ) throws(Refusal) -> Explanation {
        let subject = try subject(program, caller)
        let request = try ItemRequest(decoding: SecretBytes(copying: query.span))
        return try Explainer(makeItemReader(past: nil), subject, for: caller, by: deadline) {
            (group) throws(Refusal) in
            try self.changeGroups { (writer) throws(Refusal) in try GroupRecords(writer: writer).hasPrograms(group) }
        }.explain(request)
    }

    private func explain(
        _ file: FileToExplain, for program: String, to caller: CallerIdentity
    ) throws(Refusal) -> FileExplanation {
        try FileExplainer(engine: self, subject: try subject(program, caller), viewer: caller).explain(file)
    }

    /// The program that an explanation is about: the caller, unless another one is named.
    private func subject(_ program: String, _ caller: CallerIdentity) throws(Refusal) -> CallerIdentity {
        guard !program.isEmpty, program != caller.program else { return caller }
        try AccessPolicy.requireInspector(caller)
        return identity(ofProgram: program, for: caller)
    }

    /// The identity that a program had when it was here last. A program that was not here counts as unsigned.
    private func identity(ofProgram program: String, for viewer: CallerIdentity) -> CallerIdentity {
        decisions.identity(ofProgram: program, for: viewer)
            ?? CallerIdentity(
                user: viewer.user, process: 0, program: program,
                groups: [CallerIdentity.ownGroup(ofExecutable: program)])
    }
}

extension Refusal {
    fileprivate static func otherStatement(_ from: String, _ to: String) -> Refusal {
        Refusal(
            .missingEntitlement, .foreignGroups, from,
            "The statement does not hand the group \"\(from)\" over to \"\(to)\".",
            do: "Have the team that owns the group sign one for these two (security codesign; docs/guides/signing.md).")
    }

    fileprivate static let sameGroup = Refusal(
        .param, .contradiction, "agrp", "Both groups are the same.", do: "Name the group that the items are to go to.")

    static let passcodeWanted = Refusal(
        .authFailed, .wrongPasscode, "password", "This takes the keychain's password.",
        do: "Give it: `security` asks for it.")
}
