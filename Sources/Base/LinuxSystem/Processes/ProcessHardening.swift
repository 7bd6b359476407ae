import CLinux
import Glibc

/// Closes the ways in which other processes could look into this one. Each measure fails by itself, and loudly.
package enum ProcessHardening {
    /// Makes this process untraceable and its memory unreadable for processes of the same user (PR_SET_DUMPABLE), and
    /// makes sure that no core file is written, nor anything else when it crashes. Must be repeated after a change of
    /// user, which the kernel takes as a reset.
    ///
    /// - Throws: `SystemError` of `prctl` or `setrlimit`.
    package static func forbidDumps() throws(SystemError) {
        leaveCrashesToKernel()
        _ = try retrying("prctl") { clinux_set_dumpable(0) }
        var nothing = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = try retrying("setrlimit") { unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &nothing) }
    }

    /// Swift's runtime catches crashes, has a program of the toolchain read this process's memory and registers, and
    /// writes them into the log. Of a process that nobody may trace that program learns nothing, and the crashed one
    /// waits for it for ever.
    ///
    /// Who was started by a thread of a pool has some of these signals blocked.
    private static func leaveCrashesToKernel() {
        var crashes = sigset_t()
        unsafe sigemptyset(&crashes)
        for crash in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            signal(crash, SIG_DFL)
            unsafe sigaddset(&crashes, crash)
        }
        unsafe pthread_sigmask(SIG_UNBLOCK, &crashes, nil)
    }

    /// Makes sure that no program executed from here gains privileges (PR_SET_NO_NEW_PRIVS). Cannot be undone.
    ///
    /// - Throws: `SystemError` of `prctl`.
    package static func forbidNewPrivileges() throws(SystemError) {
        _ = try retrying("prctl") { clinux_set_no_new_privileges() }
    }

    /// What a process can do without, beside what nobody here needs: to reach into other processes or see the machine
    /// another way.
    package struct Reach: OptionSet, Sendable {
        package let rawValue: CInt
        package init(rawValue: CInt) { self.rawValue = rawValue }

        /// To start programs, and to become another user.
        package static let programs = Reach(rawValue: CInt(CLINUX_FORBID_PROGRAMS))
        /// To signal other processes, slow them down or limit what they have.
        package static let neighbours = Reach(rawValue: CInt(CLINUX_FORBID_NEIGHBOURS))
        /// Sockets of other kinds than unix sockets.
        package static let networks = Reach(rawValue: CInt(CLINUX_FORBID_NETWORKS))
        /// New sockets of any kind, but for pairs of them.
        package static let connections = Reach(rawValue: CInt(CLINUX_FORBID_CONNECTIONS))
    }

    /// Forbids the system calls by which this process could reach into others or see the machine another way, whatever
    /// capabilities it has (seccomp(2)). For this thread and those it makes; cannot be undone. New privileges must be
    /// forbidden before.
    ///
    /// - Parameter more: what is forbidden besides.
    /// - Throws: `SystemError` of `prctl`.
    package static func forbidReachingOut(_ more: Reach = [.programs]) throws(SystemError) {
        _ = try retrying("prctl") { clinux_forbid_reaching_out(more.rawValue) }
    }

    /// Raises the amount of memory this process may lock to all it may ask for.
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

    // Swift sees neither the macro nor that its number is an enumerator.
    private static let memoryLock = __rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue)

    /// Whether other processes of this user may trace this one or read its memory.
    package static var allowsDumps: Bool { clinux_get_dumpable() != 0 }

    /// Whether programs executed from here may gain privileges.
    package static var allowsNewPrivileges: Bool { clinux_get_no_new_privileges() == 0 }
}
