import Glibc
package import KeychainModel
package import KeychainPolicy
package import LinuxSystem

/// Finds out who is at the other end of a connection.
///
/// A program that is known is identified at once, by a few calls that cannot block; one that is not has its file read
/// first, which is for a thread that may wait.
package final class CallerIdentifier: Sendable {
    private let rules: IdentityRules
    /// Puts in the programs of the installation as they are now.
    private let refresh: @Sendable (inout IdentityRules) -> Void
    private let folders: EntitlementFolders
    private let signatures: SignatureReader
    private let homes: HomeFolders
    private let host: Host
    private let processes: KnownProcesses
    /// Takes a line about entitlements that were left out.
    private let log: @Sendable (String) -> Void
    private let logged = Lock<[String]>([])
    /// Devices that the table of mounts does not show, and whose files were seen where everybody sees them.
    private let subvolumes = Lock<Set<UInt64>>([])

    /// - Parameters:
    ///   - rules: what is known before anybody calls; entitlements come from the folders.
    ///   - accounts: what names the users' own folders (passwd(5)).
    ///   - refresh: puts in the programs of the installation as they are now. An upgrade replaces their files, and
    ///     restarts nothing.
    package init(
        _ rules: IdentityRules, folders: EntitlementFolders = EntitlementFolders(),
        signatures: SignatureReader = SignatureReader(), processes: KnownProcesses = KnownProcesses(),
        host: Host = .current(), accounts: String = AccountFile.path,
        refresh: @escaping @Sendable (inout IdentityRules) -> Void = { _ in },
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.refresh = refresh
        (self.rules, self.folders, self.signatures, self.host, self.log) = (rules, folders, signatures, host, log)
        (self.processes, homes) = (processes, HomeFolders(accounts: accounts))
    }

    /// The program at the other end of a connection, if it is known at once and need not be refused.
    package func recognize(_ peer: UnixSocket) -> IdentifiedCaller? {
        guard case .known(let caller)? = try? identify(peer) else { return nil }
        return caller
    }

    /// Identifies the program at the other end of a connection, or says what to do to find it out.
    ///
    /// - Throws: as ``IdentityRules/identify(_:)``.
    @Sendable package func identify(_ peer: UnixSocket) throws(Refusal) -> Identification {
        let numbers: PeerNumbers
        do throws(SystemError) { numbers = try PeerNumbers(of: peer) } catch { throw .unidentified(error) }
        try rules.check(user: numbers.user)
        if let caller = findKnown(numbers, madeAfter: peer.madeAfter) { return .known(caller) }
        let credentials: PeerCredentials
        do throws(SystemError) { credentials = try PeerCredentials(numbers, of: peer) } catch {
            throw .unidentified(error)
        }
        let subject = Subject(credentials)
        try checkUnit(subject)
        if let caller = try identifyAtOnce(subject) { return .known(caller) }
        return .slow(SlowIdentification { [self] () throws(Refusal) in try identifySlowly(subject) })
    }

    /// Reads the installed entitlements again, if they have to be. They are root's files: no user can hold this up.
    @discardableResult func readEntitlements() -> InstalledEntitlements {
        let installed = folders.read()
        reportProblems(of: installed)
        return installed
    }

    /// The processes that it identifies.
    var servedCallers: ServedCallers { rules.servedCallers }

    /// - Throws: as ``IdentityRules/check(user:)``.
    func check(user: UInt32) throws(Refusal) { try rules.check(user: user) }

    /// The identity of this very process, for an engine that it carries itself. May read its whole executable.
    ///
    /// - Throws: as ``IdentityRules/identify(_:)``.
    package func identifyThisProcess() throws(Refusal) -> CallerIdentity { try identifySlowly(Subject()).identity }

    /// The groups that a program file would be given, if a caller executed it. May read the whole file.
    ///
    /// - Parameter file: open for reading.
    /// - Throws: as ``IdentityRules/identify(_:)``; `errSecParam` for what is no file.
    package func examine(_ file: FileDescriptor, for caller: CallerIdentity) throws(Refusal) -> CallerIdentity {
        let (path, version, system) = try look(caller.process) { () throws(SystemError) in
            (
                try SymbolicLink.read("/proc/self/fd/\(file.number)"), try FileVersion(of: file),
                try FileSystem(of: file)
            )
        }
        guard version.status.isRegularFile else { throw .noProgram(path) }
        let outcome = Result { () throws(Refusal) in
            try signatures.read(file, version, isCommon: ExecutableName.leads(path, to: version.status))
        }
        let home = (try? outcome.get())?.claim.flatMap { _ in homes.find(caller.user, seenBy: onlooker(for: caller)) }
        let rules = current(folders.read())
        let marker = rules.anchorGroup.flatMap { group in
            rules.isMarked(version.status, with: group) && !system.ignoresSetID ? group : nil
        }
        // Zero is no marker: it stands for whatever group the user has.
        return try rules.identify(
            ExecutableOnDisk(
                user: caller.user, group: marker ?? 0, path: path, file: version.status, outcome: outcome,
                ownFolder: home))
    }

    /// The rules with what root has installed until now.
    private func current(_ installed: InstalledEntitlements) -> IdentityRules {
        var rules = rules
        rules.installed = installed
        refresh(&rules)
        return rules
    }

    private func onlooker(for caller: CallerIdentity) -> ProcessView {
        let view = ProcessView(caller.process)
        return (try? host.sharesNames(with: view)) ?? false
            ? host.onlooker(for: view) : ProcessView(CurrentProcess.identifier)
    }
}

// MARK: - How

extension CallerIdentifier {
    /// The process to identify: a peer, or this process.
    private struct Subject: Sendable {
        let user: UInt32
        let group: UInt32
        let view: ProcessView
        /// The peer; nil for this process.
        let peer: PeerCredentials?
        let realGroup: @Sendable () throws(SystemError) -> UInt32

        var isAlive: Bool { peer?.isAlive ?? true }

        init(_ peer: PeerCredentials) {
            (user, group, view) = (peer.user, peer.group, ProcessView(peer.process))
            self.peer = peer
            realGroup = { () throws(SystemError) in try peer.realGroup() }
        }

        init() {
            (user, group) = (CurrentProcess.user, CurrentProcess.group)
            view = ProcessView(CurrentProcess.identifier)
            peer = nil
            realGroup = { CurrentProcess.realGroup }
        }
    }

    /// In the system's keychain, the identifier reads no file of a program that can be refused without it. Any process
    /// with a user number may connect there, and it chooses the file system that its file lies on.
    private func checkUnit(_ subject: Subject) throws(Refusal) {
        guard rules.servedCallers == .system, subject.user != 0 else { return }
        let process = subject.view.identifier
        if SystemUnit.name(of: process, as: subject.user, on: host) != nil { return }
        throw .noUnit((try? SymbolicLink.read("/proc/\(process)/exe")) ?? "process \(process)")
    }

    /// Nil when something has to be read first that could take long, or looked at on a file system that may not answer.
    private func identifyAtOnce(_ subject: Subject) throws(Refusal) -> IdentifiedCaller? {
        guard let installed = folders.known else { return nil }
        let (path, version) = try look(subject.view.identifier) { () throws(SystemError) in
            try subject.view.executable(asKnown: true)
        }
        guard let outcome = signatures.known(version), isServedBySystem(version) else { return nil }
        // The process says where a script's name leads.
        guard installed.scripts[ExactText(path)] == nil else { return nil }
        let mark = try? outcome.get()
        let isSigned = if case .failure = outcome { true } else { mark?.signature != nil }
        // A look at a file system that the caller itself has made could make this thread wait for the caller.
        guard isSigned ? true : try sharesNames(subject) else { return nil }
        // So could the files that an anchored program has loaded.
        if let group = rules.anchorGroup, rules.isMarked(version.status, with: group) { return nil }
        // So could the user's home.
        let home = mark?.claim == nil ? nil : homes.known(subject.user)
        if mark?.claim != nil, home == nil { return nil }
        return try decide(subject, path, version, outcome, installed, sharesNames: true, home)
    }

    private func identifySlowly(_ subject: Subject) throws(Refusal) -> IdentifiedCaller {
        let installed = readEntitlements()
        let sharesNames = try sharesNames(subject)
        let (path, version) = try look(subject.view.identifier) { () throws(SystemError) in
            try subject.view.executable()
        }
        let outcome = try readSignature(subject, version, isCommon: sharesNames)
        if sharesNames { noteSubvolume(version, path) }
        let needsHome = sharesNames && (try? outcome.get())?.claim != nil
        let home = needsHome ? homes.find(subject.user, seenBy: host.onlooker(for: subject.view)) : nil
        return try decide(subject, path, version, outcome, installed, sharesNames: sharesNames, home)
    }

    private func readSignature(
        _ subject: Subject, _ version: FileVersion, isCommon: Bool
    ) throws(Refusal) -> SignatureCache.Outcome {
        let file: FileDescriptor
        do throws(SystemError) { file = try subject.view.openExecutable() } catch {
            // The process may be looked at, but its file is closed to the daemon's user: without it, no signature is
            // known.
            if error.isDenial { return .success(nil) }
            throw .unidentified(error, process: subject.view.identifier)
        }
        return Result { () throws(Refusal) in try signatures.read(file, version, isCommon: isCommon) }
    }

    private func decide(
        _ subject: Subject, _ path: String, _ version: FileVersion, _ outcome: SignatureCache.Outcome,
        _ installed: InstalledEntitlements, sharesNames: Bool, _ home: String?
    ) throws(Refusal) -> IdentifiedCaller {
        let rules = current(installed)
        let caller = try rules.identify(
            LiveProcess(
                user: subject.user, group: subject.group, process: subject.view.identifier, path: path,
                version: version, sharesNames: sharesNames, host: host, outcome: outcome,
                ownFolder: home, readRealGroup: subject.realGroup))
        let execution = caller.isAnchored ? try execution(of: subject, path, version) : nil
        let entry = subject.peer.flatMap { newEntry($0, caller, path, version, try? outcome.get(), installed) }
        // All that was read, and opened, is the peer's own if it still lives: only then is the number its own.
        guard subject.isAlive else {
            throw .unidentified(SystemError(code: ESRCH, call: "read", advice: "the peer has ended"))
        }
        if let entry { processes.note(entry) }
        return IdentifiedCaller(
            caller, process: IdentifiedProcess(subject.peer, version, execution, isKnown: entry != nil))
    }

    /// The file that an anchored process executes. It is the same file from before this question until now, and only
    /// root has put anything into it.
    private func execution(
        of subject: Subject, _ path: String, _ version: FileVersion
    ) throws(Refusal) -> IdentifiedProcess.Execution {
        let process = subject.view.identifier
        let execution = try look(process) { () throws(SystemError) in
            IdentifiedProcess.Execution(
                program: try ExecutingProcess(process, version), image: try ProcessImage(of: process))
        }
        // The files that this program has loaded itself, for an engine that it carries, are its own affair.
        if subject.peer != nil { try LoadedCode().check(execution.image, of: process, path) }
        guard execution.program.isUnchanged, execution.image.isExecuted else {
            throw .unidentified(SystemError(code: ESRCH, call: "read", advice: "it has executed another program"))
        }
        return execution
    }

    private func sharesNames(_ subject: Subject) throws(Refusal) -> Bool {
        try look(subject.view.identifier) { () throws(SystemError) in try host.sharesNames(with: subject.view) }
    }

    private func look<Answer>(
        _ process: Int32, _ body: () throws(SystemError) -> Answer
    ) throws(Refusal) -> Answer {
        do throws(SystemError) { return try body() } catch { throw .unidentified(error, process: process) }
    }

    /// Says once what is wrong with the installed entitlements.
    private func reportProblems(of installed: InstalledEntitlements) {
        let isNew = logged.withLock { logged in
            defer { logged = installed.problems }
            return logged != installed.problems
        }
        if isNew { for problem in installed.problems { log(problem) } }
    }
}

// MARK: - Processes that are known

extension CallerIdentifier {
    /// The identity of a process that was identified lately, if all that it rests on is as it was.
    private func findKnown(_ numbers: PeerNumbers, madeAfter: UInt64?) -> IdentifiedCaller? {
        guard let entry = processes.find(numbers, madeAfter: madeAfter), folders.reading == entry.reading else {
            return nil
        }
        if let mark = entry.mark {
            guard case .success(mark)? = signatures.known(entry.program.version) else { return nil }
        }
        return IdentifiedCaller(entry.caller, process: entry.process)
    }

    /// Whether a look at a file ends: it lies in a file system that root has mounted and the system serves. A file
    /// system that the table does not have by its number, such as a subvolume of Btrfs, is found there by name; only a
    /// thread that may wait does so.
    private func isServedBySystem(_ version: FileVersion) -> Bool {
        switch signatures.server(of: version) {
        case .system: true
        case .user: false
        case nil: subvolumes.withLock { $0.contains(version.status.device) }
        }
    }

    private func noteSubvolume(_ version: FileVersion, _ path: String) {
        guard signatures.server(of: version) == nil, ExecutableName.leads(path, to: version.status) else { return }
        subvolumes.withLock { known in
            // More than a machine has.
            if known.count < 1024 { known.insert(version.status.device) }
        }
    }

    /// The facts to keep about a process. Nil where the process has not been here before, or its identity rests on more
    /// than the file it executes.
    ///
    /// Five kinds of process are not kept. A process can change its sandbox, its unit and its script without executing
    /// another file. The real group of an anchored process could change. A file with several names may be meant by
    /// another name next time. A file that was changed just now may not show its next change. On a file system that a
    /// user may serve, the look at the next connection could wait for ever.
    private func newEntry(
        _ peer: PeerCredentials, _ caller: CallerIdentity, _ path: String, _ version: FileVersion,
        _ mark: ProgramMark?, _ installed: InstalledEntitlements
    ) -> KnownProcesses.Entry? {
        guard peer.isKernelsWord, version.isSettled(tick: processes.tick), !caller.isAnchored,
            isServedBySystem(version)
        else { return nil }
        switch caller.provenance {
        case .signed: break
        case .installed, .unsigned, .claimed, .misclaimed:
            guard version.status.links == 1, installed.scripts[ExactText(path)] == nil else { return nil }
        case .sandboxed, .unit: return nil
        }
        guard processes.comesAgain(peer.process), let program = try? ExecutingProcess(peer.process, version) else {
            return nil
        }
        // It is asked afterwards whether it still lives, and did so now.
        return KnownProcesses.Entry(
            caller, process: IdentifiedProcess(peer, version, isKnown: true), numbers: peer.numbers, program: program,
            mark: mark, reading: installed.reading, noted: Clock.monotonicNanoseconds)
    }
}

extension Refusal {
    fileprivate static func noProgram(_ path: String) -> Refusal {
        Refusal(.param, .unidentifiedCaller, path, "\(path) is no program file.", do: "Name an executable file.")
    }
}
