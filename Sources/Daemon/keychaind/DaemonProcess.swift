import CallerIdentification
import Glibc
import KeychainServer
import LinuxSystem
import Synchronization

/// The changes that the daemon makes to its own process.
enum DaemonProcess {
    /// Closes the ways other processes could look into this one. New privileges are forbidden once the enclave is
    /// started.
    ///
    /// - Throws: `SystemError` when one of them cannot be closed; the daemon must not go on then.
    static func harden() throws(SystemError) {
        try ProcessHardening.forbidDumps()
        try ProcessHardening.raiseLockedMemoryLimit()
        umask(0o077)
        // A limit on the size of files is an error of the call that meets it.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Cuts what ties this process to the program that started it: its session, its folder, its output.
    ///
    /// - Throws: `SystemError` when the log cannot be written.
    static func leaveSession(log path: String) throws(SystemError) {
        setsid()
        _ = unsafe chdir("/")
        let isLong = try FileStatus(at: path).map { $0.size > longestLog } ?? false
        let log = try FileDescriptor.open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | (isLong ? O_TRUNC : 0))
        for number in [STDOUT_FILENO, STDERR_FILENO] where dup2(log.number, number) < 0 {
            throw SystemError(code: errno, call: "dup2")
        }
        ownsLog.store(true, ordering: .relaxed)
    }

    /// Empties the log when it has grown too long; to be called before a line is written.
    static func boundLog() {
        guard ownsLog.load(ordering: .relaxed) else { return }
        var status = stat()
        if unsafe fstat(STDERR_FILENO, &status) == 0, status.st_size > longestLog { ftruncate(STDERR_FILENO, 0) }
    }

    /// A log is thrown away when it has grown to this.
    private static let longestLog = 1 << 20
    /// Whether what is written to the error output goes to a log that this daemon has opened.
    private static let ownsLog = Atomic(false)

    /// The limits on what clients may make grow, within what this process may open.
    ///
    /// - Throws: `SystemError` of `setrlimit`; `EMFILE` when it may open so little that it would serve nobody.
    static func limits(
        loops: Int = 1, requestRate: Int? = nil, connections: Int = ServerLimits().connections
    ) throws(SystemError) -> ServerLimits {
        var limits = ServerLimits()
        if let requestRate { limits.requestRate = requestRate }
        limits.loops = loops
        limits.files = (try ProcessLimits.raiseOpenFilesLimit() - ownFiles) / max(1, loops)
        guard limits.files >= fewestFiles else { throw SystemError(code: EMFILE, call: "setrlimit") }
        limits.connections = min(connections, limits.files)
        limits.connectionsOfTurn = limits.connections - limits.connections / 4
        limits.connectionsOfShared = limits.connections - limits.connections / 8
        limits.connectionsOfProgram = min(limits.connectionsOfProgram, max(fewestFiles / 4, limits.connections / 4))
        return limits
    }

    /// Whether this process writes to its log.
    static var hasLog: Bool { ownsLog.load(ordering: .relaxed) }

    /// The most that the daemon itself has open: its store and threads, and the processes it knows.
    private static let ownFiles = 64 + KnownProcesses.capacity * 2
    /// Enough for a handful of programs.
    private static let fewestFiles = 64
}
