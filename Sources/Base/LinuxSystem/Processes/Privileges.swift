import CLinux
import Glibc

/// What a service keeps of the privileges it was started with: a user of its own, and single capabilities.
///
/// To be called before the second thread, for capabilities belong to threads.
package enum Privileges {
    package enum Capability: UInt64, CaseIterable, Sendable {
        /// CAP_SYS_PTRACE: to see which program another user's process runs.
        case seeProcesses = 19
    }

    /// Becomes another user and keeps no capability but those named, which programs executed from here get, too.
    ///
    /// A process that may not change its user (a service manager has done that) changes none and gives the rest back.
    ///
    /// - Parameter account: nil to stay who it is.
    /// - Throws: `SystemError` of `setgroups`, `setresgid`, `setresuid`, `prctl` or `capset`; `EPERM` when the process
    ///   has not what it is to keep. The process must not go on then.
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

    /// Does something as another user, whom the kernel then names to those that are connected to; root alone can. For
    /// processes with one thread.
    ///
    /// - Throws: `SystemError` of `seteuid`, `EPERM` for others than root; what `body` throws.
    package static func acting<Result>(
        as user: UInt32, _ body: () throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        let own = geteuid()
        _ = try retrying("seteuid") { seteuid(user) }
        defer {
            // Whoever goes on as somebody else than he believes would do that one's work in the wrong name.
            if seteuid(own) != 0 { fatalError("the own user cannot be taken back") }
        }
        return try body()
    }

    /// Whether this thread has the capability.
    package static func has(_ capability: Capability) -> Bool {
        var permitted: UInt64 = 0
        return unsafe clinux_get_capabilities(&permitted) == 0 && permitted & 1 << capability.rawValue != 0
    }
}
