import LinuxSystem

/// The file that this daemon was started from: once another release has been installed in its place, the daemon need
/// not go on.
///
/// It ends when nobody has been connected for a while, and the next program starts the new one. A keychain with a
/// password is locked then, as after every end of its daemon.
struct OwnProgram {
    private let path: String?
    private let status: FileStatus?
    private let usual: UInt64?
    private let afterUpgrade: UInt64

    init(_ options: DaemonArguments.Options) {
        let own = try? ExecutableFile(ofProcess: CurrentProcess.identifier)
        (path, status) = (own?.path, own?.status)
        (usual, afterUpgrade) = (options.idleExit, options.upgradeExit)
    }

    /// After how many seconds without anybody the daemon is to end; nil for never.
    var idleExit: UInt64? { wasReplaced ? min(usual ?? .max, afterUpgrade) : usual }

    /// Whether its path leads to another file now, or to none.
    private var wasReplaced: Bool {
        guard let path, let status else { return false }
        do throws(SystemError) { return try FileStatus(at: path)?.isSameFile(as: status) != true } catch {
            return false
        }
    }
}
