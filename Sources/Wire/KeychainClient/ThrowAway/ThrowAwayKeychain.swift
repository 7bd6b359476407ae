import Glibc
package import KeychainModel
import KeychainWire
package import LinuxSystem

/// A keychain for one job: a daemon of its own, in a random folder of a file system in memory.
///
/// Its password is random unless one is given, and only the enclave has it. Memory of the folder that the kernel swaps
/// out opens with nothing that is in it. The daemon ends with its owner, after a time, or when ``stop(_:)`` is called.
package struct ThrowAwayKeychain: Sendable {
    /// The settings with which it is reached.
    package let configuration: Configuration
    /// Says which one is meant, in `KEYCHAIN_CI`.
    package let identifier: String

    package var socket: String { configuration.socket }

    /// The demands of the program that starts it.
    package struct Plan: Sendable {
        /// A word in its folder's name, for people.
        package var name = "ci"
        /// Nil for a random one.
        package var password: SecretBytes?
        /// The process with which it ends.
        package var owner: Int32?
        /// The seconds after which it ends.
        package var seconds: UInt64?

        package init() {}
    }

    private static let prefix = "keychain-"

    /// Starts it, unlocked.
    ///
    /// - Throws: `errSecNotAvailable` without a folder in memory or an installed daemon, and when the owner has ended.
    ///   Nothing is left then.
    package static func start(
        _ plan: Plan, _ configuration: Configuration
    ) throws(Refusal) -> ThrowAwayKeychain {
        guard let base = MemoryFolders.find() else { throw .noMemoryFolder }
        removeRemains(in: base)
        let (folder, identifier, lock) = try makeFolder("\(base)/\(prefix)\(plan.name)-")
        defer { withExtendedLifetime(lock) {} }
        let keychain = ThrowAwayKeychain(configuration.throwAway(folder), identifier)
        do throws(Refusal) { try keychain.start(plan) } catch {
            keychain.end()
            throw error
        }
        return keychain
    }

    /// Makes a folder that no program clears up for as long as its lock or its daemon lives. One that was cleared up
    /// before it was locked is followed by another.
    private static func makeFolder(_ beginning: String) throws(Refusal) -> (String, String, FolderLock) {
        while true {
            let identifier = Randomness.bytes(16).flatMap { [$0 >> 4, $0 & 15] }.map { String($0, radix: 16) }.joined()
            let folder = beginning + identifier
            do throws(SystemError) {
                try PrivateDirectory.ensure(folder)
                if let lock = try FolderLock(folder, .shared) { return (folder, identifier, lock) }
            } catch {
                if error.code != ENOENT { throw .cannotThrowAway(folder, error) }
            }
        }
    }

    private init(_ configuration: Configuration, _ identifier: String) {
        (self.configuration, self.identifier) = (configuration, identifier)
    }

    private func start(_ plan: Plan) throws(Refusal) {
        let launcher = DaemonLauncher(configuration: configuration)
        guard let program = launcher.program else { throw .noDaemonToThrowAway }
        let owner = plan.owner.flatMap { try? RunningProcess($0) }
        if plan.owner != nil, owner == nil { throw .ownerHasEnded }
        let limits = [("--owner", plan.owner.map { "\($0)" }), ("--ttl", plan.seconds.map { "\($0)" })]
        let words = limits.flatMap { name, value in value.map { [name, $0] } ?? [] }
        let reason = try launcher.start(program, ["--throw-away"] + words, by: launcher.deadline)
        guard let connection = try Connection.running(configuration) else {
            if let owner, owner.hasEnded { throw .ownerHasEnded }
            throw .didNotStart(configuration.folder, reason)
        }
        let password: FileDescriptor
        let random = Self.randomPassword(atLeast: Int(try AdministratorPolicy.load().minimumPasscode))
        do throws(SystemError) { password = try PasscodeFile.make(plan.password ?? random) } catch {
            throw .cannotThrowAway(configuration.folder, error)
        }
        _ = try connection.device(.setPasscode, passcodes: [password])
        // The number may have become another process's while the daemon started.
        if let owner, owner.hasEnded { throw .ownerHasEnded }
    }

    /// 256 bits in hexadecimal, and more digits where the administrator demands a longer password.
    private static func randomPassword(atLeast demanded: Int) -> SecretBytes {
        let random = SecretBytes(count: max(32, (demanded + 1) / 2))
        random.withMutableSpan { Randomness.fill(&$0) }
        let (password, digits) = (SecretBuffer(capacity: random.count * 2), Array("0123456789abcdef".utf8))
        random.withSpan { bytes in
            for index in bytes.indices {
                password.append(digits[Int(bytes[index] >> 4)])
                password.append(digits[Int(bytes[index] & 15)])
            }
        }
        return password.finish()
    }

    /// Whether a keychain was not started because its owner has ended.
    package static func isOwnersEnd(_ refusal: Refusal) -> Bool {
        refusal.rule == .unavailable && refusal.subject == ownerSubject
    }

    fileprivate static let ownerSubject = "owner"

    /// Ends the keychain that the settings name, and removes what is left of one that was killed. Nothing happens when
    /// it has ended.
    ///
    /// - Throws: `errSecParam` when the settings name none.
    package static func stop(_ configuration: Configuration) throws(Refusal) {
        guard configuration.kind == .throwAway else { throw .noThrowAway }
        ThrowAwayKeychain(configuration, "").end()
    }

    /// Removes the socket, by which the daemon ends, waits for its end, and removes what it could not.
    private func end() {
        guard Self.isOne(configuration.folder) else { return }
        let daemon = DaemonEnd(at: configuration.socket)
        unsafe unlink(configuration.socket)
        daemon?.wait()
        try? PrivateDirectory.remove(configuration.folder)
    }

    /// Whether a folder is one that ``start(_:_:)`` has made.
    private static func isOne(_ folder: String) -> Bool {
        guard let name = folder.split(separator: "/").last, name.hasPrefix(prefix), name.utf8.count > 32,
            name.utf8.suffix(32).allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return false }
        return MemoryFolders.isOwn(folder)
    }

    /// Removes the folders of daemons and starters that were killed. Those that live hold the lock of their folder.
    private static func removeRemains(in base: String) {
        let names = (try? FolderEntries.names(in: base)) ?? []
        for folder in names.map({ "\(base)/\($0)" }) where isOne(folder) {
            let socket = folder + "/keychaind.sock"
            // A daemon of an older release holds no lock; one that was killed still does when its socket has closed.
            guard DaemonEnd(at: socket) == nil else { continue }
            let hasBegun = (try? FileStatus(ofLink: socket)) != nil
            let patience = Deadline.after(milliseconds: hasBegun ? patience : 0)
            guard let lock = try? FolderLock(folder, .exclusive, deadline: patience) else { continue }
            defer { withExtendedLifetime(lock) {} }
            try? PrivateDirectory.remove(folder)
        }
    }

    /// How long the end of a daemon that was killed may take: milliseconds.
    private static let patience = 1000
}

extension Configuration {
    /// The settings of every throw-away keychain by their keys. No policy has stricter ones: it asks nobody, keeps no
    /// earlier values, and its keys end with it.
    package static let ofThrowAway = [
        "tpm": "none", "pinentry": "none", "login-password": Consent.no.rawValue, "history-days": "0",
    ]

    fileprivate func throwAway(_ folder: String) -> Configuration {
        var own = self
        (own.folder, own.socket, own.socketIsGiven) = (folder, folder + "/keychaind.sock", true)
        (own.usesSystemService, own.mode, own.kind) = (false, .daemon, .throwAway)
        (own.tpm, own.pinentry, own.loginPassword, own.historyDays) = ("none", "none", .no, 0)
        return own
    }
}

extension Refusal {
    fileprivate static let noMemoryFolder = Refusal(
        .notAvailable, .unavailable, "memory",
        "There is no folder in memory (tmpfs) in which this user may make files.",
        do: "Mount a tmpfs at /dev/shm, or set XDG_RUNTIME_DIR.")

    fileprivate static let noDaemonToThrowAway = Refusal(
        .notAvailable, .unavailable, "keychaind", "No keychain daemon is installed.",
        do: "Install keychaind, or set KEYCHAIN_DAEMON to its path.")

    fileprivate static let ownerHasEnded = Refusal(
        .notAvailable, .unavailable, ThrowAwayKeychain.ownerSubject,
        "The process that the keychain should end with has ended.",
        do: "Name one that goes on (--owner), or a time (--ttl).")

    fileprivate static let noThrowAway = Refusal(
        .param, .unavailable, "KEYCHAIN_CI", "KEYCHAIN_CI names no throw-away keychain.",
        do: "Set it and KEYCHAIN_SOCKET as `security ci-start` printed them.")

    fileprivate static func didNotStart(_ folder: String, _ reason: String?) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, folder,
            "The daemon of the throw-away keychain does not serve" + (reason.map { ": \($0)" } ?? "."),
            do: "Start keychaind --throw-away --ttl 60 --store \(folder) by hand, which says why.")
    }

    fileprivate static func cannotThrowAway(_ folder: String, _ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, folder, "The throw-away keychain cannot be made: \(error).",
            do: "Check the space in \(folder) and the number of open files.")
    }
}
