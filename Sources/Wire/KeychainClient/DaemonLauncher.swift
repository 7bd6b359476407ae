import Glibc
package import KeychainModel
import LinuxSystem

/// Connects to the daemon, and starts it first where none runs.
struct DaemonLauncher: Sendable {
    let configuration: Configuration

    /// How long a daemon may take to accept, or to start, where a request has so much time: milliseconds.
    private static let timeout = 10_000 * DebugPatience.factor
    /// How long a program waits that one is started which it does not need itself: milliseconds.
    private static let shortTimeout = 1000

    var deadline: Deadline { .after(milliseconds: min(Self.timeout, Int(configuration.timeout))) }

    /// Connects; nil when no daemon runs and none is installed.
    ///
    /// Programs that start daemons at the same time are no problem: only one daemon gets the store, the others end,
    /// and all programs connect to that one.
    ///
    /// - Parameter end: when there must be a connection, at the latest.
    func open(by end: Deadline = .never) throws(Refusal) -> UnixSocket? {
        let deadline = min(deadline, end)
        if let socket = try connect(by: deadline) { return socket }
        if configuration.usesSystemService { throw .serviceDoesNotRun(configuration) }
        if configuration.kind == .throwAway { throw .throwAwayEnded(configuration) }
        guard let program else { return nil }
        var reason: String?
        // The runtime directory, or the daemon that was in the way, may go while the first one starts.
        for _ in 0..<2 {
            reason = try start(program, [], by: deadline)
            if let socket = try connect(by: deadline) { return socket }
            if reason != nil, try holder() != nil { break }
        }
        throw .didNotStart(program, configuration, reason)
    }

    /// Starts a daemon next to one that has not answered: it ends and replaces one that has stopped, and ends itself
    /// next to one that is only slow (`Predecessor`). Nobody waits for it.
    func replaceStopped() {
        let mayStart = !configuration.usesSystemService && configuration.kind != .throwAway
        // One that has stopped elsewhere keeps the store as well.
        let elsewhere = (try? DaemonLink.holder(of: configuration.folder))??.socket
        if mayStart, let program { _ = try? launch(program, [], at: elsewhere, timeout: Self.shortTimeout) }
    }

    /// Where a new daemon has its socket. The runtime directory goes with the last logout; a program that outlives it
    /// starts its daemon in the store's folder, and so does one whose runtime directory others may enter, or have a
    /// daemon in.
    private var place: String {
        guard !configuration.socketIsGiven, let folder = PrivateDirectory.parent(of: configuration.socket),
            let runtime = PrivateDirectory.parent(of: folder), Self.isMissing(runtime) || isForeign(folder)
        else { return configuration.socket }
        return Configuration.socket(in: configuration.folder)
    }

    private static func isMissing(_ path: String) -> Bool {
        do throws(SystemError) { return try FileStatus(at: path) == nil } catch { return false }
    }

    private func isForeign(_ folder: String) -> Bool {
        do throws(SystemError) { try PrivateDirectory.check(folder) } catch { return error.code != ENOENT }
        return (try? UnixSocket.connect(to: configuration.socket, deadline: deadline)) != nil
    }

    var program: String? {
        configuration.daemon ?? InstalledPrograms.find("keychaind")
    }

    /// Starts the daemon and waits until it serves.
    ///
    /// - Parameter words: what it is told beyond the configuration.
    /// - Returns: why it does not serve; nil when it does, or has not said.
    func start(_ program: String, _ words: [String], by deadline: Deadline) throws(Refusal) -> String? {
        // A named keychain that is being deleted must not come back empty.
        if configuration.kind != .named { try makeFolder() }
        do throws(SystemError) {
            return try StartReport.read(try launch(program, words), by: deadline)
        } catch {
            // One that takes longer, over an old store that it brings up to date, has its socket already: requests wait
            // there.
            guard error.code == ETIMEDOUT else { throw .cannotStart(program, error) }
            return nil
        }
    }

    private func makeFolder() throws(Refusal) {
        do throws(SystemError) { try PrivateDirectory.ensure(configuration.folder) } catch {
            throw .noFolder(configuration, error)
        }
    }

    /// Starts the daemon so that it is nobody's child, for a program must not find children it did not make.
    ///
    /// - Returns: the pipe on which it says that it serves; this process has no other end of it.
    private func launch(
        _ program: String, _ words: [String], at socket: String? = nil, timeout: Int = timeout
    ) throws(SystemError) -> FileDescriptor {
        let (reader, writer) = try FileDescriptor.pipe()
        let arguments = [
            "--detach", "--socket", socket ?? place, "--store", configuration.folder,
            "--log", configuration.folder + "/keychaind.log", "--ready-fd", "\(ChildProcess.firstDescriptor)",
            "--tpm", configuration.tpm, "--pinentry", configuration.pinentry,
            "--login-password", configuration.loginPassword.rawValue, "--history-days", "\(configuration.historyDays)",
        ]
        let ending = configuration.idleExit.map { ["--idle-exit", "\($0)"] } ?? []
        let named = configuration.kind == .named ? ["--named"] : []
        try ChildProcess.start(program, arguments + ending + named + words, handing: [writer]).reap(timeout: timeout)
        return reader
    }
}

extension Connection {
    /// Reaches the daemon in the way the configuration says.
    ///
    /// - Returns: nil when the engine is to run in this process instead.
    /// - Throws: `errSecNotAvailable` when the daemon cannot be reached, or is not installed although it must be used.
    package static func reach(_ configuration: Configuration) throws(Refusal) -> Connection? {
        if configuration.mode == .embedded { return nil }
        let launcher = DaemonLauncher(configuration: configuration)
        guard let socket = try launcher.open() else {
            if configuration.mode == .daemon { throw .notInstalled(configuration) }
            return nil
        }
        return Connection(
            timeout: configuration.timeout, connected: socket, silent: { launcher.replaceStopped() }
        ) { deadline throws(Refusal) in
            guard let socket = try launcher.open(by: deadline) else { throw .notInstalled(configuration) }
            return socket
        }
    }
}

extension Connection {
    /// Reaches the daemon if one runs; nil otherwise, and none is started.
    ///
    /// - Throws: `errSecNotAvailable` when it cannot be reached.
    package static func running(_ configuration: Configuration) throws(Refusal) -> Connection? {
        let launcher = DaemonLauncher(configuration: configuration)
        guard let socket = try launcher.connect(by: launcher.deadline) else { return nil }
        return Connection(timeout: configuration.timeout, connected: socket) { deadline throws(Refusal) in
            guard let socket = try launcher.connect(by: min(launcher.deadline, deadline)) else {
                throw .notInstalled(configuration)
            }
            return socket
        }
    }
}

extension Refusal {
    static func unreachable(_ configuration: Configuration, _ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, configuration.socket, "The keychain daemon cannot be reached: \(error).",
            do: "Check KEYCHAIN_SOCKET and the permissions of \(configuration.socket).")
    }

    /// Another store in its place would hide the items from their programs.
    fileprivate static func serviceDoesNotRun(_ configuration: Configuration) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, configuration.socket,
            "The system's keychain service does not run.",
            do: "Start it (systemctl start keychaind.socket), or set KEYCHAIN_HOME for a keychain of your own.")
    }

    fileprivate static func throwAwayEnded(_ configuration: Configuration) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, configuration.socket, "The throw-away keychain has ended.",
            do: "Start another (security ci-start), or unset KEYCHAIN_SOCKET and KEYCHAIN_CI.")
    }

    fileprivate static func cannotStart(_ program: String, _ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, program, "The keychain daemon cannot be started: \(error).",
            do: "Check KEYCHAIN_DAEMON and KEYCHAIN_HOME.")
    }

    fileprivate static func noFolder(_ configuration: Configuration, _ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, configuration.folder,
            "The keychain's folder \(configuration.folder) cannot be used: \(error).",
            do: "Look at the owner and the permissions of it and of the folders above, or set KEYCHAIN_HOME.")
    }

    fileprivate static func didNotStart(
        _ program: String, _ configuration: Configuration, _ reason: String?
    ) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, program,
            reason.map { "The keychain daemon was started but does not serve: \($0)" }
                ?? "The keychain daemon was started but does not serve.",
            do: "See \(configuration.folder)/keychaind.log for the reason.")
    }

    static func notInstalled(_ configuration: Configuration) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, configuration.socket,
            "No keychain daemon runs at \(configuration.socket) and none is installed.",
            do: "Install keychaind, set KEYCHAIN_DAEMON to its path, or use KEYCHAIN_MODE=auto.")
    }
}
