import CLinux
import Glibc

/// Reduces the privileges of a service to a user of its own and single capabilities.
///
/// It must be called before the second thread starts, because capabilities belong to threads.
package enum Privileges {
    package enum Capability: UInt64, CaseIterable, Sendable {
        /// CAP_SYS_PTRACE: reads which program another user's process runs.
        case seeProcesses = 19
    }

    /// Changes the user and keeps only the named capabilities, which programs executed from here get, too.
    ///
    /// A process that may not change its user (because a service manager has done that) keeps it and drops the rest.
    ///
    /// - Parameter account: nil to keep the user.
    /// - Throws: `SystemError` of `setgroups`, `setresgid`, `setresuid`, `prctl` or `capset`; `EPERM` when the process
    ///   lacks a capability that it should keep. The process must not continue then.
    package static func reduce(to account: Account?, keeping kept: [Capability]) throws(SystemError) {
        let mask = kept.reduce(UInt64(0)) { $0 | 1 << $1.rawValue }
        let isRoot = geteuid() == 0
        if isRoot { _ = try retrying("prctl") { clinux_limit_capabilities(mask) } }
        if let account, isRoot || account.user != geteuid() {
            _ = try retrying("setresuid") {
                unsafe clinux_become(account.user, account.group, account.groups, account.groups.count)
            }
        }
        do throws(SystemError) { _ = try retrying("capset") { clinux_set_capabilities(mask) } } catch {
            throw SystemError(
                code: error.code, call: error.call,
                advice: kept.isEmpty ? "" : "it needs CAP_SYS_PTRACE, from root or AmbientCapabilities= of its unit")
        }
    }

    /// Runs `body` as another user, so that the kernel reports that user to connected peers. Only root can do this, and
    /// only with one thread.
    ///
    /// - Throws: `SystemError` of `seteuid`, `EPERM` for users other than root; the errors of `body`.
    package static func acting<Result>(
        as user: UInt32, _ body: () throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        let own = geteuid()
        _ = try retrying("seteuid") { seteuid(user) }
        defer {
            // A process that continued as the wrong user would act in that user's name.
            if seteuid(own) != 0 { fatalError("the own user cannot be taken back") }
        }
        return try body()
    }
}
