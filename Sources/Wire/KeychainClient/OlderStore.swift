import Glibc
package import KeychainModel
package import LinuxSystem

/// The keychain that a user's programs had before the system service came: below the user's home, kept by a daemon of
/// the user's own.
///
/// Commands look for it; no daemon does.
package struct OlderStore: Sendable {
    private let configuration: Configuration

    /// Nil where the system service does not keep the user's keychain.
    package init?(_ configuration: Configuration) {
        guard configuration.usesSystemService, !configuration.socketIsGiven, let socket = configuration.ownSocket else {
            return nil
        }
        var own = configuration
        (own.usesSystemService, own.socket, own.idleExit) = (false, socket, Self.idleExit)
        self.configuration = own
    }

    package var folder: String { configuration.folder }

    /// Its daemon is needed for a while only: seconds.
    private static let idleExit: UInt32 = 60

    /// Whether there is one, with items in it or not: a program may have put some into an emptied one.
    package var isMade: Bool { !configuration.isUnmade }

    /// Whether there is one whose items were not all taken away.
    package var isThere: Bool { isMade && !isEmptied }

    private var isEmptied: Bool { (try? FileStatus(ofLink: mark)) != nil }
    private var mark: String { folder + "/keychain.moved" }

    /// Reaches it, through a daemon that is started for it.
    ///
    /// - Throws: as ``Connection/reach(_:)``; `errSecNotAvailable` where no daemon is installed.
    package func reach() throws(Refusal) -> any KeychainConnection {
        guard let connection = try Connection.reach(configuration) else {
            throw Refusal(
                .notAvailable, .unavailable, folder, "No daemon is installed that could open the store in \(folder).",
                do: "Install keychaind, or set KEYCHAIN_DAEMON to its path.")
        }
        return connection
    }

    /// Notes whether all of its items have been taken away, so that nobody is sent there for nothing.
    ///
    /// - Throws: `SystemError` when that cannot be written down.
    package func note(isEmptied: Bool) throws(SystemError) {
        if isEmptied {
            let text = Array("The items of this keychain are in that of the system service.\n".utf8)
            return try AtomicFile.replace(mark, with: text.span)
        }
        guard unsafe unlink(mark) == 0 || errno == ENOENT else { throw SystemError(code: errno, call: "unlink") }
    }
}
