import Glibc
package import KeychainModel
import KeychainWire
import LinuxSystem

/// The named keychains of a user: the folder `keychains` of the keychain's own folder.
///
///     keychains/lock          is held (flock) by the program that makes or deletes one, or changes the list
///     keychains/list          the default and the search list (``SearchList``)
///     keychains/UUID/         a store: a keychain's folder as `KEYCHAIN_HOME` names one, with a daemon of its own
///     keychains/UUID/name     the path of its name file
///     keychains/UUID.new      is there until the creation of the store has ended, or its first use
///     keychains/UUID.deleted  a store that is being deleted; says nothing of a store that is there as well
///     keychains/NAME-db       the name file of a bare name
///
/// Secrets are in the stores alone.
package struct NamedKeychains: Sendable {
    let configuration: Configuration
    let paths: KeychainPath

    /// The most stores that a user may have.
    package static let most = 64
    /// How long a program waits for another one that makes or deletes a keychain: milliseconds.
    private static let patience = 10_000

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

    /// Whether there is a store of this name.
    package func isStored(_ identifier: NamedKeychain.Identifier) -> Bool {
        guard let status = try? FileStatus(ofLink: store(identifier)) else { return false }
        return status.isDirectory && status.owner == CurrentProcess.user
    }

    /// Runs something while no other program makes or deletes a keychain, or changes the list.
    ///
    /// - Throws: `errSecNotAvailable` when the folder cannot be had, or others have it for too long.
    func alone<Result>(_ body: () throws(Refusal) -> Result) throws(Refusal) -> Result {
        guard areKept else { throw .namedInService(folder) }
        let lock: FileLock
        do throws(SystemError) { lock = try takeLock() } catch {
            throw .cannot("use the folder of keychains", folder, error)
        }
        defer { lock.release() }
        return try body()
    }

    /// A lock whose file somebody has removed meanwhile keeps nobody out.
    private func takeLock() throws(SystemError) -> FileLock {
        let deadline = Deadline.after(milliseconds: Self.patience)
        while true {
            try PrivateDirectory.ensure(configuration.folder)
            try PrivateDirectory.ensure(folder)
            let lock = try FileLock(folder + "/lock", .exclusive, deadline: deadline)
            if lock.hasItsFile { return lock }
        }
    }

    func identifiers() throws(Refusal) -> [NamedKeychain.Identifier] {
        do throws(SystemError) {
            return try FolderEntries.names(in: folder).compactMap { NamedKeychain.Identifier($0) }
        } catch {
            if error.code == ENOENT { return [] }
            throw .cannot("list", folder, error)
        }
    }
}
