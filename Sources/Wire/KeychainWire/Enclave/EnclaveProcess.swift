package import KeychainModel
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
    ///   - tpm: what the setting `tpm` says: `none`, `auto`, or how a TPM is reached.
    /// - Throws: what the enclave refuses to start for; `errSecNotAvailable` when the program cannot be run.
    package static func start(
        executable: String, vault: String, createIfMissing: Bool, tpm: String = "none"
    ) throws(Refusal) -> EnclaveConnection {
        let (socket, process) = try launch(executable, vault: vault, createIfMissing: createIfMissing, tpm: tpm)
        return try EnclaveConnection(socket, process: process)
    }

    /// The first half of ``start(executable:vault:createIfMissing:tpm:)``, for who does something before the first thread.
    ///
    /// - Parameters:
    ///   - pinentry: what the setting `pinentry` says.
    ///   - acceptsLoginPassword: whether the setting `login-password` says yes.
    /// - Throws: `errSecNotAvailable` when the program cannot be run.
    package static func launch(
        _ executable: String, vault: String, createIfMissing: Bool, tpm: String, pinentry: String = "auto",
        acceptsLoginPassword: Bool = false
    ) throws(Refusal) -> (UnixSocket, ChildProcess) {
        do throws(SystemError) {
            // The enclave's end is closed here on return, so that its death closes the last one.
            let (ours, theirs) = try UnixSocket.pair()
            let arguments = [
                "--vault", vault, "--tpm", tpm, "--pinentry", pinentry, "--channel",
                String(ChildProcess.firstDescriptor),
            ]
            let flags = [(createIfMissing, "--create"), (acceptsLoginPassword, "--login-password")]
            let process = try ChildProcess.start(
                executable, arguments + flags.filter(\.0).map(\.1), handing: [theirs.descriptor])
            return (ours, process)
        } catch { throw .noEnclave(error) }
    }

    /// Has the listener of the system service start an enclave for one of its keychains, and waits until it serves.
    ///
    /// - Parameters:
    ///   - listener: where `keychain-enclaved` listens.
    ///   - whenEnded: as in ``EnclaveConnection``.
    /// - Throws: what the enclave refuses to start for; `errSecNotAvailable` when there is nobody to start it.
    package static func summon(
        _ summons: EnclaveSummons, from listener: String, whenEnded: @escaping @Sendable () -> Void
    ) throws(Refusal) -> EnclaveConnection {
        let socket: UnixSocket
        do throws(SystemError) {
            let deadline = Deadline.after(milliseconds: 10_000)
            socket = try UnixSocket.connect(to: listener, deadline: deadline)
            try summons.send(through: socket, deadline: deadline)
        } catch {
            throw Refusal(
                .notAvailable, .unavailable, "enclave", "The system's enclave cannot be reached: \(error).",
                do: "Start keychain-enclaved (systemctl start keychain-enclaved.socket), or see its log.")
        }
        return try EnclaveConnection(socket, whenEnded: whenEnded)
    }
}
