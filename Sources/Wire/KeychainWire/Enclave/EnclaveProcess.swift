package import KeychainModel
import LinuxSystem

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
        let (socket, process) = try launch(executable, ["--vault", vault, "--tpm", tpm], createIfMissing)
        return try EnclaveConnection(socket, process: process)
    }

    // The enclave's end of the pair is closed here on return, so that its death closes the last one.
    private static func launch(
        _ executable: String, _ arguments: [String], _ createIfMissing: Bool
    ) throws(Refusal) -> (UnixSocket, ChildProcess) {
        do throws(SystemError) {
            let (ours, theirs) = try UnixSocket.pair()
            let channel = String(ChildProcess.firstDescriptor)
            let more = ["--channel", channel] + (createIfMissing ? ["--create"] : [])
            let process = try ChildProcess.start(executable, arguments + more, handing: [theirs.descriptor])
            return (ours, process)
        } catch { throw .noEnclave(error) }
    }
}
