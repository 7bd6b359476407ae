import CommandOptions
import Glibc
import KeychainClient
import KeychainEngine
import KeychainModel
import KeychainServer
import KeychainWire
import LinuxSystem

/// The work that the command line asks for.
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
        /// The limits on the earlier versions that the engine keeps.
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
        /// Whether it serves one of the user's named keychains.
        var isNamed = false
        /// The life of a throw-away keychain; nil for one that stays.
        var life: ThrowAwayLife.Limits?
        /// A named keychain's daemon is needed for a while only, in seconds.
        static let namedIdleExit: UInt64 = 60
    }

    /// Why a command line was not understood.
    struct Mistake: Error, CustomStringConvertible {
        let description: String
        init(_ problem: String) { description = problem + " See keychaind --help." }
    }

    static let versionText = Release.text("keychaind", "protocol \(FrameHeader.version)")

    init(_ words: some Sequence<String>) throws {
        let words = Array(words)
        let rest = words.dropFirst()
        switch words.first {
        case "--system": self = .system(try SystemOptions(rest, isSupervised: false))
        case "--master": self = .system(try SystemOptions(rest, isSupervised: true))
        case "--identify": self = .identify(try IdentifierOptions(rest))
        case "--accounts": self = .accounts(try Self.accounts(rest))
        default: self = try Self.server(words)
        }
    }

    private static func accounts(_ words: some Sequence<String>) throws(Mistake) -> UnixSocket {
        guard let descriptor = FileDescriptor(inherited: Array(words).first) else {
            throw Mistake("--accounts takes the number of an open descriptor.")
        }
        return UnixSocket(descriptor)
    }

    private static func server(_ words: [String]) throws -> DaemonArguments {
        let given = try read(words, table)
        if given.has("--help") { return .help }
        if given.has("--version") { return .version }
        var options = Options()
        do throws(WrongCommandLine) { try options.take(given) } catch { throw Mistake(error.problem) }
        if let text = given.text("--keychain") { options.owner = try owner(text) }
        try complete(&options)
        return given.has("--detach") ? .detach(options) : .serve(options)
    }

    /// Reads the options of one of the tables.
    static func read(
        _ words: some Sequence<String>, _ table: ProgramOptions
    ) throws(Mistake) -> ProgramArguments {
        do throws(WrongCommandLine) { return try ProgramArguments(words, table) } catch { throw Mistake(error.problem) }
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

    /// The pipe of the program that waits for this one, also when the words as a whole are refused.
    static func waitingProgram(_ words: [String]) -> FileDescriptor? {
        guard let index = words.firstIndex(of: "--ready-fd"), index + 1 < words.count else { return nil }
        return FileDescriptor(inherited: words[index + 1])
    }

    /// A user may start a daemon by hand, and not with settings that the administrator has fixed. A throw-away keychain
    /// has values of its own, with which it asks nobody and keeps nothing.
    private static func checkFixed(_ options: Options) throws {
        guard options.owner == nil else { return }
        let own = options.life == nil ? [:] : Configuration.ofThrowAway
        let given = [
            "tpm": options.tpm, "pinentry": options.pinentry, "login-password": options.loginPassword?.rawValue ?? "",
            "history-days": options.historyDays.map { "\($0)" } ?? "",
        ]
        for (key, text) in given where !text.isEmpty && text != own[key] { _ = try Configuration.fixed(key, text) }
    }

    private static func owner(_ text: String) throws(Mistake) -> KeychainOwner {
        guard let owner = KeychainOwner(text) else {
            throw Mistake("--keychain takes a user's number, or system.")
        }
        return owner
    }
}

extension DaemonArguments.Options {
    /// Takes over what the command line has; the settings say the rest.
    mutating func take(_ given: ProgramArguments) throws(WrongCommandLine) {
        takePlaces(given)
        takeLimits(given)
        takeKind(given)
        ready = try given.descriptor("--ready-fd")
        control = try given.descriptor("--control").map { UnixSocket($0) }
        enclave = try given.descriptor("--enclave").map { UnixSocket($0) }
    }

    private mutating func takePlaces(_ given: ProgramArguments) {
        socket = given.text("--socket") ?? socket
        store = given.text("--store") ?? store
        log = given.text("--log")
        tpm = given.text("--tpm") ?? tpm
        pinentry = given.text("--pinentry") ?? pinentry
        loginPassword = given.text("--login-password").flatMap { Configuration.Consent(rawValue: $0) }
        entitlements = given.all("--entitlements")
        anchorGroup = given.text("--anchor-group") ?? anchorGroup
    }

    private mutating func takeKind(_ given: ProgramArguments) {
        isNamed = given.has("--named")
        if isNamed {
            idleExit = idleExit ?? Self.namedIdleExit
            quotas = quotas.shared(by: UInt64(NamedKeychains.most))
        }
        if given.has("--throw-away") {
            life = ThrowAwayLife.Limits(
                owner: given.number("--owner").map { Int32(clamping: $0) }, seconds: given.number("--ttl"))
        }
    }

    private mutating func takeLimits(_ given: ProgramArguments) {
        loops = given.number("--loops").map { Int($0) } ?? loops
        idleExit = given.number("--idle-exit")
        upgradeExit = given.number("--upgrade-exit") ?? upgradeExit
        historyDays = given.number("--history-days").map { UInt32(clamping: $0) }
        connections = given.number("--connections").map { Int($0) } ?? connections
        requestRate = given.number("--quota-requests").map { Int($0) }
        quotas.items = given.number("--quota-items") ?? quotas.items
        quotas.bytes = given.number("--quota-bytes") ?? quotas.bytes
        quotas.programItems = given.number("--quota-program-items") ?? quotas.programItems
        quotas.programBytes = given.number("--quota-program-bytes") ?? quotas.programBytes
    }
}
