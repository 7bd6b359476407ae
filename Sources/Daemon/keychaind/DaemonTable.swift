import CommandOptions
import KeychainClient

extension DaemonArguments {
    /// The options of a daemon that serves one keychain.
    static let table = ProgramOptions(
        "keychaind", "Serves a user's keychain. Programs start it when they need it.",
        options: places + behaviour + quotas + inService,
        notes: """
            Without --socket, --store, --tpm, --pinentry, --login-password or --history-days, the daemon uses \
            KEYCHAIN_SOCKET, KEYCHAIN_HOME, KEYCHAIN_TPM, KEYCHAIN_PINENTRY, KEYCHAIN_LOGIN_PASSWORD and \
            KEYCHAIN_HISTORY_DAYS, or the same settings in keychain.conf.
            """)

    private static let places = [
        ProgramOption(
            "--socket", value: "PATH", .absolutePath,
            "The socket that the daemon listens on. A socket passed by systemd comes first."),
        ProgramOption("--store", value: "FOLDER", .absolutePath, "The folder of the keychain."),
        entitlements, anchorGroup,
        ProgramOption("--log", value: "FILE", .absolutePath, "Leave the terminal and append messages to FILE."),
    ]

    static let entitlements = ProgramOption(
        "--entitlements", value: "FOLDER", .absolutePath, count: .repeated,
        "A folder in which root installs entitlements. May be given several times.")

    static let anchorGroup = ProgramOption(
        "--anchor-group", value: "GROUP", .word,
        "The group of anchored programs: a name or a number. Default: _keychain-anchored.")

    static let historyDays = ProgramOption(
        "--history-days", value: "N", .number(0...UInt64(Configuration.longestHistory)),
        "How many days earlier versions of items are kept. Default: 30; 0 keeps none.")

    private static let seconds = OptionValue.number(1...31_536_000)

    static let connections = ProgramOption(
        "--connections", value: "N", .number(1...65536),
        "How many connections a user may have open. Default: 16384.")

    static let idleExit = ProgramOption(
        "--idle-exit", value: "SECONDS", seconds, "Close a keychain when nobody has been connected for this long.")

    static let readyDescriptor = ProgramOption(
        "--ready-fd", value: "FD", .descriptor,
        "Write a byte to this descriptor when the program serves; for programs that start it.")

    private static let behaviour = [
        ProgramOption("--loops", value: "N", .number(1...64), "How many threads answer, 1 to 64. Default: 1."),
        idleExit,
        ProgramOption(
            "--upgrade-exit", value: "SECONDS", seconds,
            "The same, once another release is installed in its place. Default: 300."),
        ProgramOption(
            "--tpm", value: "TPM", .word, "auto, none, or the address of the TPM (a TCTI of tpm2-tss)."),
        ProgramOption(
            "--pinentry", value: "PROGRAM", .word,
            "The path of the program that asks for passcodes, auto or none."),
        ProgramOption(
            "--login-password", value: "yes|no", .oneOf(["yes", "no"]),
            "Whether the login's password may replace a passcode that is not set."),
        historyDays,
        ProgramOption(
            "--named",
            "Serve a named keychain of the user's: with a 64th of the quotas, until a minute after it was locked."),
        ProgramOption(
            "--throw-away",
            "Serve a keychain that prompts nobody, and whose folder is removed with its daemon's end."),
        ProgramOption(
            "--owner", value: "PID", .number(1...UInt64(Int32.max)),
            "With --throw-away: end when this process has ended."),
        ProgramOption("--ttl", value: "SECONDS", seconds, "With --throw-away: end after this time."),
    ]

    /// The quotas of a keychain and of each of its programs.
    static let quotas = [
        quota("--quota-items", "How many items the keychain takes. Default: 1000000."),
        quota("--quota-bytes", "How many bytes of items the keychain takes. Default: 4294967296."),
        quota("--quota-program-items", "How many items one program may have written. Default: 200000."),
        quota("--quota-program-bytes", "How many bytes of items one program may have written. Default: 1073741824."),
        ProgramOption(
            "--quota-requests", value: "N", .number(0...1_000_000),
            "How many requests a second one program may make; a faster program waits. Default: 100000; 0: no limit."),
    ]

    private static func quota(_ name: String, _ meaning: String) -> ProgramOption {
        ProgramOption(name, value: "N", .number(1...UInt64(Int64.max)), meaning)
    }

    private static let inService = [
        ProgramOption("--detach", "Go on in the background; for programs that start the daemon."),
        readyDescriptor,
        ProgramOption("--system", .firstWord, "Be the system service; see keychaind --system --help."),
        ProgramOption(
            "--identify", value: "SOCKET", .firstWord,
            "Identify callers for the system service; see keychaind --identify --help."),
        ProgramOption(
            "--keychain", value: "OWNER", .word,
            "Serve this keychain of the system service: a user's number, or system. Needs --control and --store."),
        ProgramOption(
            "--control", value: "FD", .descriptor,
            "With --keychain: the socket over which the service's master hands over connections."),
        ProgramOption(
            "--enclave", value: "FD", .descriptor,
            "With --keychain: the channel to its enclave. Left out when no enclave can be reached."),
        connections,
        ProgramOption("--help", "Show this text."),
        ProgramOption("--version", "Show the release of the program and the protocol it speaks."),
    ]
}
