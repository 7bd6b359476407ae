import CSeccomp
import Glibc
import LinuxSystem

/// The filter of system calls (seccomp) for all threads of the process. A call that is not on the list fails with
/// EPERM.
///
/// The list has the calls for serving and no others: messages on open descriptors, memory that cannot be executed, the
/// vault's file and its lock. It has none for a network, another process, a new program or a new thread.
enum Sandbox {
    static let allowed = [
        // Messages, and waiting for them.
        "read", "write", "recvmsg", "recvfrom", "sendmsg", "sendto", "shutdown", "poll", "ppoll", "futex",
        // The vault, its replacement and its lock; passcodes in memory files and pipes.
        "openat", "close", "fstat", "newfstatat", "stat", "lstat", "lseek", "fcntl", "fchmod", "fsync", "flock",
        "rename", "renameat", "renameat2", "unlink", "unlinkat",
        // Memory; see also `withoutExecution`.
        "munmap", "mremap", "madvise", "mlock", "mlock2", "brk",
        // Clocks, randomness, and the calls of the C library around them.
        "clock_gettime", "clock_nanosleep", "nanosleep", "getrandom", "geteuid", "getpid", "gettid", "sched_yield",
        "rt_sigreturn", "rt_sigprocmask", "restart_syscall", "exit", "exit_group",
        // The C library ends the process when a thread that a library has just started may not make these two.
        "rseq", "set_robust_list",
        // A thread that ends; the address sanitizer ends the process when it may not.
        "sigaltstack",
    ]

    /// Allowed unless the memory could be executed.
    static let withoutExecution = ["mmap", "mprotect"]

    /// Installs the filter. It cannot be taken back.
    ///
    /// - Throws: `SystemError` when the kernel or the library refuses; the program must not go on then.
    static func install() throws(SystemError) {
        let filter = try Filter(otherwise: .fail(EPERM))
        for call in allowed { try filter.allow(call) }
        for call in withoutExecution { try filter.allow(call, unlessArgument: 2, has: UInt64(PROT_EXEC)) }
        try filter.load()
    }
}

/// A filter of libseccomp under construction.
@safe final class Filter {
    /// The fate of a call. The numbers are macros that Swift does not see.
    enum Action {
        case allow
        case fail(CInt)
        case kill

        fileprivate var number: UInt32 {
            switch self {
            case .allow: 0x7fff_0000
            case .fail(let code): 0x0005_0000 | UInt32(truncatingIfNeeded: code)
            case .kill: 0x8000_0000
            }
        }
    }

    private let context: scmp_filter_ctx

    init(otherwise action: Action) throws(SystemError) {
        guard let context = unsafe seccomp_init(action.number) else { throw SystemError(code: ENOMEM, call: "seccomp") }
        unsafe self.context = context
        // All threads at once: the others are asleep in their slots.
        try check(unsafe seccomp_attr_set(context, SCMP_FLTATR_CTL_TSYNC, 1))
    }

    deinit { unsafe seccomp_release(context) }

    /// Calls that this architecture does not have are passed over by the library.
    func allow(_ call: String) throws(SystemError) { try add(.allow, to: call) }

    func add(_ action: Action, to call: String) throws(SystemError) {
        try check(unsafe seccomp_rule_add_array(context, action.number, number(of: call), 0, nil))
    }

    func allow(_ call: String, unlessArgument index: UInt32, has bits: UInt64) throws(SystemError) {
        var condition = scmp_arg_cmp(arg: index, op: SCMP_CMP_MASKED_EQ, datum_a: bits, datum_b: 0)
        try check(unsafe seccomp_rule_add_array(context, Action.allow.number, number(of: call), 1, &condition))
    }

    func load() throws(SystemError) { try check(unsafe seccomp_load(context)) }

    private func number(of call: String) -> CInt { unsafe seccomp_syscall_resolve_name(call) }

    private func check(_ result: CInt) throws(SystemError) {
        guard result >= 0 else { throw SystemError(code: -result, call: "seccomp") }
    }
}
