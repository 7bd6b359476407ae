import Glibc
package import KeychainModel
package import KeychainWire
import LinuxSystem

/// Where the keychain is and how to reach it: what the environment says, else the configuration file, else the
/// defaults.
package struct Configuration: Equatable, Sendable {
    package enum Mode: String, CaseIterable, Sendable {
        /// Through the daemon where one runs or is installed, else in this process.
        case auto
        /// In this process, always.
        case embedded
        /// Through the daemon, always.
        case daemon
    }

    package enum Interaction: String, CaseIterable, Sendable {
        /// Nobody is asked; what would need that is refused.
        case never
        /// On the terminal only.
        case tty
        /// However it is possible.
        case auto
    }

    /// The options of a daemon that is started for it.
    package enum Kind: Sendable {
        case usual
        /// One of the user's named keychains.
        case named
        /// One that ends with its owner; no program starts its daemon again.
        case throwAway
    }

    package enum Consent: String, CaseIterable, Sendable {
        case yes
        case no
    }

    /// The folder of the store.
    package var folder: String
    /// Where the daemon listens.
    package var socket: String
    /// Whether a setting says so.
    package var socketIsGiven: Bool
    /// Whether that is the system service, which no program starts.
    package var usesSystemService: Bool
    /// Where a daemon of the user's own would listen; nil in a program that uses none.
    package var ownSocket: String?
    /// A daemon that is started ends when nobody has been connected for so many seconds; nil for never.
    package var idleExit: UInt32?
    package var mode: Mode
    /// The daemon's program, when it is not to be looked for.
    package var daemon: String?
    /// How long a request may take: milliseconds.
    package var timeout: UInt32
    package var interaction: Interaction
    /// The TPM to use: `auto`, `none`, or how it is reached.
    package var tpm: String
    /// The program that asks for passcodes: `auto`, `none`, or a path.
    package var pinentry: String
    /// Whether the password of the login may stand in where no passcode is set.
    package var loginPassword: Consent
    /// For how many days earlier versions of items are kept; 0 keeps none.
    package var historyDays: UInt32
    package var kind = Kind.usual

    package static let anyTPM = "auto"
    package static let anyPinentry = "auto"
    /// Days.
    package static let standardHistory: UInt32 = 30
    package static let longestHistory: UInt32 = 3650

    /// The file of the certificates that are believed without proof, whether it is there or not.
    ///
    /// - Throws: `errSecParam` (`configuration.*`) for a value or key that makes no sense.
    package static func anchorFile() throws(Refusal) -> String {
        try anchorFile(ownEnvironment)
    }

    /// Whether such a file is one that a distribution keeps, rather than one of the user's choice.
    package static func isUsualAnchorFile(_ path: String) -> Bool { Setting.anchorFiles.contains(path) }

    /// As ``anchorFile()``, for an environment.
    static func anchorFile(_ environment: (String) -> String?) throws(Refusal) -> String {
        let (values, _) = try read(environment)
        let usual = Setting.anchorFiles
        return values.anchors ?? usual.first { (try? FileStatus(at: $0)) != nil } ?? usual[0]
    }

    /// Reads the environment of this process and the configuration file; in a program that the kernel marks, neither.
    ///
    /// - Throws: `errSecParam` (`configuration.*`) for a value or key that makes no sense, and when there is no home
    ///   directory; `errSecNotAvailable` in a marked program where the system service is not installed.
    package static func load() throws(Refusal) -> Configuration {
        try CurrentProcess.isMarked
            ? Configuration(ofMarkedProgram: SystemServiceSockets.folder) : Configuration(environment: ownEnvironment)
    }

    /// The TPM to use, for who knows where the keychain is: it takes no home directory.
    ///
    /// - Throws: `errSecParam` (`configuration.*`) as ``load()``.
    package static func loadTPM() throws(Refusal) -> String {
        try read(ownEnvironment).0.tpm ?? anyTPM
    }

    /// Whether and where the user may be asked, for who knows where the keychain is.
    ///
    /// - Throws: `errSecParam` (`configuration.*`) as ``load()``.
    package static func loadInteraction() throws(Refusal) -> Interaction {
        try read(ownEnvironment).0.interaction ?? .auto
    }

    /// The program that asks for passcodes, for a caller that already has the keychain's place.
    ///
    /// - Throws: `errSecParam` (`configuration.*`) as ``load()``.
    package static func loadPinentry() throws(Refusal) -> String {
        try read(ownEnvironment).0.pinentry ?? anyPinentry
    }

    /// Whether the password of the user's login may stand in where no passcode is set, for who knows where the keychain
    /// is.
    ///
    /// - Throws: `errSecParam` (`configuration.*`) as ``load()``.
    package static func loadLoginPassword() throws(Refusal) -> Consent {
        try read(ownEnvironment).0.loginPassword ?? .no
    }

    /// For how many days earlier versions of items are kept, for who knows where the keychain is; 0 keeps none.
    ///
    /// - Throws: `errSecParam` (`configuration.*`) as ``load()``.
    package static func loadHistoryDays() throws(Refusal) -> UInt32 {
        try read(ownEnvironment).0.historyDays ?? standardHistory
    }

    /// The program that asks the user on behalf of a keychain inside a program; nil when none is installed.
    ///
    /// - Throws: `errSecParam` (`configuration.*`) as ``load()``.
    package static func agentProgram() throws(Refusal) -> String? {
        if CurrentProcess.isMarked { return nil }
        return InstalledPrograms.find("keychain-agent", besides: try read(ownEnvironment).0.daemon)
    }

    /// The administrator's value for a setting; nil where the policy says nothing of it.
    ///
    /// - Parameter given: what a command line says instead.
    /// - Throws: `errSecParam` (`policy.administrator`) when that is something else; as
    ///   ``AdministratorPolicy/load(from:trusting:)``.
    package static func fixed(_ key: String, _ given: String? = nil) throws(Refusal) -> String? {
        guard let fixed = try AdministratorPolicy.load().fixed.first(where: { $0.key == key }) else { return nil }
        if let given, !fixed.says(given) { throw .isFixed(fixed, given) }
        return fixed.value
    }

    /// A marked program has no settings: it takes neither a setting nor a folder of settings from the process that
    /// started it.
    private static func ownEnvironment(_ name: String) -> String? {
        if CurrentProcess.isMarked { return nil }
        return unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Reads an environment and the configuration file it points to.
    ///
    /// - Parameters:
    ///   - environment: the value of a variable; an empty one counts as none.
    ///   - serviceFolder: where the system service has its sockets.
    ///   - accounts: the file of the users' accounts, passwd(5).
    ///   - policy: reads what the administrator demands.
    /// - Throws: as ``load()``.
    package init(
        environment: (String) -> String?, serviceFolder: String = SystemServiceSockets.folder,
        accounts: String = "/etc/passwd",
        policy: () throws(Refusal) -> AdministratorPolicy = { () throws(Refusal) in try .load() }
    ) throws(Refusal) {
        let (values, directories) = try Self.read(environment, accounts: accounts, policy: policy)
        try self.init(values, directories, serviceFolder)
    }

    /// The configuration of a program that the kernel marks, whatever its user says: the system service, and nothing in
    /// its place.
    ///
    /// - Throws: `errSecNotAvailable` where that is not installed.
    package init(ofMarkedProgram serviceFolder: String) throws(Refusal) {
        guard let service = SystemServiceSockets.socket(SystemServiceSockets.personal, in: serviceFolder) else {
            throw .markedWithoutService(serviceFolder)
        }
        var values = Setting.Values()
        (values.socket, values.mode) = (service, .daemon)
        values.home = "\(KeychainOwner.stores)/\(CurrentProcess.user)"
        try self.init(values, BaseDirectories({ _ in nil }, accounts: "/dev/null"), serviceFolder)
        (socketIsGiven, ownSocket) = (false, nil)
    }

    /// The accounts in which a home is looked up that the environment does not name. In a marked program that is
    /// none: the files in there are its user's.
    private static var ownAccounts: String { CurrentProcess.isMarked ? "/dev/null" : AccountFile.path }

    private static func read(
        _ environment: (String) -> String?, accounts: String = ownAccounts,
        policy: () throws(Refusal) -> AdministratorPolicy = { () throws(Refusal) in try .load() }
    ) throws(Refusal) -> (Setting.Values, BaseDirectories) {
        let directories = BaseDirectories(environment, accounts: accounts)
        var values = Setting.Values()
        if let folder = directories.configuration { try values.read(file: folder + "/keychain/keychain.conf") }
        try values.read(environment)
        try values.fix(by: try policy())
        return (values, directories)
    }

    private init(
        _ values: Setting.Values, _ directories: BaseDirectories, _ serviceFolder: String
    ) throws(Refusal) {
        let given = values.home ?? (values.throwAway == nil ? nil : values.socket)
        guard let folder = given ?? directories.data.map({ $0 + "/keychain" }) else { throw .noHome }
        self.folder = folder
        // A store of one's own has a daemon of its own: the usual one serves another store.
        let runtime = values.home == nil ? directories.runtime : nil
        let isPlain = values.home == nil && values.socket == nil
        let service = isPlain ? SystemServiceSockets.socket(SystemServiceSockets.personal, in: serviceFolder) : nil
        let own = Self.socket(in: runtime.map { $0 + "/keychain" } ?? folder)
        (ownSocket, socket) = (own, values.socket ?? service ?? own)
        socketIsGiven = values.socket != nil
        usesSystemService = socket.hasPrefix(serviceFolder + "/")
        mode = values.mode ?? .auto
        daemon = values.daemon
        timeout = values.timeout ?? WireLimits.defaultDeadline
        interaction = values.interaction ?? .auto
        tpm = values.tpm ?? Self.anyTPM
        pinentry = values.pinentry ?? Self.anyPinentry
        loginPassword = values.loginPassword ?? .no
        historyDays = values.historyDays ?? Self.standardHistory
        if let name = values.throwAway { try becomeThrowAway(name) }
    }

    /// The socket of a daemon that has it in this folder.
    package static func socket(in folder: String) -> String { folder + "/keychaind.sock" }

    /// The keychain that `security ci-start` has started lies in its socket's folder, which has its name.
    private mutating func becomeThrowAway(_ name: String) throws(Refusal) {
        guard socketIsGiven, let parent = PrivateDirectory.parent(of: socket), parent.hasSuffix("-\(name)") else {
            throw .noThrowAwaySocket
        }
        (folder, usesSystemService, mode, kind) = (parent, false, .daemon, .throwAway)
        (tpm, pinentry, historyDays) = ("none", "none", 0)
    }
}

/// The user's directories, as the XDG Base Directory Specification 0.8 finds them.
struct BaseDirectories {
    let configuration: String?
    let data: String?
    let runtime: String?

    init(_ environment: (String) -> String?, accounts: String = AccountFile.path) {
        // The specification wants relative paths ignored.
        func directory(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let home = HomeFolder.path(directory("HOME"), accounts: accounts)
        configuration = directory("XDG_CONFIG_HOME") ?? home.map { $0 + "/.config" }
        data = directory("XDG_DATA_HOME") ?? home.map { $0 + "/.local/share" }
        // A cron job has no XDG_RUNTIME_DIR, and must find the daemon of the session all the same.
        runtime = directory("XDG_RUNTIME_DIR").flatMap(Self.existing) ?? Self.existing("/run/user/\(getuid())")
    }

    private static func existing(_ path: String) -> String? {
        (try? FileStatus(at: path))?.isDirectory == true ? path : nil
    }
}

extension Refusal {
    fileprivate static func markedWithoutService(_ folder: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, folder,
            "The system's keychain service is not there, and a program that runs with more rights "
                + "than its user uses no other.",
            do: "Install the system service and start it (docs/guides/system-service.md).")
    }

    fileprivate static let noThrowAwaySocket = Refusal(
        .param, .configuration, "KEYCHAIN_CI",
        "KEYCHAIN_CI is set, and KEYCHAIN_SOCKET is not the socket that goes with it.",
        do: "Set both as `security ci-start` printed them, or neither.")

    fileprivate static let noHome = Refusal(
        .param, .configuration, "HOME",
        "There is no home directory to keep the keychain in: HOME names none, and /etc/passwd has none for this user.",
        do: "Set HOME, or KEYCHAIN_HOME to an absolute path.")
}

extension Refusal.Rule {
    /// The environment or the configuration file says something that makes no sense.
    package static let configuration = Self(rawValue: "configuration.invalid")
}
