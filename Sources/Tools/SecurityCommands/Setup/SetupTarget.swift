import LinuxSystem

/// A program that `security setup` makes use the keychain.
struct SetupTarget: Sendable {
    /// The word for it on the command line.
    let name: String
    /// The change to it, for people.
    let summary: String
    /// The necessary changes.
    let changes: @Sendable (SetupPlace, SetupWish) throws(CommandFailure) -> [FileChange]

    static let all = [
        GitSetup.target, DockerSetup.target, SwiftSetup.target, DesktopSetup.target,
    ]
}

/// The wishes of the caller of `security setup`.
struct SetupWish: Sendable {
    /// Everything that an earlier setup has changed is to be taken back.
    let undoes: Bool
    /// A Swift package is to find the SDK that is installed.
    let addsLibrary: Bool
    /// The targets of a Swift package get a file that lets Foundation's protection of files protect them.
    var protectsFiles = false
    /// Secrets of an older keyring may stay there.
    var leavesOlderSecrets = false
}

/// Where a user's settings are, as the environment says.
struct SetupPlace: Sendable {
    let home: String
    private let environment: @Sendable (String) -> String?

    /// - Throws: ``CommandFailure`` without a home, and for root in that of another user.
    init(_ environment: @escaping @Sendable (String) -> String?) throws(CommandFailure) {
        guard let home = environment("HOME"), home.hasPrefix("/") else {
            throw .failed("HOME is not set", remedy: "Set it to your home folder.")
        }
        // The user could lead a file that root writes there anywhere by a link.
        if CurrentProcess.user == 0, let status = try? FileStatus(at: home), status.owner != 0 {
            throw .failed("\(home) is another user's home", remedy: "Run the command as that user.")
        }
        (self.home, self.environment) = (home, environment)
    }

    /// The value of a variable; nil for an empty one.
    func variable(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// A folder that a variable names, else one in the home.
    func folder(_ variable: String, else standard: String) -> String {
        if let path = self.variable(variable), path.hasPrefix("/") { return path }
        return "\(home)/\(standard)"
    }

    /// Where the command notes what was there before it came.
    var records: String { folder("XDG_STATE_HOME", else: ".local/state") + "/keychain" }

    /// The path of a program that is found by its name; nil when it is not.
    func program(_ name: String) -> String? {
        let folders = (variable("PATH") ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { path in
            guard path.hasPrefix("/"), let status = try? FileStatus(at: path) else { return false }
            return status.isRegularFile && status.mode & 0o111 != 0
        }
    }
}
