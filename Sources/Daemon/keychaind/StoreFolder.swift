import Glibc
import KeychainStore
import LinuxSystem

/// The folder that a daemon serves. It is held open, so that another folder at its path is not taken for it.
struct StoreFolder {
    private let path: String
    private let folder: FileDescriptor
    private let opened: FileStatus
    /// Keeps the folder of a throw-away keychain from the programs that clear up; nil for a keychain that stays.
    private let lock: FolderLock?

    /// The program that makes the folder.
    enum Maker {
        /// The first daemon of a usual keychain.
        case daemon
        /// Another program, for a named keychain. One that was deleted meanwhile would come back empty if the daemon
        /// made it.
        case other
        /// Another program, for a throw-away keychain.
        case job
    }

    /// Opens the folder.
    ///
    /// - Throws: `SystemError` of `mkdir` or `open`: `ENOENT` where there is none. For a folder that another program
    ///   makes also `EPERM` when it is another user's, or open to others; `ELOOP` or `ENOTDIR` when it is a link.
    init(_ path: String, madeBy maker: Maker) throws(SystemError) {
        self.path = path
        if maker == .daemon, !ItemStore.exists(in: path) { try PrivateDirectory.ensure(path) }
        folder = try Self.open(path, maker == .daemon ? 0 : O_NOFOLLOW)
        opened = try FileStatus(of: folder)
        if maker != .daemon { try Self.check(opened, path) }
        lock = maker == .job ? try Self.lock(path) : nil
    }

    private static func open(_ path: String, _ flags: CInt) throws(SystemError) -> FileDescriptor {
        do throws(SystemError) {
            return try FileDescriptor.open(path, O_RDONLY | O_DIRECTORY | flags)
        } catch {
            throw error.code == ENOENT ? lost(path) : error
        }
    }

    private static func check(_ found: FileStatus, _ path: String) throws(SystemError) {
        guard found.owner == CurrentProcess.user, found.mode & 0o077 == 0 else {
            throw SystemError(code: EPERM, call: "open", advice: "\(path) is another user's, or others may enter it")
        }
    }

    private static func lock(_ path: String) throws(SystemError) -> FolderLock {
        guard let lock = try FolderLock(path, .shared) else { throw lost(path) }
        return lock
    }

    /// Checks that the path still leads to the folder.
    ///
    /// - Throws: `SystemError` with `ENOENT` when it does not: nobody would find what is stored in it.
    func check() throws(SystemError) {
        guard try FileStatus(at: path)?.isSameFile(as: opened) == true else { throw Self.lost(path) }
    }

    private static func lost(_ path: String) -> SystemError {
        SystemError(code: ENOENT, call: "open", advice: "the keychain in \(path) was deleted or moved away")
    }
}
