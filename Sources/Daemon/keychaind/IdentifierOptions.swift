import LinuxSystem

/// The options of the process that identifies callers.
struct IdentifierOptions {
    var socket = ""
    /// The user it runs as.
    var user = "_keychain-identifier"
    /// Whose connections it takes.
    var client = "_keychain"
    /// As the daemons take them.
    var anchorGroup = AnchorGroup.name
    var entitlements: [String] = []
    /// A descriptor whose end is its own, and that hears of it every few seconds.
    var lifeline: UnixSocket?
    var ready: FileDescriptor?
    var asksForHelp = false

    static let helpText = """
        usage: keychaind --identify SOCKET [--user USER] [--accept-from USER] [--anchor-group GROUP]
                                           [--entitlements FOLDER]...

        Finds out which programs call, for the daemons of the system service. Started by systemd, or by
        keychaind --system as root: then it goes on as a user of its own, with CAP_SYS_PTRACE alone.

          --identify SOCKET       where it listens; a socket passed by systemd comes first
          --user USER             the user it runs as: a name or a number; _keychain-identifier when not given
          --accept-from USER      whose connections it takes; _keychain when not given
          --anchor-group GROUP    the group of anchored programs: a name or a number; _keychain-anchored
          --entitlements FOLDER   where root installs entitlements; may come several times
          --until FD              end when this descriptor does
          --ready-fd FD           write a byte there when it listens
        """

    init(_ arguments: some Sequence<String>) throws(DaemonArguments.Mistake) {
        var rest = Array(arguments)[...]
        if rest.first?.hasPrefix("--") == false { socket = try DaemonArguments.path("--identify", rest.popFirst()) }
        while let name = rest.popFirst() {
            switch name {
            case "--help": asksForHelp = true
            case "--user": user = try DaemonArguments.text(name, rest.popFirst())
            case "--accept-from": client = try DaemonArguments.text(name, rest.popFirst())
            case "--anchor-group": anchorGroup = try DaemonArguments.text(name, rest.popFirst())
            case "--entitlements": entitlements.append(try DaemonArguments.path(name, rest.popFirst()))
            case "--until": lifeline = UnixSocket(try DaemonArguments.descriptor(name, rest.popFirst()))
            case "--ready-fd": ready = try DaemonArguments.descriptor(name, rest.popFirst())
            default: throw DaemonArguments.Mistake("There is no argument \(name) with --identify.")
            }
        }
        guard asksForHelp || !socket.isEmpty else {
            throw DaemonArguments.Mistake("--identify takes an absolute path.")
        }
    }
}
