import CommandOptions
import EnclaveWire
import Glibc
import KeychainWire
import LinuxSystem

/// The work that the command line asks for.
enum EnclaveArguments {
    case help
    case version
    case serve(Options)
    /// To start enclaves for the daemons of the system service.
    case listen(ListenerOptions)

    struct Options {
        var vault: VaultPlace
        var channel: UnixSocket
        var tpm: TPMChoice
        var agent: AgentChoice
        /// Gives session agents of the vault's user, in the system service.
        var sessionAgents: AgentQueue?
        var pinentry: String
        var acceptsLoginPassword: Bool
    }

    /// Why a command line was not understood.
    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    static let table = ProgramOptions(
        "keychain-enclaved", "Guards the keys of a keychain. Started by keychaind, not by hand.",
        options: [
            ProgramOption("--vault", value: "FILE", .absolutePath, "The file with the keys."),
            ProgramOption(
                "--channel", value: "FD", .descriptor, count: .required, "The inherited socket to the daemon."),
            ProgramOption("--create", "Make a vault where there is none; only for a keychain without items."),
            ProgramOption(
                "--tpm", value: "TPM", .word,
                "The TPM that the keys may rest on: none, auto, or the address of a TPM. Default: none."),
            ProgramOption(
                "--agent", value: "PATH", .word,
                "The program that asks the user, or none. Default: keychain-agent in the folder of this program."),
            ProgramOption(
                "--agents", value: "FD", .descriptor,
                "In place of --agent: the socket over which the listener gives agents."),
            ProgramOption(
                "--session-agents", value: "FD", .descriptor,
                "The socket over which the listener gives the session agents of the vault's user."),
            ProgramOption(
                "--pinentry", value: "PROGRAM", .word,
                "How the agent asks for passcodes: with the program at a path, none, or auto. Default: auto."),
            ProgramOption(
                "--login-password", "The password of the user's login may replace a passcode that is not set."),
            ProgramOption(
                "--vaults", value: "FOLDER", .absolutePath,
                """
                In place of --vault and --create: the folder of all vaults. The first words of the system service's \
                master name the vault in it.
                """),
            ProgramOption(
                "--listen", value: "SOCKET", .firstWord,
                "Start an enclave for every connection; see keychain-enclaved --listen --help."),
            ProgramOption("--help", "Show this text."),
            ProgramOption("--version", "Show the release of the program and the formats it knows."),
        ])

    static let versionText = Release.text(
        "keychain-enclaved", "vault formats 1 to 3, channel \(EnclaveChannelFormat.version)")

    init(_ words: some Sequence<String>) throws(Mistake) {
        let words = Array(words)
        if words.first == "--listen" {
            self = .listen(try ListenerOptions(words.dropFirst()))
            return
        }
        let given = try Self.read(words, Self.table)
        if given.has("--help") {
            self = .help
        } else if given.has("--version") {
            self = .version
        } else {
            self = .serve(try Options(given))
        }
    }

    /// Reads the options of one of the tables.
    static func read(
        _ words: some Sequence<String>, _ table: ProgramOptions
    ) throws(Mistake) -> ProgramArguments {
        do throws(WrongCommandLine) { return try ProgramArguments(words, table) } catch {
            throw Mistake(description: "\(error.problem) See keychain-enclaved --help.")
        }
    }
}

extension EnclaveArguments.Options {
    fileprivate init(_ given: ProgramArguments) throws(EnclaveArguments.Mistake) {
        guard let place = VaultPlace(given.text("--vault"), given.has("--create"), folder: given.text("--vaults"))
        else {
            throw EnclaveArguments.Mistake(
                description: "--vault FILE is missing, or not an absolute path. See keychain-enclaved --help.")
        }
        agent = try AgentChoice(given)
        sessionAgents = try given.agents("--session-agents")
        guard let socket = UnixSocket(inherited: given.text("--channel")) else {
            throw EnclaveArguments.Mistake(
                description:
                    "--channel FD is missing, or not the number of an open socket: let keychaind start this program.")
        }
        (vault, channel) = (place, socket)
        tpm = TPMChoice(given.text("--tpm") ?? "none")
        pinentry = given.text("--pinentry") ?? "auto"
        acceptsLoginPassword = given.has("--login-password")
    }
}

extension AgentChoice {
    fileprivate init(_ given: ProgramArguments) throws(EnclaveArguments.Mistake) {
        if let queue = try given.agents("--agents") {
            self = .given(queue)
        } else {
            self = given.text("--agent").map { AgentChoice($0) } ?? .beside
        }
    }
}

extension ProgramArguments {
    /// The queue at an inherited socket; nil where the option is not given.
    fileprivate func agents(_ option: String) throws(EnclaveArguments.Mistake) -> AgentQueue? {
        guard let number = text(option) else { return nil }
        guard let socket = UnixSocket(inherited: number) else {
            throw EnclaveArguments.Mistake(description: "\(option) FD takes the number of an open socket.")
        }
        return AgentQueue(socket)
    }
}
