import Glibc
import LinuxSystem

/// A TPM in software (swtpm) with a state of its own, ended with this object.
///
/// It serves one connection at a time and has no resource manager, which is as bare as a TPM can be.
package final class SoftwareTPM {
    private let folder: TemporaryDirectory
    private var program: RunningProgram?

    /// Starts a new one and waits until it answers.
    package init() throws {
        folder = try TemporaryDirectory()
        // Writing to one that was killed must not end the tests.
        Glibc.signal(SIGPIPE, SIG_IGN)
        try start()
    }

    // It has ended before its state is removed, and writes no more.
    deinit { kill() }

    /// How tpm2-tss reaches it.
    package var address: String { "swtpm:path=\(socket)" }

    private var socket: String { folder.file("tpm") }

    /// Ends it at once, as a power cut does.
    package func kill() { program = nil }

    /// Starts it again with the state it had.
    package func start() throws {
        kill()
        for name in ["tpm", "tpm.ctrl"] { unsafe unlink(folder.file(name)) }
        program = try RunningProgram(
            "/usr/bin/swtpm",
            [
                "socket", "--tpm2", "--tpmstate", "dir=\(folder.path)", "--server", "type=unixio,path=\(socket)",
                "--ctrl", "type=unixio,path=\(socket).ctrl", "--flags", "not-need-init,startup-clear",
            ])
        let deadline = soon
        eventually(by: deadline) { (try? UnixSocket.connect(to: socket, deadline: deadline)) != nil }
        _ = try UnixSocket.connect(to: socket, deadline: deadline)
    }

    /// The number of its process; 0 when it does not run.
    package var process: Int32 { program?.process ?? 0 }

    /// Lets it answer nothing, or go on.
    package func suspend() { signal(SIGSTOP) }
    package func resume() { signal(SIGCONT) }

    private func signal(_ number: CInt) {
        if let program { Glibc.kill(program.process, number) }
    }

    /// Runs one of tpm2-tools against it; nobody else may be connected.
    ///
    /// - Returns: its exit code.
    @discardableResult
    package func tool(_ name: String, _ arguments: [String] = []) throws -> CInt {
        try RunningProgram("/usr/bin/\(name)", ["-T", address] + arguments).waitForExit()
    }

    /// Forgets all keys, as the firmware's "clear TPM" does.
    package func clear() throws {
        guard try tool("tpm2_clear") == 0 else { throw SystemError(code: EIO, call: "tpm2_clear") }
    }
}
