package import KeychainModel
import KeychainWire
package import LinuxSystem

/// Starts an agent in a process of its own. It ends when the connection goes, or this process.
package enum AgentProcess {
    /// Starts the program and the connection to it.
    ///
    /// Whether the program serves shows with the first call: it is not waited for.
    ///
    /// - Parameters:
    ///   - executable: the path of `keychain-agent`.
    ///   - pinentry: the setting `pinentry`: `auto`, `none`, or a path.
    ///   - onEvent: as in ``AgentConnection``.
    /// - Throws: `errSecNotAvailable` when the program cannot be run.
    package static func start(
        executable: String, pinentry: String = "auto", onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) throws(Refusal) -> AgentConnection {
        let (socket, process) = try launch(executable: executable, pinentry: pinentry)
        return try AgentConnection(socket, process: process, onEvent: onEvent)
    }

    /// The first half of ``start(executable:pinentry:onEvent:)``, for who forbids itself new privileges in between: the
    /// agent must be started before, for the check of a login's password takes a program with privileges
    /// (`unix_chkpwd`), and the thread of the connection afterwards.
    ///
    /// - Parameter user: the user whose sessions it watches, if that is another one than its own.
    /// - Throws: `errSecNotAvailable` when the program cannot be run.
    package static func launch(
        executable: String, pinentry: String = "auto", confinement: AgentConfinement = .none,
        watching user: UInt32? = nil
    ) throws(Refusal) -> (UnixSocket, ChildProcess) {
        do throws(SystemError) {
            let (ours, theirs) = try UnixSocket.pair()
            let watch = user.map { ["--user", String($0)] } ?? []
            let arguments = ["--channel", String(ChildProcess.firstDescriptor), "--pinentry", pinentry] + watch
            let process = try ChildProcess.start(
                executable, arguments + confinement.arguments, handing: [theirs.descriptor])
            return (ours, process)
        } catch { throw .noAgent(error) }
    }
}

/// Rights that an agent gives up before it hears the first question, because it reads the output of terminals,
/// pinentries and the system bus.
package enum AgentConfinement: Equatable, Sendable {
    /// No restriction here: it has the login's password checked by a program with privileges, which a confined process
    /// must not gain.
    case none
    /// It starts no program and sees no files but the system's.
    case alone
    /// It starts pinentries, which see all files but those in this folder, as it does itself.
    case away(from: String)

    /// - Parameters:
    ///   - pinentry: the setting `pinentry`.
    ///   - acceptsLoginPassword: whether the setting `login-password` says yes.
    ///   - vault: the path of the vault's file.
    package init(pinentry: String, acceptsLoginPassword: Bool, vault: String) {
        let folder = vault[..<(vault.lastIndex(of: "/") ?? vault.endIndex)]
        self = acceptsLoginPassword ? .none : pinentry == "none" ? .alone : .away(from: String(folder))
    }

    var arguments: [String] {
        switch self {
        case .none: []
        case .alone: ["--alone"]
        case .away(let folder): ["--keep-from", folder]
        }
    }
}
