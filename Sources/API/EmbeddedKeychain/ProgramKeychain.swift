package import KeychainClient
package import KeychainModel
import KeychainStore
package import KeychainWire
package import LinuxSystem

/// The keychain of a program without a daemon of its own: inside the program, until its store has a passcode and a
/// daemon that serves the same store.
///
/// A passcode is shown to one enclave, which is then unlocked. `security unlock-keychain` shows it to a daemon's; a
/// program's own would stay as it is. So the program asks the daemon then, and is as unlocked or locked as that is.
/// A daemon that serves when the program begins is asked too. Where the daemon has ended, the program goes on by
/// itself, locked.
package final class ProgramKeychain: KeychainConnection {
    private struct State {
        var keychain: any KeychainConnection
        /// Whether that is the one inside the program.
        var isOwn = true
        /// The vault as it was when it was last asked whether there is a passcode.
        var seen: FileStatus?
        var hasPasscode = false
        /// The file of the daemons as it was when the own keychain was last as they left it; nil where that is not
        /// known.
        var link: ProcessLock.Content?
    }

    /// Opens the keychain in this process, and waits so many milliseconds for one that owns its store.
    package typealias EmbeddingInTime = @Sendable (_ patience: Int) throws(Refusal) -> any KeychainConnection

    private let configuration: Configuration
    private let embed: EmbeddingInTime
    private let state: ProcessLocal<State>

    /// Opens the keychain in this process. A daemon that has begun at the same moment, and has the store, is asked
    /// instead.
    ///
    /// - Parameter daemon: a daemon of the store to ask until it ends.
    /// - Throws: as `embed`.
    package init(
        _ configuration: Configuration, _ daemon: Connection? = nil, embed: @escaping EmbeddingInTime
    ) throws(Refusal) {
        (self.configuration, self.embed) = (configuration, embed)
        let served = daemon.map { State(keychain: $0, isOwn: false) }
        let first = if let served { served } else { try Self.opened(configuration, embed) }
        state = ProcessLocal(first)
    }

    /// How long to wait for the store where a daemon has it, which keeps it as long as it lives: milliseconds.
    package static let patienceBesideDaemon = 100

    private static func opened(_ configuration: Configuration, _ embed: EmbeddingInTime) throws(Refusal) -> State {
        let hasDaemon = (try? DaemonLink.holder(of: configuration.folder)) ?? nil != nil
        guard hasDaemon else { return try opened(configuration, embed, ItemStore.timeout) }
        do throws(Refusal) { return try opened(configuration, embed, patienceBesideDaemon) } catch {
            // It may have ended meanwhile.
            guard error.status == .notAvailable else { throw error }
            return try opened(configuration, embed, ItemStore.timeout)
        }
    }

    private static func opened(
        _ configuration: Configuration, _ embed: EmbeddingInTime, _ patience: Int
    ) throws(Refusal) -> State {
        let link = try link(configuration)
        do throws(Refusal) {
            let keychain = try embed(patience)
            // Where a daemon has made the file meanwhile, what it has done since is not known.
            let isNew = link == nil && DaemonLink.make(in: configuration.folder)
            return State(keychain: keychain, link: isNew ? try Self.link(configuration) : link)
        } catch {
            guard error.status == .notAvailable, let daemon = try Connection.serving(configuration) else {
                throw error
            }
            return State(keychain: daemon, isOwn: false)
        }
    }

    /// The file that each daemon of the store writes when it begins.
    private static func link(_ configuration: Configuration) throws(Refusal) -> ProcessLock.Content? {
        let folder = configuration.folder
        do throws(SystemError) { return try DaemonLink.content(of: folder) } catch {
            throw .unknownLockState(DaemonLink.path(in: folder), error)
        }
    }

    private static func status(of path: String) throws(Refusal) -> FileStatus? {
        do throws(SystemError) { return try FileStatus(ofLink: path) } catch { throw .unknownLockState(path, error) }
    }

    package var timeoutOfWhole: UInt32 { DeviceRequest.timeoutOfWhole(configuration.timeout) }

    package func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        try asking(again: request.isSearch) { keychain throws(Refusal) in try keychain.send(request) }
    }

    package func send(_ request: ItemRequest, by deadline: Deadline) throws(Refusal) -> ItemResponse {
        try asking(again: request.isSearch, by: deadline) { keychain throws(Refusal) in
            try keychain.send(request, by: deadline)
        }
    }

    package func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        // A passcode is shown to the daemon's enclave, where there is one: it is asked from then on.
        try asking(showing: !passcodes.isEmpty) { keychain throws(Refusal) in
            try keychain.device(request, passcodes: passcodes)
        }
    }

    package func key(_ request: KeyRequest) throws(Refusal) -> KeyReply {
        try asking { keychain throws(Refusal) in try keychain.key(request) }
    }

    package func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply {
        try asking { keychain throws(Refusal) in try keychain.authentication(request, descriptors: descriptors) }
    }

    /// Asks the keychain of the moment; the program's own, when the daemon turns out to have ended.
    ///
    /// - Parameters:
    ///   - again: whether asking twice does no harm.
    ///   - showing: whether a passcode comes along.
    private func asking<Result>(
        again: Bool = false, showing: Bool = false, by deadline: Deadline = .never,
        _ body: (any KeychainConnection) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        let asked = try asked(showing: showing, by: deadline)
        do throws(Refusal) { return try body(asked.keychain) } catch {
            if asked.isOwn { return try askingOnceMore(after: error, by: deadline, body) }
            // With the socket as its subject nobody has the request: no daemon could be reached.
            guard error.rule == .unavailable, again || error.subject == configuration.socket else { throw error }
            return try body(try comeBack())
        }
    }

    private func asked(showing: Bool, by deadline: Deadline) throws(Refusal) -> State {
        try changing { (state) throws(Refusal) in
            try goOver(&state, showing: showing, by: deadline)
            return state
        }
    }

    /// Asks once more where the own keychain was locked: by a passcode that somebody has set since it was asked, the
    /// daemon may be open; or has removed since, it is open itself. Nothing was performed.
    private func askingOnceMore<Result>(
        after refusal: Refusal, by deadline: Deadline,
        _ body: (any KeychainConnection) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        guard refusal.rule == .locked else { throw refusal }
        return try body(try asked(showing: false, by: deadline).keychain)
    }

    /// Goes over to the daemon where the passcode counts, or is shown. Where a daemon has served since the own keychain
    /// was opened, somebody may have locked it there.
    private func goOver(_ state: inout State, showing: Bool, by deadline: Deadline) throws(Refusal) {
        guard state.isOwn else { return }
        try look(&state)
        guard state.hasPasscode || showing else { return }
        // Before a daemon is looked for: one that begins then has begun since.
        let link = try Self.link(configuration)
        if let daemon = try Connection.serving(configuration, by: deadline) {
            // With the program's own the store is given up: the daemon may have it alone then.
            (state.keychain, state.isOwn) = (daemon, false)
            return
        }
        guard link == nil || link != state.link else { return }
        if state.hasPasscode { _ = try state.keychain.device(.lock, passcodes: []) }
        // Without the file a daemon could begin and end, and nothing would tell: it is made, and nothing known before.
        state.link = link == nil && DaemonLink.make(in: configuration.folder) ? try Self.link(configuration) : link
    }

    /// Looks whether another process has set or removed the passcode. Where that cannot be known nothing is answered:
    /// the keys in memory may be those of an open keychain that somebody has locked since.
    private func look(_ state: inout State) throws(Refusal) {
        let now = try Self.status(of: configuration.folder + "/vault")
        guard now != state.seen else { return }
        guard case .status(let status) = try state.keychain.device(.status, passcodes: []) else {
            throw .malformed("the device status")
        }
        (state.seen, state.hasPasscode) = (now, status.passcodeIsSet)
    }

    private func comeBack() throws(Refusal) -> any KeychainConnection {
        try changing { (state) throws(Refusal) in
            // Another thread may have done that.
            if !state.isOwn { state = try Self.opened(configuration, embed) }
            return state.keychain
        }
    }

    private func changing<Result>(_ body: (inout State) throws(Refusal) -> Result) throws(Refusal) -> Result {
        // A connection notices by itself that it is in a forked child.
        try state.withValue(inChild: { (_) throws(Refusal) in }, body)
    }
}

extension Refusal {
    fileprivate static func unknownLockState(_ vault: String, _ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, vault, "Whether the keychain is locked cannot be known: \(error).",
            do: "Check the permissions of \(vault).")
    }
}
