import CommandOptions
import LinuxSystem

/// The command line of the process that identifies callers.
struct IdentifierOptions {
    var socket = ""
    /// The user that it runs as.
    var user = "_keychain-identifier"
    /// The user whose connections it takes.
    var client = "_keychain"
    /// As the daemons take them.
    var anchorGroup = AnchorGroup.name
    var entitlements: [String] = []
    /// A descriptor whose end is its own, and that hears of it every few seconds.
    var lifeline: UnixSocket?
    var ready: FileDescriptor?
    var asksForHelp = false

    static let table = ProgramOptions(
        "keychaind --identify [SOCKET]",
        """
        Identifies the programs that connect to the daemons of the system service. Started by systemd on a socket \
        that systemd passes, or by keychaind --system as root. In the second case it continues as a user of its own, \
        with the capability CAP_SYS_PTRACE alone.
        """,
        options: [
            ProgramOption(
                "--user", value: "USER", .word,
                "The user that the process runs as: a name or a number. Default: _keychain-identifier."),
            ProgramOption(
                "--accept-from", value: "USER", .word, "The user whose connections are taken. Default: _keychain."),
            DaemonArguments.anchorGroup, DaemonArguments.entitlements,
            ProgramOption("--until", value: "FD", .descriptor, "End when this descriptor does."),
            DaemonArguments.readyDescriptor,
            ProgramOption("--help", "Show this text."),
        ])

    init(_ words: some Sequence<String>) throws(DaemonArguments.Mistake) {
        var rest = Array(words)[...]
        if rest.first?.hasPrefix("--") == false, let path = rest.popFirst() { socket = path }
        let given = try DaemonArguments.read(rest, Self.table)
        asksForHelp = given.has("--help")
        user = given.text("--user") ?? user
        client = given.text("--accept-from") ?? client
        anchorGroup = given.text("--anchor-group") ?? anchorGroup
        entitlements = given.all("--entitlements")
        do throws(WrongCommandLine) {
            lifeline = try given.descriptor("--until").map { UnixSocket($0) }
            ready = try given.descriptor("--ready-fd")
        } catch { throw DaemonArguments.Mistake(error.problem) }
        guard asksForHelp || socket.hasPrefix("/") else {
            throw DaemonArguments.Mistake("--identify takes an absolute path.")
        }
    }
}
