import Glibc
import KeychainClient
import KeychainModel
import LinuxSystem

extension Session {
    /// The session of a command's own process: its standard streams, and the keychain that the settings name.
    package static func ofThisProcess() -> Session {
        // A standard stream that the caller closed would otherwise be the next socket, and a password would go there.
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", O_RDWR)
        }
        let configuration = Result { () throws(Refusal) in try Configuration.load() }
        return Session(
            input: FileDescriptor(owning: STDIN_FILENO), output: FileDescriptor(owning: STDOUT_FILENO),
            diagnostics: FileDescriptor(owning: STDERR_FILENO), socket: (try? configuration.get())?.socket ?? "",
            mayAsk: (try? configuration.get())?.interaction != .never,
            environment: { name in unsafe getenv(name).map { value in unsafe String(cString: value) } },
            connectSystem: {
                configuration.flatMap { configuration in
                    Result { () throws(Refusal) in try configuration.forSystemKeychain() }
                }.flatMap(connection)
            },
            connectAs: { owner in
                configuration.flatMap { configuration in
                    Result { () throws(Refusal) in try Connection.reach(owner, configuration) }
                }
            }
        ) { configuration.flatMap(connection) }
    }

    private static func connection(_ configuration: Configuration) -> Result<any KeychainConnection, Refusal> {
        Result { () throws(Refusal) in
            var configuration = configuration
            // The engine is never run in here: a command that ends at once would pay its start each time.
            configuration.mode = .auto
            guard let connection = try Connection.reach(configuration) else {
                throw Refusal(
                    .notAvailable, .unavailable, configuration.socket,
                    "No keychain daemon runs at \(configuration.socket) and none is installed.",
                    do: "Install keychaind, or set KEYCHAIN_DAEMON to its path.")
            }
            return AskingConnection(connection) { () throws(Refusal) in Asking(prompt: try .ofThisProcess()) }
        }
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
