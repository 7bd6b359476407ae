import CLinux
import Glibc

/// Protects this process from other processes. Each measure reports its own failure.
package enum ProcessHardening {
    /// Makes this process untraceable and its memory unreadable for processes of the same user (PR_SET_DUMPABLE). Also
    /// ensures that a crash writes neither a core file nor anything else. It must be repeated after a change of user,
    /// which resets it in the kernel.
    ///
    /// - Throws: `SystemError` of `prctl` or `setrlimit`.
    package static func forbidDumps() throws(SystemError) {
        leaveCrashesToKernel()
        _ = try retrying("prctl") { clinux_set_dumpable(0) }
        var nothing = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = try retrying("setrlimit") { unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &nothing) }
    }

    /// Disables the crash handler of Swift's runtime. It starts a program of the toolchain, which reads this process's
    /// memory and registers and writes them into the log. If the process is untraceable, that program learns nothing,
    /// and the crashed process waits for it forever.
    ///
    /// A program that was started by a thread of a pool has some of these signals blocked.
    private static func leaveCrashesToKernel() {
        var crashes = sigset_t()
        unsafe sigemptyset(&crashes)
        for crash in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            signal(crash, SIG_DFL)
            unsafe sigaddset(&crashes, crash)
        }
        unsafe pthread_sigmask(SIG_UNBLOCK, &crashes, nil)
    }

    /// Ensures that no program executed from here gains privileges (PR_SET_NO_NEW_PRIVS). Cannot be undone.
    ///
    /// - Throws: `SystemError` of `prctl`.
    package static func forbidNewPrivileges() throws(SystemError) {
        _ = try retrying("prctl") { clinux_set_no_new_privileges() }
    }

    /// Abilities that a process can give up, in addition to those that no process here needs: access to other
    /// processes, and another view of the machine.
    package struct Reach: OptionSet, Sendable {
        package let rawValue: CInt
        package init(rawValue: CInt) { self.rawValue = rawValue }

        /// Starting programs, and changing the user.
        package static let programs = Reach(rawValue: CInt(CLINUX_FORBID_PROGRAMS))
        /// Signalling other processes, slowing them down or limiting their resources.
        package static let neighbours = Reach(rawValue: CInt(CLINUX_FORBID_NEIGHBOURS))
        /// Sockets other than unix sockets.
        package static let networks = Reach(rawValue: CInt(CLINUX_FORBID_NETWORKS))
        /// New sockets of any kind, except pairs.
        package static let connections = Reach(rawValue: CInt(CLINUX_FORBID_CONNECTIONS))
        /// Sockets other than unix sockets and those by which a server on a network is found and reached.
        package static let otherNetworks = Reach(rawValue: CInt(CLINUX_FORBID_OTHER_NETWORKS))
    }

    /// Forbids the system calls that access other processes or change the view of the machine, whatever capabilities
    /// the process has (seccomp(2)). It applies to this thread and those it creates, and cannot be undone. New
    /// privileges must be forbidden before.
    ///
    /// - Parameter more: further forbidden abilities.
    /// - Throws: `SystemError` of `prctl`.
    package static func forbidReachingOut(_ more: Reach = [.programs]) throws(SystemError) {
        _ = try retrying("prctl") { clinux_forbid_reaching_out(more.rawValue) }
    }

    /// Limits the memory that this process may have for itself. Allocations beyond it fail.
    ///
    /// - Parameter bytes: of data, stacks and private maps.
    /// - Throws: `SystemError` of `setrlimit`.
    package static func limitMemory(to bytes: UInt64) throws(SystemError) {
        var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
        _ = try retrying("setrlimit") { unsafe setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) }
    }

    /// Raises the limit of locked memory to the hard limit.
    ///
    /// - Returns: the limit in bytes.
    /// - Throws: `SystemError` of `setrlimit`.
    @discardableResult
    package static func raiseLockedMemoryLimit() throws(SystemError) -> UInt64 {
        var limit = rlimit()
        _ = try retrying("getrlimit") { unsafe getrlimit(memoryLock, &limit) }
        limit.rlim_cur = limit.rlim_max
        _ = try retrying("setrlimit") { unsafe setrlimit(memoryLock, &limit) }
        return UInt64(limit.rlim_cur)
    }

    // Swift imports neither the macro nor its number, which is an enumerator.
    private static let memoryLock = __rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue)

    /// Whether other processes of this user may trace this one or read its memory.
    package static var allowsDumps: Bool { clinux_get_dumpable() != 0 }
}
