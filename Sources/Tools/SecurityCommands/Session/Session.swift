package import KeychainClient
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The surroundings of a command: the keychain, the three standard streams, and how much it is to say.
///
/// Nothing in this room reaches past its session, so that every command can be tested against streams and a keychain of
/// the test's own.
package final class Session {
    let input: Input
    package let output: Output
    package let diagnostics: Output
    /// Where the daemon listens.
    let socket: String
    /// Whether a person may be asked for a password.
    let mayAsk: Bool
    /// How often a long task says that it goes on.
    let progressInterval: Int
    package var isVerbose = false
    var isQuiet = false
    var isInteractive = false
    package var writesJSON = false
    /// Output is macOS's, byte for byte: no reasons, and passwords that are not ASCII in hexadecimal.
    var imitatesMacOS = false
    /// The layer of the command that runs.
    var layer = Command.Layer.people
    /// When output is coloured.
    var colour = ColourChoice.auto
    /// Commands are about the system's keychain in place of the user's.
    var isForSystem = false
    /// Whether this is the session of a command's own process.
    var isOfProcess = false
    /// Whether the settings have programs keep the keychain in themselves.
    let programsEmbed: Bool
    /// The user's store from before the system service; nil where that is not in use.
    let olderStore: (any OlderKeychain)?
    /// The administrator's policy.
    let policy: AdministratorPolicy
    /// A variable of the environment; nil when it is not set.
    package let environment: @Sendable (String) -> String?
    /// The present moment, in seconds since 2001.
    let now: @Sendable () -> Double
    private let openTerminal: () -> Terminal?
    private let connect, connectSystem: Connecting
    private let connectRunning: (_ isForSystem: Bool) throws(Refusal) -> (any KeychainConnection)?
    private let connectAs: (KeychainOwner) throws(Refusal) -> any KeychainConnection
    private var opened: (any KeychainConnection)?
    /// The user's named keychains; nil where there can be none.
    private(set) var named: NamedKeychains?
    /// The keychain that requests go to now.
    private(set) var place = ChosenKeychain.login
    /// Gives the moment by which a request must be answered; nil for as long as the settings say.
    private var limit: (() -> Deadline)?
    private var patience: Deadline? { limit?() }
    /// Ends a prompt on the terminal when it is readable; nil where nothing does.
    var interruption: FileDescriptor?
    /// Whether a keychain that does not open is named on standard error; not where a screen shows it.
    var namesUnopened = true
    /// Those that a search has left out because they do not open.
    var unopenedKeychains: Set<ChosenKeychain> = []
    private var openedByName: [NamedKeychain: any KeychainConnection] = [:]
    private let connectNamed: (NamedKeychains, NamedKeychain) throws(Refusal) -> any KeychainConnection
    /// Starts and ends keychains for one job.
    let jobs: JobKeychains

    /// Reaches a keychain, or says why it cannot be reached.
    package typealias Connecting = () throws(Refusal) -> any KeychainConnection

    /// - Parameters:
    ///   - socket: the path of the daemon's socket, to be shown.
    ///   - mayAsk: whether a person at the terminal may be asked for a password.
    ///   - programsEmbed: whether the settings have programs keep the keychain in themselves.
    ///   - olderStore: what the user stored before the system service came.
    ///   - policy: what the machine's administrator demands.
    ///   - progressInterval: milliseconds between signs of life of a long task.
    ///   - environment: gives the variables of the environment.
    ///   - now: gives the present moment, in seconds since 2001.
    ///   - terminal: opens the terminal of the person who gave the command, wherever the standard streams lead.
    ///   - connectSystem: reaches the system's keychain.
    ///   - connectAs: reaches the keychain of any owner in the system service, in that owner's name, for root.
    ///   - named: the user's named keychains.
    ///   - connectNamed: reaches one of them, starting its daemon where necessary.
    ///   - jobs: starts and ends keychains for one job.
    ///   - connectRunning: reaches the daemon of the user's or the system's keychain if one runs, and starts none.
    ///   - connect: reaches the keychain, starting its daemon where necessary; called at most once, and not at all by
    ///     commands that need no keychain.
    package init(
        input: FileDescriptor, output: FileDescriptor, diagnostics: FileDescriptor, socket: String,
        mayAsk: Bool = true, programsEmbed: Bool = false, olderStore: (any OlderKeychain)? = nil,
        policy: AdministratorPolicy = .none,
        progressInterval: Int = 1000,
        environment: @escaping @Sendable (String) -> String? = { _ in nil },
        now: @escaping @Sendable () -> Double = { Clock.secondsSinceReferenceDate },
        terminal: @escaping () -> Terminal? = { nil },
        connectSystem: @escaping Connecting = { () throws(Refusal) in throw .noSystemKeychain },
        connectAs: @escaping (KeychainOwner) throws(Refusal) -> any KeychainConnection = { _ throws(Refusal) in
            throw .noSystemKeychain
        },
        connectRunning: @escaping (_ isForSystem: Bool) throws(Refusal) -> (any KeychainConnection)? = {
            _ throws(Refusal) in nil
        },
        named: NamedKeychains? = nil,
        connectNamed: @escaping (NamedKeychains, NamedKeychain) throws(Refusal) -> any KeychainConnection = {
            keychains, keychain throws(Refusal) in try keychains.reach(keychain)
        },
        jobs: JobKeychains = .none,
        connect: @escaping Connecting
    ) {
        self.input = Input(input)
        self.output = Output(output)
        self.diagnostics = Output(diagnostics)
        self.socket = socket
        self.mayAsk = mayAsk
        self.progressInterval = progressInterval
        (self.environment, self.now) = (environment, now)
        imitatesMacOS = !["", "0"].contains(environment(CommandVariable.macOSCompatibility.rawValue) ?? "")
        openTerminal = terminal
        (self.programsEmbed, self.olderStore, self.policy) = (programsEmbed, olderStore, policy)
        (self.connect, self.connectSystem, self.connectAs) = (connect, connectSystem, connectAs)
        self.connectRunning = connectRunning
        (self.named, self.connectNamed, self.jobs) = (named, connectNamed, jobs)
    }

    /// The terminal of a person who may be asked for something that the command line does not say; nil for a script.
    var terminal: Terminal? {
        mayAsk && !isQuiet && !writesJSON && !imitatesMacOS && environment("GIT_TERMINAL_PROMPT") != "0"
            ? openTerminal() : nil
    }

    /// Asks the keychain something; `call` is what macOS's command names in the message of a refusal.
    private func ask<Result>(
        _ call: String, _ body: (any KeychainConnection) throws(Refusal) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(Refusal) { return try body(try connection()) } catch {
            throw .refused(call: call, error)
        }
    }

    /// Sends an item request and explains what the answer has to say besides its items.
    func send(_ request: ItemRequest, _ call: String) throws(CommandFailure) -> ItemResponse {
        let response = try ask(call) { connection throws(Refusal) in
            // Of a search for one item a page may be empty; of others the caller asks for the next.
            request.limit == .one
                ? try connection.sendAll(request, by: patience ?? .never)
                : try connection.send(request, by: patience ?? .never)
        }
        if let notice = response.notice { explain("\(notice.problem) \(notice.remedy)") }
        return response
    }

    /// Runs something whose requests are one thing to the user, who is asked once for all of them.
    ///
    /// - Parameter reason: what the prompt says of it; empty for nothing.
    func asOneThing(
        _ call: String, reason: String = "", _ body: () throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let opened: any KeychainConnection
        do throws(Refusal) { opened = try connection() } catch { throw .refused(call: call, error) }
        guard let asking = opened as? AskingConnection else { return try body() }
        try asking.inOneContext(reason: reason, body)
    }

    /// Sends a query and gives its whole answer.
    func sendAll(_ request: ItemRequest, _ call: String) throws(CommandFailure) -> ItemResponse {
        try ask(call) { connection throws(Refusal) in try connection.sendAll(request) }
    }

    /// Asks something of the device, with the passcodes the request needs.
    func device(
        _ request: DeviceRequest, _ call: String, passcodes: [FileDescriptor] = []
    ) throws(CommandFailure) -> DeviceReply {
        try ask(call) { connection throws(Refusal) in
            guard let patience else { return try connection.device(request, passcodes: passcodes) }
            return try connection.device(request, passcodes: passcodes, by: patience)
        }
    }

    /// Runs something in which each request is answered until a deadline.
    func asking<Result>(
        by deadline: Deadline, _ body: () throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        try asking({ deadline }, body)
    }

    /// Runs something in which each request has its own time.
    ///
    /// - Parameter milliseconds: nil for as long as the settings say.
    func asking<Result>(
        within milliseconds: Int?, _ body: () throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        try asking(milliseconds.map { time in { .after(milliseconds: time) } }, body)
    }

    private func asking<Result>(
        _ new: (() -> Deadline)?, _ body: () throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        let before = limit
        defer { limit = before }
        limit = new
        return try body()
    }

    /// Uses a key that only the enclave sees.
    func use(_ key: SealedKey, _ use: KeyUse, _ call: String) throws(CommandFailure) -> SecretBytes {
        let reply = try ask(call) { connection throws(Refusal) in try connection.key(.use(key, use)) }
        guard case .output(let output) = reply else { throw .refused(call: call, .malformed("the key's answer")) }
        return output
    }

    /// Asks for the state of the device.
    func status(_ call: String) throws(CommandFailure) -> DeviceStatus {
        guard case .status(let status) = try device(.status, call) else {
            throw .refused(call: call, .malformed("the device status"))
        }
        return status
    }

    /// Asks for the settings and the unlock slots.
    func details(_ call: String) throws(CommandFailure) -> DeviceDetails {
        guard case .details(let details) = try device(.details, call) else {
            throw .refused(call: call, .malformed("the device's details"))
        }
        return details
    }

    /// Asks who a program is, as the daemon sees it: this command, or a program file that comes along.
    func identity(
        _ request: DeviceRequest, _ call: String, files: [FileDescriptor] = []
    ) throws(CommandFailure) -> CallerReport {
        guard case .identity(let report) = try device(request, call, passcodes: files) else {
            throw .refused(call: call, .malformed("the caller's identity"))
        }
        return report
    }

    /// Makes a copy of the store and gives its path.
    func snapshot(_ call: String) throws(CommandFailure) -> String {
        try ask(call) { connection throws(Refusal) in try connection.snapshot() }
    }

    /// Walks all rows.
    ///
    /// - Parameter progress: called now and then with the rows looked at and all there are.
    func verification(
        _ call: String, progress: (_ checked: UInt64, _ total: UInt64) -> Void
    ) throws(CommandFailure) -> VerificationReport {
        try ask(call) { connection throws(Refusal) in try connection.verifyAll(progress: progress) }
    }

    /// The release of what answers; nil for one that is older than the question.
    func release(_ call: String) throws(CommandFailure) -> Release? {
        try ask(call) { connection throws(Refusal) in connection.release() }
    }

    /// The keychain if its daemon runs; nil otherwise.
    func running() throws(CommandFailure) -> (any KeychainConnection)? {
        do throws(Refusal) { return try connectRunning(isForSystem) } catch { throw .refused(call: "version", error) }
    }

    /// The keychain itself.
    ///
    /// - Throws: why it cannot be reached.
    package func connection() throws(Refusal) -> any KeychainConnection {
        if case .named(let keychain) = place, let connection = openedByName[keychain] { return connection }
        if let opened { return opened }
        let connection = try (isForSystem ? connectSystem : connect)()
        opened = connection
        return connection
    }

    /// Goes on with the keychain of one owner in the system service, in that owner's name.
    ///
    /// - Throws: why it cannot be reached.
    func turn(to owner: KeychainOwner, _ call: String) throws(CommandFailure) {
        do throws(Refusal) { opened = try connectAs(owner) } catch { throw .refused(call: call, error) }
    }

    /// Goes on with another keychain of the user's.
    ///
    /// - Throws: why it cannot be reached.
    func turn(to keychain: ChosenKeychain, _ call: String) throws(CommandFailure) {
        if case .unusable(let keychain) = keychain { throw .refused(call: call, keychain.refusal) }
        if case .named(let keychain) = keychain, let named, openedByName[keychain] == nil {
            do throws(Refusal) { openedByName[keychain] = try connectNamed(named, keychain) } catch {
                throw .refused(call: call, error)
            }
        }
        place = keychain
    }

    /// Goes on with a keychain that was started for one job, whose named keychains are its own.
    func turn(to keychain: any KeychainConnection, _ named: NamedKeychains) {
        (opened, self.named, place, openedByName) = (keychain, named, .login, [:])
    }
}

/// The lines for stderr.
extension Session {
    /// Whether to say what a person should know although nothing has failed.
    var explains: Bool { givesReasons && (isVerbose || diagnostics.isTerminal) }

    /// Whether a failure's line is followed by its reason and what to do: for logs of scripts too.
    private var givesReasons: Bool { !isQuiet && !writesJSON && !imitatesMacOS }

    /// Says something a person should know and a script need not.
    func explain(_ text: String) {
        if explains { complain(text) }
    }

    /// Says something on stderr, after everything that was printed before.
    package func complain(_ text: String) {
        output.flush()
        diagnostics.write("security: \(self.text(text).printable)\n")
    }

    /// Says what failed.
    private func complain(failure text: String) {
        output.flush()
        let line = ForeignText.lines("security: \(text.printable)")
        diagnostics.write(shown: styled(line, .failure, for: diagnostics))
    }

    /// Says in three lines that a command failed, why, and what to do; the first is macOS's.
    ///
    /// - Returns: the failure's status.
    @discardableResult
    package func report(_ failure: CommandFailure) -> Int32 {
        output.flush()
        if writesJSON {
            if let json = failure.json { diagnostics.write(json) }
        } else {
            if let message = failure.message { complain(failure: line(message)) }
            if givesReasons { explain(failure) }
        }
        return failure.status
    }

    private func explain(_ failure: CommandFailure) {
        var (cause, remedy) = failure.explanation
        if failure.isStatus(.itemNotFound), let older = olderStore, older.isThere, !isForSystem {
            cause += " A store from before the system service lies in \(older.folder)."
            remedy = "`security migrate-store` moves its items here, after a question."
        }
        giveReasons(cause, remedy)
    }

    /// Says why something failed and what to do, behind macOS's line; not where only that is wanted.
    func giveReasons(_ cause: String, _ remedy: String) {
        guard givesReasons else { return }
        if !cause.isEmpty { complain(language.reasonMark + text(cause)) }
        if !remedy.isEmpty { complain(language.stepMark + text(remedy)) }
    }

    func flush() {
        output.flush()
        diagnostics.flush()
    }

    /// Gets everything out, and fails if that is not possible: a script must not go on with half a secret.
    func finish(_ status: Int32) -> Int32 {
        output.flush()
        var status = status
        if let error = output.failure { status = max(1, report(CommandFailure("standard output", error))) }
        diagnostics.flush()
        return status
    }
}

extension Refusal {
    package static let noSystemKeychain = Refusal(
        .notAvailable, .unavailable, "system", "There is no system keychain here.",
        do: "Install the system service (docs/guides/system-service.md).")
}
