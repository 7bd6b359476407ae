package import KeychainModel
package import LinuxSystem

/// Starts an agent in a process of its own. It ends when the connection goes, or this process.
package enum AgentProcess {
    /// Starts the program and the connection to it.
    ///
    /// Whether the program serves shows with the first call: it is not waited for.
    ///
    /// - Parameters:
    ///   - executable: the path of `keychain-agent`.
    ///   - pinentry: what the setting `pinentry` says: `auto`, `none`, or a path.
    ///   - onEvent: as in ``AgentConnection``.
    /// - Throws: `errSecNotAvailable` when the program cannot be run.
    package static func start(
        executable: String, pinentry: String = "auto", onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) throws(Refusal) -> AgentConnection {
        let (socket, process) = try launch(executable: executable, pinentry: pinentry)
        return try AgentConnection(socket, process: process, onEvent: onEvent)
    }

    /// The first half of ``start(executable:pinentry:onEvent:)``, for who forbids itself new privileges in between: the agent
    /// must be started before, for the check of a login's password takes a program with privileges (`unix_chkpwd`), and the
    /// thread of the connection afterwards.
    ///
    /// - Throws: `errSecNotAvailable` when the program cannot be run.
    package static func launch(
        executable: String, pinentry: String = "auto"
    ) throws(Refusal) -> (UnixSocket, ChildProcess) {
        do throws(SystemError) {
            let (ours, theirs) = try UnixSocket.pair()
            let arguments = ["--channel", String(ChildProcess.firstDescriptor), "--pinentry", pinentry]
            let process = try ChildProcess.start(executable, arguments, handing: [theirs.descriptor])
            return (ours, process)
        } catch { throw .noAgent(error) }
    }
}
