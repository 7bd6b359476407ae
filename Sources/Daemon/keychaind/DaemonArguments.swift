import Glibc
import KeychainClient
import KeychainEngine
import KeychainModel
import KeychainServer
import KeychainWire
import LinuxSystem

/// The command line's options.
enum DaemonArguments {
    case help
    case version
    /// To go on as nobody's child.
    case detach(Options)
    case serve(Options)
    /// To be the master of the system service.
    case system(SystemOptions)
    /// To say which programs call, for the daemons of the system service.
    case identify(IdentifierOptions)
    /// To look accounts up for the master.
    case accounts(UnixSocket)

    struct Options {
        var socket = ""
        var store = ""
        var tpm = ""
        var pinentry = ""
        /// Nil until the settings have been read.
        var loginPassword: Configuration.Consent?
        /// Folders of entitlements; none for the usual ones.
        var entitlements: [String] = []
        /// The group of anchored programs: a name or a number.
        var anchorGroup = AnchorGroup.name
        var loops = 1
        var idleExit: UInt64?
        /// As many seconds without anybody end a daemon whose program has been replaced.
        var upgradeExit: UInt64 = 300
        var quotas = Quotas()
        /// Nil until the settings have been read.
        var historyDays: UInt32?
        /// Requests a second of one program; nil for the server's own.
        var requestRate: Int?
        var log: String?
        /// The limits for earlier versions in the engine.
        var history: HistoryLimits { HistoryLimits(days: historyDays ?? Configuration.standardHistory) }
        /// Where it says that it serves. A mere number, because it must stay open until the log tells why it does not
        /// serve: its end is what the program that waits goes by.
        var ready: FileDescriptor?
        /// Whose keychain of the system service it serves; nil for its own user's.
        var owner: KeychainOwner?
        /// Where the system service's master hands connections over.
        var control: UnixSocket?
        /// The channel to the enclave that the master has summoned; nil for an enclave of its own, or when none could
        /// be reached.
        var enclave: UnixSocket?
        var connections = ServerLimits().connections
    }

    /// Why a command line was not understood.
    struct Mistake: Error, CustomStringConvertible {
        let description: String
        init(_ problem: String) { description = problem + " See keychaind --help." }
    }

    static let helpText = """
        usage: keychaind [--socket PATH] [--store FOLDER] [--loops N] [--idle-exit SECONDS]
                         [--upgrade-exit SECONDS] [--tpm TPM] [--pinentry PROGRAM] [--login-password yes|no]
                         [--history-days N] [--log FILE] [--quota-...] [--entitlements FOLDER]... [--anchor-group GROUP]
               keychaind --system [...]
               keychaind --identify SOCKET [...]

        Serves a user's keychain. Programs start it by themselves when they need it.

          --socket PATH        where to listen; a socket passed by systemd comes first
          --store FOLDER       where the keychain lies
          --entitlements FOLDER  where root installs entitlements; may come several times
          --anchor-group GROUP the group of anchored programs: a name or a number
          --loops N            threads that answer, 1 to 64; 1 when not given
          --idle-exit SECONDS  end when nobody has been connected for so long
          --upgrade-exit SECONDS  the same once another release is installed in its place; 300 when not given
          --tpm TPM            auto, none, or how it is reached (a TCTI of tpm2-tss)
          --pinentry PROGRAM   the path of what asks for passcodes, auto or none
          --login-password     whether the login's password may stand in for a passcode: yes or no
          --history-days N     for how long earlier versions of items are kept, 30; 0 keeps none
          --quota-items N, --quota-bytes N
                               how many items, and bytes of them, the keychain takes: 1000000 and 4294967296
          --quota-program-items N, --quota-program-bytes N
                               how many of them one program may have written: 200000 and 1073741824
          --quota-requests N   requests a second of one program, 100000; a faster one waits; 0 for no limit
          --log FILE           leave the terminal and append messages to FILE
          --detach             go on in the background; for programs that start it
          --ready-fd FD        write a byte there when it serves; for programs that start it
          --system             be the system service; see keychaind --system --help
          --identify SOCKET    say which programs call, for the system service; see keychaind --identify --help
          --keychain OWNER     serve this keychain of the system service: a user's number, or system. With it:
            --control FD       where the service's master hands connections over
            --enclave FD       the channel to its enclave; none when that cannot be reached
            --connections N    how many may be open; 16384 when not given
          --help               show this
          --version            show its release and the protocol it speaks

        Without --socket, --store, --tpm, --pinentry, --login-password or --history-days it uses what KEYCHAIN_SOCKET,
        KEYCHAIN_HOME, KEYCHAIN_TPM, KEYCHAIN_PINENTRY, KEYCHAIN_LOGIN_PASSWORD, KEYCHAIN_HISTORY_DAYS and keychain.conf
        say.
        """

    static let versionText = Release.text("keychaind", "protocol \(FrameHeader.version)")

    init(_ arguments: some Sequence<String>) throws {
        var options = Options()
        var detaches = false
        var rest = Array(arguments)[...]
        if rest.first == "--system" || rest.first == "--master" {
            self = .system(try SystemOptions(rest.dropFirst(), isSupervised: rest.first == "--master"))
            return
        }
        if rest.first == "--identify" {
            self = .identify(try IdentifierOptions(rest.dropFirst()))
            return
        }
        if rest.first == "--accounts" {
            self = .accounts(UnixSocket(try Self.descriptor("--accounts", rest.dropFirst().first)))
            return
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--help":
                self = .help
                return
            case "--version":
                self = .version
                return
            case "--detach": detaches = true
            case "--socket": options.socket = try Self.path(argument, rest.popFirst())
            case "--store": options.store = try Self.path(argument, rest.popFirst())
            case "--log": options.log = try Self.path(argument, rest.popFirst())
            case "--tpm": options.tpm = try Self.text(argument, rest.popFirst())
            case "--pinentry": options.pinentry = try Self.text(argument, rest.popFirst())
            case "--login-password": options.loginPassword = try Self.consent(argument, rest.popFirst())
            case "--history-days": options.historyDays = try Self.days(argument, rest.popFirst())
            case "--entitlements": options.entitlements.append(try Self.path(argument, rest.popFirst()))
            case "--anchor-group": options.anchorGroup = try Self.text(argument, rest.popFirst())
            case "--loops": options.loops = Int(try Self.number(argument, rest.popFirst(), 1...64))
            case "--idle-exit": options.idleExit = try Self.number(argument, rest.popFirst(), 1...31_536_000)
            case "--upgrade-exit": options.upgradeExit = try Self.number(argument, rest.popFirst(), 1...31_536_000)
            case "--ready-fd": options.ready = try Self.descriptor(argument, rest.popFirst())
            case "--keychain": options.owner = try Self.owner(rest.popFirst())
            case "--control":
                options.control = UnixSocket(
                    try Self.descriptor(argument, rest.popFirst()))
            case "--enclave":
                options.enclave = UnixSocket(
                    try Self.descriptor(argument, rest.popFirst()))
            case "--connections": options.connections = Int(try Self.number(argument, rest.popFirst(), 1...65536))
            case "--quota-items": options.quotas.items = try Self.quota(argument, rest.popFirst())
            case "--quota-bytes": options.quotas.bytes = try Self.quota(argument, rest.popFirst())
            case "--quota-program-items": options.quotas.programItems = try Self.quota(argument, rest.popFirst())
            case "--quota-program-bytes": options.quotas.programBytes = try Self.quota(argument, rest.popFirst())
            case "--quota-requests":
                options.requestRate = Int(try Self.number(argument, rest.popFirst(), 0...1_000_000))
            default: throw Mistake("There is no argument \(argument).")
            }
        }
        try Self.complete(&options)
        self = detaches ? .detach(options) : .serve(options)
    }

    private static func complete(_ options: inout Options) throws {
        try checkFixed(options)
        if options.owner != nil {
            // Root says both, and the policy for all keychains.
            options.historyDays = try Configuration.fixed("history-days").flatMap { UInt32($0) } ?? options.historyDays
            guard options.control != nil, !options.store.isEmpty else {
                throw Mistake("--keychain takes --control and --store besides.")
            }
            return
        }
        if options.tpm.isEmpty { options.tpm = try Configuration.loadTPM() }
        if options.pinentry.isEmpty { options.pinentry = try Configuration.loadPinentry() }
        if options.loginPassword == nil { options.loginPassword = try Configuration.loadLoginPassword() }
        if options.historyDays == nil { options.historyDays = try Configuration.loadHistoryDays() }
        guard options.socket.isEmpty || options.store.isEmpty else { return }
        let configuration = try Configuration.load()
        if options.store.isEmpty { options.store = configuration.folder }
        if options.socket.isEmpty { options.socket = configuration.socket }
    }

    /// A user may start a daemon by hand, and not with settings that the administrator has fixed.
    private static func checkFixed(_ options: Options) throws {
        guard options.owner == nil else { return }
        let given = [
            "tpm": options.tpm, "pinentry": options.pinentry, "login-password": options.loginPassword?.rawValue ?? "",
            "history-days": options.historyDays.map { "\($0)" } ?? "",
        ]
        for (key, text) in given where !text.isEmpty { _ = try Configuration.fixed(key, text) }
    }

    private static func owner(_ text: String?) throws(Mistake) -> KeychainOwner {
        guard let owner = text.flatMap(KeychainOwner.init) else {
            throw Mistake("--keychain takes a user's number, or system.")
        }
        return owner
    }

    static func path(_ name: String, _ text: String?) throws(Mistake) -> String {
        guard let text, text.hasPrefix("/") else { throw Mistake("\(name) takes an absolute path.") }
        return text
    }

    static func text(_ name: String, _ text: String?) throws(Mistake) -> String {
        guard let text, !text.isEmpty else { throw Mistake("\(name) takes a value.") }
        return text
    }

    private static func consent(_ name: String, _ text: String?) throws(Mistake) -> Configuration.Consent {
        guard let consent = text.flatMap(Configuration.Consent.init) else { throw Mistake("\(name) takes yes or no.") }
        return consent
    }

    private static func quota(_ name: String, _ text: String?) throws(Mistake) -> UInt64 {
        try number(name, text, 1...UInt64(Int64.max))
    }

    static func days(_ name: String, _ text: String?) throws(Mistake) -> UInt32 {
        UInt32(clamping: try number(name, text, 0...UInt64(Configuration.longestHistory)))
    }

    static func number(
        _ name: String, _ text: String?, _ range: ClosedRange<UInt64>
    ) throws(Mistake) -> UInt64 {
        guard let number = text.flatMap(UInt64.init), range.contains(number) else {
            throw Mistake("\(name) takes a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    static func descriptor(_ name: String, _ text: String?) throws(Mistake) -> FileDescriptor {
        guard let descriptor = FileDescriptor(inherited: text) else {
            throw Mistake("\(name) takes the number of an open descriptor.")
        }
        return descriptor
    }
}
