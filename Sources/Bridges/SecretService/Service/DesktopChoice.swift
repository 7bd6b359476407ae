import Glibc
import KeychainClient
package import KeychainModel
package import LinuxSystem

/// Which program keeps the desktop's secrets of a user where an installation offers the bridge to all.
///
/// A program that asks another service than the one with its secrets hears that there are none, and makes new keys. So
/// users stay where they are: one with an older keyring has the service from before, until `security setup desktop`.
/// One that the bridge has served keeps the bridge.
package struct DesktopChoice {
    private let folders: UserFolders
    /// PAM makes an empty older keyring at any later login. So the bridge leaves a note when it serves a user.
    private var mark: String { "\(folders.state)/desktop" }

    /// - Throws: `errSecParam` where the user has no home.
    package init(_ environment: (String) -> String?) throws(Refusal) {
        guard let folders = UserFolders(environment) else { throw .noHome }
        self.folders = folders
    }

    /// The older keyring for which the user stays with the service from before; nil where the bridge serves them, from
    /// now on for ever.
    ///
    /// - Throws: `SystemError` where the choice cannot be read or noted: it must be the same at the next start.
    package func olderKeyring() throws(SystemError) -> String? {
        if try FileStatus(at: mark) != nil { return nil }
        if let keyring = OlderKeyring.first(below: folders.data) { return keyring }
        try PrivateDirectory.ensure(folders.state)
        try AtomicFile.replace(mark, with: Array(Self.note.utf8).span)
        return nil
    }

    private static let note = "keychain-secrets keeps the secrets of desktop programs for this user.\n"
}

/// The service that had a name on the bus before, by the file from which the bus would start it.
package struct FormerService {
    let words: [String]

    /// The most bytes of such a file.
    private static let longest = 64 << 10

    /// - Parameter file: a service file of D-Bus. Its command has no quotation marks.
    /// - Throws: `SystemError` of reading it; `EINVAL` for one without such a command.
    package init(_ file: String) throws(SystemError) {
        let text = String(decoding: try AtomicFile.read(file, limit: Self.longest), as: UTF8.self)
        let command = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Exec=") }?.dropFirst(5) ?? ""
        words = command.split(separator: " ").map(String.init)
        guard words.first?.hasPrefix("/") == true, !command.contains(where: { "\"'\\".contains($0) }) else {
            throw SystemError(code: EINVAL, call: "read", advice: "\(file) has no command that is a row of plain words")
        }
    }

    /// Replaces this program by the service.
    ///
    /// - Throws: `SystemError` of `execv`.
    package func begin() throws(SystemError) -> Never {
        try CurrentProcess.become(words[0], words.map { SecretBytes(copying: Array($0.utf8).span) })
    }
}

extension Refusal {
    fileprivate static let noHome = Refusal(
        .param, .configuration, "HOME", "HOME names no folder, so nobody knows whether there is an older keyring.",
        do: "Set HOME.")

    /// The older keyring has no service any more.
    ///
    /// - Parameter keyring: its file.
    package static func olderKeyring(_ keyring: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, keyring,
            "\(keyring) has secrets of an older keyring, which programs would no longer find.",
            do: "Run `security setup desktop`, which says how they are taken along or left behind.")
    }
}
