import KeychainWire

/// One thing a user can set, by an environment variable or a line of the configuration file.
///
/// The table is the only place that knows them: reading, help and documentation are derived from it.
package struct Setting: Sendable {
    /// The environment variable.
    package let variable: String
    /// The key in the configuration file.
    package let key: String
    /// The possible values, for people.
    package var takes: String { makeTakes() }
    /// The default, for people.
    package var standard: String { makeStandard() }
    /// The effect, for people.
    package var meaning: String { makeMeaning() }
    /// Takes a text; false when it makes no sense.
    let read: @Sendable (String, inout Values) -> Bool
    /// Made when somebody reads them: a command that ends at once would feel it.
    private let makeTakes, makeStandard, makeMeaning: @Sendable () -> String

    private init(
        variable: String, key: String, takes: @autoclosure @escaping @Sendable () -> String,
        standard: @autoclosure @escaping @Sendable () -> String, meaning: @autoclosure @escaping @Sendable () -> String,
        read: @escaping @Sendable (String, inout Values) -> Bool
    ) {
        (self.variable, self.key, self.read) = (variable, key, read)
        (makeTakes, makeStandard, makeMeaning) = (takes, standard, meaning)
    }

    /// The values that are set; nil is not set.
    struct Values: Sendable {
        var home: String?
        var socket: String?
        var mode: Configuration.Mode?
        var daemon: String?
        var timeout: UInt32?
        var interaction: Configuration.Interaction?
        var anchors: String?
        var tpm: String?
        var pinentry: String?
        var loginPassword: Configuration.Consent?
        var historyDays: UInt32?
        /// The identifier of a throw-away keychain.
        var throwAway: String?
        /// The texts that were taken, by their settings' keys.
        var given: [String: String] = [:]
    }

    /// Whether the administrator's policy may say it for everybody: not where a user's own files and sockets are.
    var mayBeFixed: Bool { !["home", "socket", "daemon", "ci"].contains(key) }

    package static let table = [
        Setting(
            variable: "KEYCHAIN_HOME", key: "home", takes: "an absolute path",
            standard: "$XDG_DATA_HOME/keychain, else ~/.local/share/keychain",
            meaning: "The folder of the store.", read: { path($0, &$1.home) }),
        Setting(
            variable: "KEYCHAIN_SOCKET", key: "socket", takes: "an absolute path",
            standard:
                "keychaind.sock in the store's folder when home is set; else "
                + "\(SystemServiceSockets.folder)/socket where "
                + "the system service is installed; else $XDG_RUNTIME_DIR/keychain/keychaind.sock",
            meaning:
                "Where the daemon listens. The system's keychain is at \(SystemServiceSockets.folder)/system.",
            read: { path($0, &$1.socket) }),
        Setting(
            variable: "KEYCHAIN_MODE", key: "mode", takes: names(of: Configuration.Mode.self), standard: "auto",
            meaning: """
                Whether programs use the daemon, their own process, or the daemon where it is installed. \
                The command `security` always uses the daemon.
                """,
            read: { name($0, &$1.mode) }),
        Setting(
            variable: "KEYCHAIN_DAEMON", key: "daemon", takes: "an absolute path",
            standard:
                "keychaind in the program's folder, else in /usr/local/libexec, /usr/libexec, /usr/local/bin, /usr/bin",
            meaning: "The daemon to start when none answers.", read: { path($0, &$1.daemon) }),
        Setting(
            variable: "KEYCHAIN_TIMEOUT", key: "timeout", takes: "milliseconds, 1 to \(longestTimeout)",
            standard: "\(WireLimits.defaultDeadline)",
            meaning: "How long a request may take, a daemon's start included; a check of everything may take longer.",
            read: { milliseconds($0, &$1.timeout) }),
        Setting(
            variable: "KEYCHAIN_INTERACTION", key: "interaction", takes: names(of: Configuration.Interaction.self),
            standard: "auto",
            meaning: "Whether, and where, the user may be asked for a finger, a passcode or a password.",
            read: { name($0, &$1.interaction) }),
        Setting(
            variable: "KEYCHAIN_ANCHORS", key: "anchors", takes: "an absolute path",
            standard: "the first there is of \(anchorFiles.joined(separator: ", "))",
            meaning: "The PEM certificates that `SecTrust` believes.", read: { path($0, &$1.anchors) }),
        Setting(
            variable: "KEYCHAIN_TPM", key: "tpm", takes: "auto, none, or a TCTI of tpm2-tss such as device:/dev/tpmrm0",
            standard: "auto: /dev/tpmrm0 where this user may use it",
            meaning: "The TPM that a new keychain's keys rest on, or that a keychain is moved to.",
            read: { tpm($0, &$1.tpm) }),
        Setting(
            variable: "KEYCHAIN_PINENTRY", key: "pinentry", takes: "auto, none, or an absolute path",
            standard: "auto: what is installed, for a display or a terminal",
            meaning: "The pinentry that asks for passcodes. Without one they are asked for on the terminal.",
            read: { pinentry($0, &$1.pinentry) }),
        Setting(
            variable: "KEYCHAIN_LOGIN_PASSWORD", key: "login-password", takes: names(of: Configuration.Consent.self),
            standard: "no",
            meaning:
                "Whether the password of the user's login, verified by PAM, may stand in where no passcode is set.",
            read: { name($0, &$1.loginPassword) }),
        Setting(
            variable: "KEYCHAIN_HISTORY_DAYS", key: "history-days", takes: "0 to \(Configuration.longestHistory)",
            standard: "\(Configuration.standardHistory)",
            meaning:
                "For how many days earlier versions of items, and deleted items, are kept by the daemon, "
                + "or by a program without one, that has this setting when it starts; 0 keeps none, drops at once what "
                + "others have kept, and makes no daily copies.",
            read: { days($0, &$1.historyDays) }),
        Setting(
            variable: "KEYCHAIN_CI", key: "ci", takes: "what `security ci-start` printed", standard: "none",
            meaning:
                "The throw-away keychain at KEYCHAIN_SOCKET, which lies in memory and ends with its owner. No program "
                + "starts its daemon again.",
            read: { identifier($0, &$1.throwAway) }),
    ]

    /// Where Debian, Fedora, openSUSE and Alpine have them.
    static let anchorFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    private static let longestTimeout = WireLimits.longestDeadline

    private static func path(_ text: String, _ value: inout String?) -> Bool {
        value = text
        return text.hasPrefix("/")
    }

    private static func name<Name: RawRepresentable<String>>(_ text: String, _ value: inout Name?) -> Bool {
        value = Name(rawValue: text)
        return value != nil
    }

    private static func pinentry(_ text: String, _ value: inout String?) -> Bool {
        value = text
        return text == "none" || text == Configuration.anyPinentry || text.hasPrefix("/")
    }

    private static func milliseconds(_ text: String, _ value: inout UInt32?) -> Bool {
        value = UInt32(text)
        return (1...longestTimeout).contains(value ?? 0)
    }

    /// 32 hexadecimal digits.
    private static func identifier(_ text: String, _ value: inout String?) -> Bool {
        value = text
        let isHex = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isHex && text.utf8.count == 32
    }

    private static func days(_ text: String, _ value: inout UInt32?) -> Bool {
        value = UInt32(text)
        return (0...Configuration.longestHistory).contains(value ?? .max)
    }

    /// A name and what the module of that name is told. A path would be a library of anybody's.
    private static func tpm(_ text: String, _ value: inout String?) -> Bool {
        let name = text.prefix { $0 != ":" }
        value = text
        return !name.isEmpty && name.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == 0x2d }
            && text.utf8.count <= longestAddress && !text.utf8.contains(0)
    }

    private static let longestAddress = 1024

    private static func names<Name: RawRepresentable<String> & CaseIterable>(of _: Name.Type) -> String {
        Name.allCases.map(\.rawValue).joined(separator: ", ")
    }
}
