import CLinux
import Glibc

/// A program that this process has started and must wait for.
package final class ChildProcess: Sendable {
    /// The process number, valid until ``reap(timeout:)``.
    package let identifier: Int32
    private let end = Lock(End.unknown)

    private enum End {
        case unknown
        /// Another process may have its number now.
        case known(CInt?)
    }

    /// Whether it leads a process group, which ends with it.
    private let leadsGroup: Bool

    private init(_ identifier: Int32, leadsGroup: Bool) {
        (self.identifier, self.leadsGroup) = (identifier, leadsGroup)
    }

    /// The number of the first passed descriptor in the new process.
    package static let firstDescriptor: CInt = 3

    /// Starts a program with an empty environment, because variables such as `LD_PRELOAD` could change what it does. It
    /// inherits output and error output, has no input, and gets only the passed descriptors.
    ///
    /// - Parameters:
    ///   - executable: its path; there is no search.
    ///   - descriptors: passed from ``firstDescriptor`` on, in order.
    /// - Throws: `SystemError` of `posix_spawn`: `ENOENT`, `EACCES`; of `fcntl`: too many open files.
    package static func start(
        _ executable: String, _ arguments: [String], handing descriptors: [FileDescriptor]
    ) throws(SystemError) -> ChildProcess {
        // The copies have numbers above the final ones, so that none is overwritten before it is moved.
        let end = firstDescriptor + CInt(descriptors.count)
        var moved: [FileDescriptor] = []
        for descriptor in descriptors {
            moved.append(try FileDescriptor.duplicate(descriptor.number, from: end))
        }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        for (index, descriptor) in moved.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor.number, firstDescriptor + CInt(index))
        }
        unsafe clinux_close_from(&actions, end)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        return try unsafe spawn(
            executable, [executable] + arguments, TestSwitch.environment, &actions, &attributes)
    }

    /// Starts a program whose input and output are given. It inherits no other descriptors, but for error output where
    /// that is not given either. All its signals have the default action, whatever this process blocks or ignores. It
    /// leads a process group, so that the children of a script are killed with it.
    ///
    /// - Parameters:
    ///   - environment: its complete environment.
    ///   - errors: its error output; nil for that of this process.
    ///   - asksAtTerminal: whether it stays in this process's group, without which the terminal is not read.
    /// - Throws: `SystemError` of `posix_spawn`: `ENOENT`, `EACCES`.
    package static func start(
        _ executable: String, _ arguments: [String], environment: [String: String], input: FileDescriptor,
        output: FileDescriptor, errors: FileDescriptor? = nil, asksAtTerminal: Bool = false
    ) throws(SystemError) -> ChildProcess {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input.number, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.number, STDOUT_FILENO)
        if let errors { unsafe posix_spawn_file_actions_adddup2(&actions, errors.number, STDERR_FILENO) }
        unsafe clinux_close_from(&actions, firstDescriptor)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return try unsafe spawn(
            executable, [executable] + arguments, variables, &actions, &attributes,
            POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (asksAtTerminal ? 0 : POSIX_SPAWN_SETPGROUP))
    }

    /// - Parameter flags: in addition to the flag that gives the program only the real user and group, not those that
    ///   this program got when it was executed.
    private static func spawn(
        _ executable: String, _ arguments: [String], _ environment: [String],
        _ actions: inout posix_spawn_file_actions_t, _ attributes: inout posix_spawnattr_t, _ flags: CInt = 0
    ) throws(SystemError) -> ChildProcess {
        unsafe posix_spawnattr_setflags(&attributes, CShort(flags | POSIX_SPAWN_RESETIDS))
        var texts = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (texts + variables).forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let code = unsafe posix_spawn(&identifier, executable, &actions, &attributes, &texts, &variables)
        guard code == 0 else { throw SystemError(code: code, call: "posix_spawn", advice: executable) }
        return ChildProcess(identifier, leadsGroup: flags & POSIX_SPAWN_SETPGROUP != 0)
    }

    /// A descriptor that becomes readable when the process has ended, for an event loop.
    ///
    /// - Throws: `SystemError` of `pidfd_open`: too many open files.
    package func endDescriptor() throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try retrying("pidfd_open") { clinux_pidfd_open(identifier) })
    }

    /// Kills the process at once (SIGKILL); does nothing when it has been reaped.
    package func kill() {
        end.withLock { end in
            if case .unknown = end { Glibc.kill(target, SIGKILL) }
        }
    }

    /// Waits for the end of the process and reaps it. After `timeout` milliseconds the process is killed.
    ///
    /// - Returns: its exit code; `nil` when a signal ended it, or another thread has waited for it.
    @discardableResult
    package func reap(timeout: Int = 2000) -> CInt? {
        waitForEnd(.after(milliseconds: timeout))
        return end.withLock { end in
            if case .known(let code) = end { return code }
            Glibc.kill(target, SIGKILL)
            var status: CInt = 0
            let waited = try? retrying("waitpid") { unsafe waitpid(identifier, &status, 0) }
            let code = waited != nil && status & 0x7f == 0 ? status >> 8 & 0xff : nil
            end = .known(code)
            return code
        }
    }

    private var target: pid_t { leadsGroup ? -identifier : identifier }

    private func waitForEnd(_ deadline: Deadline) {
        guard let number = try? retrying("pidfd_open", { clinux_pidfd_open(identifier) }) else { return }
        try? FileDescriptor(owning: number).wait(for: .readable, deadline: deadline)
    }
}
