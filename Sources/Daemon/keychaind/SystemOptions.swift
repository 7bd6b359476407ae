import KeychainMaster
import KeychainWire
import LinuxSystem

/// The options of the system service's master.
struct SystemOptions {
    /// The users that it and the daemons of the keychains run as.
    var user = "_keychain"
    var enclaveUser = "_enclave"
    /// The folder of its sockets.
    var sockets = "/run/keychaind"
    /// The folder of the stores.
    var state = KeychainOwner.stores
    /// Where the enclave listens.
    var enclave = "/run/keychain-enclaved/socket"
    var enclaveState = "/var/lib/keychain-enclave"
    /// The socket of the process that identifies callers, and the user that process runs as.
    var identifier = "/run/keychain-identifier/socket"
    var identifierUser = "_keychain-identifier"
    var tpm = "auto"
    /// Seconds.
    var idleExit: UInt64 = 300
    /// How many connections of one keychain may be open.
    var connections: UInt64 = 16384
    /// How many keychains may be open.
    var keychains: UInt64 = 1024
    /// The limits of each keychain and program, as its daemon takes them: options with their values.
    var quotas: [String] = []
    /// How programs are told apart, as the daemons take it.
    var identification: [String] = []
    var ready: FileDescriptor?
    /// A descriptor whose end is the master's.
    var lifeline: FileDescriptor?
    /// Whether a supervisor has started it, or systemd.
    var isSupervised: Bool
    /// The command line, for the process that starts the master with it.
    private(set) var words: [String] = []
    var asksForHelp = false

    static let helpText = """
        usage: keychaind --system [--user USER] [--enclave-user USER] [--identifier-user USER] [--sockets FOLDER]
                                  [--state FOLDER] [--enclave SOCKET] [--enclave-state FOLDER] [--identifier SOCKET]
                                  [--tpm TPM] [--idle-exit SECONDS] [--connections N] [--keychains N]
                                  [--history-days N] [--quota-...]

        Serves the keychains of all users, and the system's own. Started by systemd, or by root: then it starts the
        master, the enclaves' listener and the process that identifies callers, each as a user of its own. It starts
        them again when they end.

          --user USER             the user it runs as: a name or a number; _keychain when not given
          --enclave-user USER     the user the enclave runs as; _enclave when not given
          --identifier-user USER  the user of the process that identifies callers; _keychain-identifier
          --sockets FOLDER        where it listens: socket, system and credentials in there; /run/keychaind
          --state FOLDER          where the keychains lie; /var/lib/keychain
          --enclave SOCKET        where keychain-enclaved listens; /run/keychain-enclaved/socket
          --enclave-state FOLDER  where the vaults lie; /var/lib/keychain-enclave
          --identifier SOCKET     where the process listens that identifies callers; /run/keychain-identifier/socket
          --tpm TPM               what keys may rest on: auto, none, or how a TPM is reached
          --idle-exit SECONDS     close a keychain that nobody has been connected to for so long; 300
          --connections N         how many connections a user may have; 16384
          --keychains N           how many keychains may be open; 1024
          --anchor-group GROUP    the group of anchored programs: a name or a number; _keychain-anchored
          --entitlements FOLDER   where root installs entitlements; may come several times
          --history-days N        for how long earlier versions of items are kept; 30, 0 for none
          --quota-... N           what each keychain and each of its programs may have; see keychaind --help
          --ready-fd FD           write a byte there when it serves

        Sockets passed by systemd are known by the last part of their paths. The users' options matter to root alone.
        """

    init(_ arguments: some Sequence<String>, isSupervised: Bool) throws(DaemonArguments.Mistake) {
        self.isSupervised = isSupervised
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            let before = rest
            switch name {
            case "--help": asksForHelp = true
            case "--user": user = try DaemonArguments.text(name, rest.popFirst())
            case "--enclave-user": enclaveUser = try DaemonArguments.text(name, rest.popFirst())
            case "--sockets": sockets = try DaemonArguments.path(name, rest.popFirst())
            case "--state": state = try DaemonArguments.path(name, rest.popFirst())
            case "--enclave": enclave = try DaemonArguments.path(name, rest.popFirst())
            case "--enclave-state": enclaveState = try DaemonArguments.path(name, rest.popFirst())
            case "--identifier": identifier = try DaemonArguments.path(name, rest.popFirst())
            case "--identifier-user": identifierUser = try DaemonArguments.text(name, rest.popFirst())
            case "--until": lifeline = try DaemonArguments.descriptor(name, rest.popFirst())
            case "--tpm": tpm = try DaemonArguments.text(name, rest.popFirst())
            case "--idle-exit": idleExit = try DaemonArguments.number(name, rest.popFirst(), 1...31_536_000)
            case "--connections": connections = try DaemonArguments.number(name, rest.popFirst(), 1...65536)
            case "--anchor-group": identification += [name, try DaemonArguments.text(name, rest.popFirst())]
            case "--entitlements": identification += [name, try DaemonArguments.path(name, rest.popFirst())]
            case "--history-days": quotas += [name, String(try DaemonArguments.days(name, rest.popFirst()))]
            case _ where name.hasPrefix("--quota-"):
                quotas += [name, String(try DaemonArguments.number(name, rest.popFirst(), 0...UInt64(Int64.max)))]
            case "--keychains": keychains = try DaemonArguments.number(name, rest.popFirst(), 1...65536)
            case "--ready-fd":
                ready = try DaemonArguments.descriptor(name, rest.popFirst())
                continue
            default: throw DaemonArguments.Mistake("There is no argument \(name) with --system.")
            }
            words += [name] + before.prefix(before.count - rest.count)
        }
    }

    /// The arguments of the daemon of one keychain, besides its owner.
    var userDaemonArguments: [String] {
        ["--idle-exit", String(idleExit), "--connections", String(connections)] + quotas + identification
    }
}

extension Master.Purpose {
    /// The mode of the sockets: everybody may connect, but to the credentials, which are for the service manager.
    var mode: UInt32 { self == .credentials ? 0o600 : 0o666 }
}
