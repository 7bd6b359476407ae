import Glibc
import KeychainWire
import LinuxSystem

/// The rights that the program gives up.
enum SessionAgentHardening {
    /// No core files, no tracing by the same user, no new privileges, memory that is not swapped.
    ///
    /// - Throws: `SystemError` when one of them cannot be had; the program must not go on then.
    static func apply() throws(SystemError) {
        try ProcessHardening.forbidDumps()
        try ProcessHardening.forbidNewPrivileges()
        try ProcessHardening.raiseLockedMemoryLimit()
        umask(0o077)
        // Nothing here depends on the folder that it was started in.
        guard unsafe chdir("/") == 0 else { throw SystemError(code: errno, call: "chdir") }
        // Pinentries and enclaves may go while they are written to.
        signal(SIGPIPE, SIG_IGN)
    }

    /// The variables of the session that say where its display is.
    static var environment: [String: String] {
        Dictionary(
            uniqueKeysWithValues: PromptEnvironment.variables.compactMap { name in
                unsafe getenv(name).map { (name, unsafe String(cString: $0)) }
            })
    }
}
