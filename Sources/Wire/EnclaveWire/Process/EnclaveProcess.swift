package import KeychainModel
import KeychainWire
package import LinuxSystem

/// Starts an enclave in a process of its own.
package enum EnclaveProcess {
    /// Starts the program and waits until it serves.
    ///
    /// It ends when the connection goes, or this process.
    ///
    /// - Parameters:
    ///   - executable: the path of `keychain-enclaved`.
    ///   - vault: the path of the vault's file.
    ///   - createIfMissing: whether it makes a vault where there is none; only when there is no store either.
    ///   - tpm: the setting `tpm`: `none`, `auto`, or the address of a TPM.
    /// - Throws: the enclave's reason not to start; `errSecNotAvailable` when the program cannot be run.
    package static func start(
        executable: String, vault: String, createIfMissing: Bool, tpm: String = "none"
    ) throws(Refusal) -> EnclaveConnection {
        let (socket, process) = try launch(executable, vault: vault, createIfMissing: createIfMissing, tpm: tpm)
        return try EnclaveConnection(socket, process: process)
    }

    /// The first half of ``start(executable:vault:createIfMissing:tpm:)``, for a caller with work to do before the
    /// first thread.
    ///
    /// - Parameters:
    ///   - pinentry: the setting `pinentry`.
    ///   - acceptsLoginPassword: whether the setting `login-password` says yes.
    ///   - prompts: whether it may start an agent, which asks the user.
    /// - Throws: `errSecNotAvailable` when the program cannot be run.
    package static func launch(
        _ executable: String, vault: String, createIfMissing: Bool, tpm: String, pinentry: String = "auto",
        acceptsLoginPassword: Bool = false, prompts: Bool = true
    ) throws(Refusal) -> (UnixSocket, ChildProcess) {
        do throws(SystemError) {
            // The enclave's end is closed here on return, so that its death closes the last one.
            let (ours, theirs) = try UnixSocket.pair()
            let arguments = [
                "--vault", vault, "--tpm", tpm, "--pinentry", pinentry, "--channel",
                String(ChildProcess.firstDescriptor),
            ]
            let agent = prompts ? [] : ["--agent", "none"]
            let flags = [(createIfMissing, "--create"), (acceptsLoginPassword, "--login-password")]
            let process = try ChildProcess.start(
                executable, arguments + agent + flags.filter(\.0).map(\.1), handing: [theirs.descriptor])
            return (ours, process)
        } catch { throw .noEnclave(error) }
    }

    /// Has the listener of the system service start an enclave for one of its keychains: the part of the master, whose
    /// daemons have no say in whose vault they get.
    ///
    /// - Parameter listener: where `keychain-enclaved` listens.
    /// - Returns: the socket of the enclave's channel, to be handed to the keychain's daemon.
    /// - Throws: `SystemError` of `connect` or `send`; `ETIMEDOUT` when the listener takes nothing for a second.
    package static func summon(
        _ summons: EnclaveStartRequest, from listener: String
    ) throws(SystemError) -> UnixSocket {
        let deadline = Deadline.after(milliseconds: 1000)
        let socket = try UnixSocket.connect(to: listener, deadline: deadline)
        try summons.send(through: socket, deadline: deadline)
        return socket
    }
}
