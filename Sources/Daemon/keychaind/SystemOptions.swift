import CommandOptions
import KeychainMaster
import KeychainWire
import LinuxSystem

/// The command line of the system service's master.
struct SystemOptions {
    /// The user that it and the daemons of the keychains run as.
    var user = "_keychain"
    var enclaveUser = "_enclave"
    /// The folder of its sockets.
    var sockets = "/run/keychaind"
    /// The folder of the stores.
    var state = KeychainOwner.stores
    /// Where the enclave listens.
    var enclave = "/run/keychain-enclaved/socket"
    var enclaveState = "/var/lib/keychain-enclave"
    /// The socket and the user of the process that identifies callers.
    var identifier = "/run/keychain-identifier/socket"
    var identifierUser = "_keychain-identifier"
    var tpm = "auto"
    /// The group of the installed session agent; nil for the usual one.
    var agentGroup: String?
    /// Seconds.
    var idleExit: UInt64 = 300
    /// How many connections of one keychain may be open.
    var connections: UInt64 = 16384
    /// How many keychains may be open.
    var keychains: UInt64 = 1024
    /// The quotas of each keychain and program, as its daemon takes them: options with their values.
    var quotas: [String] = []
    /// How programs are told apart, as the daemons take it.
    var identification: [String] = []
    var ready: FileDescriptor?
    /// A descriptor whose end is the master's.
    var lifeline: FileDescriptor?
    /// Whether a supervisor has started it, or systemd.
    var isSupervised: Bool
    /// The command line, with which the supervisor starts the master.
    private(set) var words: [String] = []
    var asksForHelp = false

    static let table = ProgramOptions(
        "keychaind --system",
        """
        Serves the keychains of all users, and the system's own. Started by systemd, or by root. Root starts the \
        master, the enclaves' listener and the process that identifies callers, each as a user of its own. It starts \
        them again when they end.
        """,
        options: users + places + limits,
        notes: """
            Sockets passed by systemd are known by the last part of their paths. The options that name users matter \
            to root alone.
            """)

    private static let users = [
        ProgramOption(
            "--user", value: "USER", .word,
            "The user that the service runs as: a name or a number. Default: _keychain."),
        ProgramOption(
            "--enclave-user", value: "USER", .word, "The user that the enclave runs as. Default: _enclave."),
        ProgramOption(
            "--identifier-user", value: "USER", .word,
            "The user that the process runs as that identifies callers. Default: _keychain-identifier."),
        ProgramOption(
            "--agent-group", value: "GROUP", .word,
            "The group of the installed keychain-session-agent (set-group-ID). Default: _keychain-prompts."),
    ]

    private static let places = [
        ProgramOption(
            "--sockets", value: "FOLDER", .absolutePath,
            "The folder of the sockets called socket, system and credentials. Default: /run/keychaind."),
        ProgramOption(
            "--state", value: "FOLDER", .absolutePath, "The folder of the keychains. Default: /var/lib/keychain."),
        ProgramOption(
            "--enclave", value: "SOCKET", .absolutePath,
            "The socket of keychain-enclaved. Default: /run/keychain-enclaved/socket."),
        ProgramOption(
            "--enclave-state", value: "FOLDER", .absolutePath,
            "The folder of the vaults. Default: /var/lib/keychain-enclave."),
        ProgramOption(
            "--identifier", value: "SOCKET", .absolutePath,
            "The socket of the process that identifies callers. Default: /run/keychain-identifier/socket."),
    ]

    private static let limits =
        [
            ProgramOption(
                "--tpm", value: "TPM", .word,
                "The TPM that new keys may rest on: auto, none, or the address of a TPM. Default: auto."),
            ProgramOption(
                "--idle-exit", value: "SECONDS", .number(1...31_536_000),
                "Close a keychain that nobody has been connected to for this long. Default: 300."),
            DaemonArguments.connections,
            ProgramOption(
                "--keychains", value: "N", .number(1...65536), "How many keychains may be open. Default: 1024."),
            DaemonArguments.anchorGroup, DaemonArguments.entitlements, DaemonArguments.historyDays,
        ] + DaemonArguments.quotas + [
            ProgramOption("--until", value: "FD", .descriptor, "End when this descriptor does."),
            DaemonArguments.readyDescriptor,
            ProgramOption("--help", "Show this text."),
        ]

    init(_ words: some Sequence<String>, isSupervised: Bool) throws(DaemonArguments.Mistake) {
        self.isSupervised = isSupervised
        let given = try DaemonArguments.read(words, Self.table)
        asksForHelp = given.has("--help")
        do throws(WrongCommandLine) {
            lifeline = try given.descriptor("--until")
            ready = try given.descriptor("--ready-fd")
        } catch { throw DaemonArguments.Mistake(error.problem) }
        takePlaces(given)
        tpm = given.text("--tpm") ?? tpm
        agentGroup = given.text("--agent-group")
        idleExit = given.number("--idle-exit") ?? idleExit
        connections = given.number("--connections") ?? connections
        keychains = given.number("--keychains") ?? keychains
        identification = given.words(of: ["--anchor-group", "--entitlements"])
        quotas = given.words(of: ["--history-days"] + DaemonArguments.quotas.map(\.name))
        self.words = given.words(of: Self.table.options.map(\.name).filter { $0 != "--ready-fd" })
    }

    private mutating func takePlaces(_ given: ProgramArguments) {
        user = given.text("--user") ?? user
        enclaveUser = given.text("--enclave-user") ?? enclaveUser
        identifierUser = given.text("--identifier-user") ?? identifierUser
        sockets = given.text("--sockets") ?? sockets
        state = given.text("--state") ?? state
        enclave = given.text("--enclave") ?? enclave
        enclaveState = given.text("--enclave-state") ?? enclaveState
        identifier = given.text("--identifier") ?? identifier
    }

    /// The options of the daemon of one keychain, apart from the keychain's owner.
    var userDaemonArguments: [String] {
        ["--idle-exit", String(idleExit), "--connections", String(connections)] + quotas + identification
    }
}

extension Master.Purpose {
    /// The mode of the socket: everybody may connect, except to the credentials, which are for the service manager.
    var mode: UInt32 { self == .credentials ? 0o600 : 0o666 }
}
