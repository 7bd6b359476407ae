import Glibc
package import KeychainModel
package import KeychainPolicy
package import LinuxSystem

/// Identifies callers for a daemon that serves one user: each program has the group of its executable (S-18).
///
/// It tells the user's programs apart, and keeps out other users. It is no wall between programs of the same user, who can
/// trace each other; that takes programs installed by root and a daemon of its own user.
package enum UserIdentity {
    /// Identifies the program at the other end of a connection.
    ///
    /// - Throws: `errSecMissingEntitlement` for another user's process, `errSecNotAvailable` when the program cannot be looked
    ///   at.
    @Sendable package static func identify(_ peer: UnixSocket) throws(Refusal) -> CallerIdentity {
        try identify(peer, user: geteuid(), inspector: inspector)
    }

    /// - Parameters:
    ///   - user: whom the daemon serves.
    ///   - inspector: the file of the one program that may list the items of all groups.
    package static func identify(
        _ peer: UnixSocket, user: UInt32, inspector: FileStatus?
    ) throws(Refusal) -> CallerIdentity {
        let credentials = try look { () throws(SystemError) in try PeerCredentials(of: peer) }
        guard credentials.user == user else { throw .foreignUser(credentials.user, user) }
        let executable = try look { () throws(SystemError) in try ExecutableFile(of: credentials) }
        // A program that made itself another view of the file system can give its file any name (unless it was deleted: then
        // it may have been replaced by its own update, and there is nothing to compare).
        guard executable.isAtItsPath || executable.status.links == 0 else { throw .notAtItsPath(executable.path) }
        return CallerIdentity(
            user: credentials.user, process: credentials.process, program: executable.path,
            groups: [CallerIdentity.ownGroup(ofExecutable: executable.path)],
            mayInspectAllGroups: inspector.map(executable.status.isSameFile) ?? false)
    }

    private static func look<Result>(_ body: () throws(SystemError) -> Result) throws(Refusal) -> Result {
        do throws(SystemError) { return try body() } catch { throw .unidentified(error) }
    }

    /// The `security` command that was installed with this daemon: known by its inode, because a name can be faked.
    private static var inspector: FileStatus? {
        guard let own = try? ExecutableFile(ofProcess: getpid()), let slash = own.path.lastIndex(of: "/") else {
            return nil
        }
        return try? FileStatus(at: own.path[...slash] + "security")
    }
}

extension Refusal {
    fileprivate static func foreignUser(_ user: UInt32, _ owner: UInt32) -> Refusal {
        Refusal(
            .missingEntitlement, .unidentifiedCaller, "uid", "This keychain belongs to user \(owner), not to \(user).",
            do: "Use a keychain of your own: unset KEYCHAIN_SOCKET and KEYCHAIN_HOME.")
    }

    fileprivate static func notAtItsPath(_ path: String) -> Refusal {
        Refusal(
            .missingEntitlement, .unidentifiedCaller, path,
            "The program calls itself \(path), but another file lies there.",
            do: "Run it outside of its sandbox, or use an embedded keychain inside (KEYCHAIN_MODE=embedded).")
    }

    fileprivate static func unidentified(_ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unidentifiedCaller, "program", "The calling program cannot be identified: \(error).",
            do:
                "Check that it still runs, that /proc is mounted and that the program allows others of its user to look at it."
        )
    }
}

extension Refusal.Rule {
    /// The daemon does not know, or does not serve, whoever is at the other end.
    package static let unidentifiedCaller = Self(rawValue: "access.unidentified-caller")
}
