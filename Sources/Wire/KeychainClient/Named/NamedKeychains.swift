import Glibc
package import KeychainModel
import KeychainWire
package import LinuxSystem

/// The named keychains of a user: the folder `keychains` of the keychain's own folder.
///
///     keychains/lock        is held (flock) by the program that makes or deletes one, or changes the list
///     keychains/list        the default and the search list (``SearchList``)
///     keychains/UUID/       a store: a keychain's folder as `KEYCHAIN_HOME` names one, served by a daemon of its own
///     keychains/UUID/name   the path of its name file
///     keychains/UUID.new    is there while the store is made; no name file names it yet
///     keychains/NAME-db     the name file of a bare name
///
/// Secrets are in the stores alone.
package struct NamedKeychains: Sendable {
    let configuration: Configuration
    let paths: KeychainPath

    /// The most stores that a user may have.
    package static let most = 64
    /// How long a program waits for another one that makes or deletes a keychain: milliseconds.
    private static let patience = 10_000
    private static let deletedEnding = ".deleted"
    private static let unfinishedEnding = ".new"

    /// - Parameters:
    ///   - configuration: the settings of the keychain that there always is.
    ///   - home: the user's home folder; nil where there is none.
    package init(_ configuration: Configuration, home: String?) {
        self.configuration = configuration
        paths = KeychainPath(folder: configuration.folder + "/keychains", home: home)
    }

    /// Those of this process's user.
    package init(_ configuration: Configuration) {
        let home = unsafe getenv("HOME").map { unsafe String(cString: $0) }
        self.init(configuration, home: HomeFolder.path(home))
    }

    package var folder: String { paths.folder }
    /// The path that stands for the keychain that there always is.
    package var loginPath: String { paths.ofLogin }

    /// The folder of a store.
    package func store(_ identifier: NamedKeychain.Identifier) -> String { "\(folder)/\(identifier)" }

    /// Whether there are named keychains in this deployment. Programs of the system service's users cannot make any:
    /// the secrets would lie in the user's own files.
    package var areKept: Bool { !configuration.usesSystemService }

    /// Finds the keychain that a name stands for.
    ///
    /// - Throws: `errSecNoSuchKeychain` when there is none, or when its file names a store that is not here;
    ///   `errSecInvalidKeychain` for a file that is no name file; `errSecNotAvailable` in the system service.
    package func find(_ name: String) throws(Refusal) -> ChosenKeychain {
        if paths.isLogin(name) { return .login }
        guard areKept else { throw .namedInService(name) }
        for path in paths.places(name) {
            switch NameFile.content(at: path) {
            case .nothing: continue
            case .other(let reason): throw .notANameFile(path, reason)
            case .name(let identifier):
                guard isStored(identifier) else { throw .namesNothing(path) }
                return .named(NamedKeychain(identifier, path: path))
            }
        }
        throw .noSuchKeychain(name)
    }

    private func isStored(_ identifier: NamedKeychain.Identifier) -> Bool {
        guard let status = try? FileStatus(ofLink: store(identifier)) else { return false }
        return status.isDirectory && status.owner == CurrentProcess.user
    }

    /// The settings with which a store is reached: a daemon of its own, in the store's folder.
    package func configuration(of keychain: NamedKeychain) -> Configuration {
        var own = configuration
        own.folder = store(keychain.identifier)
        own.socket = own.folder + "/keychaind.sock"
        (own.usesSystemService, own.mode, own.kind) = (false, .daemon, .named)
        return own
    }

    /// Reaches a store, through a daemon that is started for it.
    ///
    /// - Throws: as ``Connection/reach(_:)``; `errSecNoSuchKeychain` when the store has gone.
    package func reach(_ keychain: NamedKeychain) throws(Refusal) -> any KeychainConnection {
        guard isStored(keychain.identifier) else { throw .namesNothing(keychain.path) }
        guard let connection = try Connection.reach(configuration(of: keychain)) else {
            throw .noSuchKeychain(keychain.path)
        }
        return connection
    }

    /// Runs something while no other program makes or deletes a keychain, or changes the list.
    ///
    /// - Throws: `errSecNotAvailable` when the folder cannot be had, or others have it for too long.
    func alone<Result>(_ body: () throws(Refusal) -> Result) throws(Refusal) -> Result {
        guard areKept else { throw .namedInService(folder) }
        let lock: FileLock
        do throws(SystemError) {
            try PrivateDirectory.ensure(configuration.folder)
            try PrivateDirectory.ensure(folder)
            lock = try FileLock(folder + "/lock", .exclusive, deadline: .after(milliseconds: Self.patience))
        } catch { throw .cannot("use the folder of keychains", folder, error) }
        defer { lock.release() }
        return try body()
    }
}

/// Making and deleting.
extension NamedKeychains {
    /// Makes a keychain, which is open and the last of the search list then.
    ///
    /// - Parameters:
    ///   - name: a bare name or a path.
    ///   - password: a memory file with its password; nil for none.
    /// - Throws: `errSecDuplicateKeychain` when there is a file already; `errSecNotAvailable` when there are too many,
    ///   the daemon cannot be started, or the search list cannot be changed; what the file system says. Nothing is left
    ///   then.
    @discardableResult
    package func create(_ name: String, password: FileDescriptor?) throws(Refusal) -> NamedKeychain {
        if paths.isLogin(name) { throw .duplicate(paths.ofLogin) }
        return try alone { () throws(Refusal) in
            let keychain = NamedKeychain(NamedKeychain.Identifier(), path: paths.new(name))
            try checkFree(keychain.path)
            _ = try list()
            sweep()
            guard try identifiers().count < Self.most else { throw .tooMany(folder) }
            do throws(Refusal) {
                try makeStore(keychain, password)
                try updateList { $0.search.append(.path(keychain.path)) }
            } catch {
                try? removeName(keychain)
                discard(keychain.identifier)
                throw error
            }
            return keychain
        }
    }

    private func checkFree(_ path: String) throws(Refusal) {
        guard SearchList.isPath(path) else { throw .notAPath(path) }
        switch NameFile.content(at: path) {
        case .nothing: return
        case .name(let identifier) where !isStored(identifier): throw .duplicateNamesNothing(path)
        case .name, .other: throw .duplicate(path)
        }
    }

    private func makeStore(_ keychain: NamedKeychain, _ password: FileDescriptor?) throws(Refusal) {
        let store = store(keychain.identifier)
        do throws(SystemError) {
            try AtomicFile.replace(store + Self.unfinishedEnding, with: [UInt8]().span)
            try PrivateDirectory.ensure(store)
            try AtomicFile.replace(store + "/name", with: Array(keychain.path.utf8).span)
        } catch { throw .cannot("make the keychain", keychain.path, error) }
        let connection = try reach(keychain)
        if let password {
            _ = try connection.device(.setPasscode, passcodes: [password])
        } else {
            _ = try connection.device(.status, passcodes: [])
        }
        do throws(SystemError) {
            // A store with a name is never taken for one that was not finished.
            try AtomicFile.remove(store + Self.unfinishedEnding)
            if let parent = PrivateDirectory.parent(of: keychain.path), parent == paths.library {
                try PrivateDirectory.make(parent)
            }
            try NameFile.make(keychain)
        } catch {
            throw error.code == EEXIST ? .duplicate(keychain.path) : .cannot("write", keychain.path, error)
        }
    }

    /// Deletes a keychain: its store first, then its name.
    ///
    /// - Throws: `errSecNoSuchKeychain` when another program has deleted it; `errSecNotAvailable` when the store cannot
    ///   be moved away, or the search list cannot be read. Nothing is changed then.
    package func delete(_ keychain: NamedKeychain) throws(Refusal) {
        try alone { () throws(Refusal) in
            guard isStored(keychain.identifier) else { throw .namesNothing(keychain.path) }
            _ = try list()
            try remove(keychain.identifier)
            try removeName(keychain)
            try updateList { list in
                list.search.removeAll { $0 == .path(keychain.path) }
                if list.standard == .path(keychain.path) { list.standard = .login }
            }
        }
    }

    private func removeName(_ keychain: NamedKeychain) throws(Refusal) {
        // Somebody may have put another file there meanwhile.
        guard NameFile.content(at: keychain.path) == .name(keychain.identifier) else { return }
        do throws(SystemError) { try AtomicFile.remove(keychain.path) } catch {
            throw .cannot("remove", keychain.path, error)
        }
    }

    /// Moves the store away, which its daemon sees and ends, and removes it.
    private func remove(_ identifier: NamedKeychain.Identifier) throws(Refusal) {
        let (store, gone) = (store(identifier), store(identifier) + Self.deletedEnding)
        let daemon = DaemonEnd(at: store + "/keychaind.sock")
        do throws(SystemError) { try AtomicFile.rename(store, to: gone) } catch {
            throw .cannot("remove", store, error)
        }
        daemon?.wait()
        try? PrivateDirectory.remove(gone)
    }

    /// Deletes the keychain that there always is; the next item that is stored makes another. Named ones stay.
    ///
    /// - Throws: `errSecNotAvailable` in the system service, and when a file cannot be removed.
    package func deleteLogin() throws(Refusal) {
        try alone { () throws(Refusal) in
            let daemon = DaemonEnd(at: configuration.socket)
            do throws(SystemError) {
                try AtomicFile.remove(configuration.socket)
                daemon?.wait()
                let kept = ["keychains", "keychaind.log", "keychaind.sock.lock"]
                for name in try FolderEntries.names(in: configuration.folder) where !kept.contains(name) {
                    let path = "\(configuration.folder)/\(name)"
                    if try FileStatus(ofLink: path)?.isRegularFile == true { try AtomicFile.remove(path) }
                }
            } catch { throw .cannot("remove the keychain", configuration.folder, error) }
        }
    }

    private func discard(_ identifier: NamedKeychain.Identifier) {
        try? remove(identifier)
        try? AtomicFile.remove(store(identifier) + Self.unfinishedEnding)
    }

    /// Removes what programs have left that were ended while they made or deleted a keychain.
    private func sweep() {
        for name in (try? FolderEntries.names(in: folder)) ?? [] {
            if name.hasSuffix(Self.deletedEnding) {
                try? PrivateDirectory.remove("\(folder)/\(name)")
            } else if name.hasSuffix(Self.unfinishedEnding),
                let identifier = NamedKeychain.Identifier(name.dropLast(Self.unfinishedEnding.count))
            {
                // A daemon that was just starting can make the store again: the mark stays for the next time.
                guard isStored(identifier) else { try? AtomicFile.remove("\(folder)/\(name)"); continue }
                try? remove(identifier)
            }
        }
    }

    private func identifiers() throws(Refusal) -> [NamedKeychain.Identifier] {
        do throws(SystemError) {
            return try FolderEntries.names(in: folder).compactMap { NamedKeychain.Identifier($0) }
        } catch {
            if error.code == ENOENT { return [] }
            throw .cannot("list", folder, error)
        }
    }

    /// The store with this identifier, when its name file has gone; nil otherwise.
    ///
    /// - Throws: as ``orphans()``.
    package func orphan(_ identifier: String) throws(Refusal) -> NamedKeychain? {
        try orphans().first { $0.identifier.description == identifier }
    }

    /// The stores whose name file has gone, each with the path it had.
    ///
    /// - Throws: `errSecNotAvailable` when the folder cannot be read.
    package func orphans() throws(Refusal) -> [NamedKeychain] {
        guard areKept else { return [] }
        return try identifiers().compactMap { identifier in
            let bytes = (try? AtomicFile.read(store(identifier) + "/name", limit: 4096)) ?? []
            let path = String(decoding: bytes, as: UTF8.self)
            if case .name(identifier) = NameFile.content(at: path) { return nil }
            return NamedKeychain(identifier, path: path)
        }
    }
}
