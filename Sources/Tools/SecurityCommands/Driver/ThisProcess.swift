package import CommandOptions
import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

extension Session {
    /// The session of a command's own process: its standard streams, and the keychain that the settings name.
    package static func ofThisProcess() -> Session {
        // A standard stream that the caller closed would otherwise be the next socket, and a password would go there.
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            // Output that nobody can receive is a failure, so it cannot be written to this one.
            _ = unsafe open("/dev/null", number == STDOUT_FILENO ? O_RDONLY : O_RDWR)
        }
        do throws(Refusal) { return ofThisProcess(try Configuration.load()) } catch {
            return ofThisProcess(without: error)
        }
    }

    private static func ofThisProcess(_ configuration: Configuration) -> Session {
        ofThisProcess(
            socket: configuration.socket, mayAsk: configuration.interaction != .never,
            programsEmbed: configuration.mode == .embedded, olderStore: OlderStore(configuration),
            connectSystem: { () throws(Refusal) in try connection(configuration.forSystemKeychain()) },
            connectAs: { owner throws(Refusal) in try Connection.reach(owner, configuration) },
            connectRunning: { isForSystem throws(Refusal) in
                try Connection.running(isForSystem ? configuration.forSystemKeychain() : configuration)
            },
            named: NamedKeychains(configuration),
            jobs: JobKeychains(
                start: { plan throws(Refusal) in try ThrowAwayKeychain.start(plan, configuration) },
                stop: { () throws(Refusal) in try ThrowAwayKeychain.stop(configuration) },
                export: { name, value in unsafe setenv(name, value, 1) }),
            connect: { () throws(Refusal) in try connection(configuration) })
    }

    /// For settings that make no sense. Only those commands say so that need the keychain.
    private static func ofThisProcess(without refusal: Refusal) -> Session {
        ofThisProcess(
            socket: "", mayAsk: true, connectSystem: { () throws(Refusal) in throw refusal },
            connectAs: { _ throws(Refusal) in throw refusal }, connectRunning: { _ throws(Refusal) in nil },
            jobs: JobKeychains(refusing: refusal),
            connect: { () throws(Refusal) in throw refusal })
    }

    private static func ofThisProcess(
        socket: String, mayAsk: Bool, programsEmbed: Bool = false, olderStore: OlderStore? = nil,
        connectSystem: @escaping Connecting,
        connectAs: @escaping (KeychainOwner) throws(Refusal) -> any KeychainConnection,
        connectRunning: @escaping (_ isForSystem: Bool) throws(Refusal) -> (any KeychainConnection)?,
        named: NamedKeychains? = nil,
        jobs: JobKeychains,
        connect: @escaping Connecting
    ) -> Session {
        let session = Session(
            input: FileDescriptor(owning: STDIN_FILENO), output: FileDescriptor(owning: STDOUT_FILENO),
            diagnostics: FileDescriptor(owning: STDERR_FILENO), socket: socket, mayAsk: mayAsk,
            programsEmbed: programsEmbed, olderStore: olderStore, policy: (try? .load()) ?? .none,
            environment: { name in unsafe getenv(name).map { value in unsafe String(cString: value) } },
            terminal: { Terminal.ofForeground() },
            connectSystem: connectSystem, connectAs: connectAs, connectRunning: connectRunning, named: named,
            connectNamed: { keychains, keychain throws(Refusal) in asking(try keychains.reach(keychain)) },
            jobs: jobs, connect: connect)
        session.isOfProcess = true
        return session
    }

    private static func connection(_ configuration: Configuration) throws(Refusal) -> any KeychainConnection {
        var configuration = configuration
        // The engine is never run in here: a command that ends at once would pay its start each time.
        configuration.mode = .auto
        return asking(try configuration.keychain(embed: nil))
    }

    private static func asking(_ connection: any KeychainConnection) -> any KeychainConnection {
        AskingConnection(connection) { () throws(Refusal) in Asking(prompt: try .ofThisProcess()) }
    }
}

extension OlderStore: OlderKeychain {}

extension Driver {
    /// Runs `security` as this process was called: by its own name, or by that of a helper.
    ///
    /// - Returns: the exit status, as ``run(_:in:)``.
    package static func runThisProcess() -> Int32 {
        let helper = unsafe CommandLine.unsafeArgv[0].flatMap { path in
            CommandTable.name(ofProgram: unsafe String(cString: path))
        }
        return run((helper.map { [Argument($0)] } ?? []) + Argument.ofThisProcess(), in: .ofThisProcess())
    }
}

extension Argument {
    /// The words of the process's own command line, behind its name.
    package static func ofThisProcess() -> [Argument] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            unsafe CommandLine.unsafeArgv[index].map { word in unsafe Argument(cString: word) }
        }
    }
}
