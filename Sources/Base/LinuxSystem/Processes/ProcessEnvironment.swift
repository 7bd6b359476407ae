import CLinux
import Glibc

/// The environment of this process, in locked memory: variables may be secrets.
package enum ProcessEnvironment {
    /// All variables, `NAME=VALUE` each, in their order.
    package static var variables: [SecretBytes] {
        guard let start = unsafe clinux_environment() else { return [] }
        var (variables, index) = ([SecretBytes](), 0)
        while let text = unsafe start[index] {
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
            unsafe variables.append(SecretBytes(copying: bytes.assumingMemoryBound(to: UInt8.self).span))
            index += 1
        }
        return variables
    }
}

extension ProcessHardening {
    /// Makes this process untraceable and its memory unreadable for processes of the same user (PR_SET_DUMPABLE). A
    /// program that it executes is traceable again.
    ///
    /// - Throws: `SystemError` of `prctl`.
    package static func hideMemory() throws(SystemError) {
        // Swift's runtime would show memory around the registers of a crash on standard error.
        clinux_crash_silently()
        _ = try retrying("prctl") { clinux_set_dumpable(0) }
    }

    /// Takes ``hideMemory()`` back: another process of the user may look at this one again.
    ///
    /// - Throws: `SystemError` of `prctl`.
    package static func showMemory() throws(SystemError) { _ = try retrying("prctl") { clinux_set_dumpable(1) } }

    /// Sets the limit of core files to none, for this process and those it starts.
    ///
    /// - Throws: `SystemError` of `setrlimit`.
    package static func forbidCores() throws(SystemError) {
        // Swift's runtime would show memory around the registers of a crash on the terminal.
        clinux_crash_silently()
        var nothing = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = try retrying("setrlimit") { unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &nothing) }
    }
}

extension CurrentProcess {
    /// The path of the program that started this one, or has adopted it; nil for one of another user's.
    package static var parentProgram: String? { try? SymbolicLink.read("/proc/\(getppid())/exe") }
}

extension FileDescriptor {
    /// Takes over a descriptor that this process has inherited; programs that it starts do not have it.
    ///
    /// - Throws: `SystemError` of `fcntl`: `EBADF` when nothing is open there.
    package static func inherited(_ number: CInt) throws(SystemError) -> FileDescriptor {
        _ = try retrying("fcntl") { fcntl(number, F_SETFD, FD_CLOEXEC) }
        return FileDescriptor(owning: number)
    }

    /// Makes this file the standard input of this process.
    ///
    /// - Throws: `SystemError` of `dup2`.
    package func becomeStandardInput() throws(SystemError) { _ = try retrying("dup2") { dup2(number, STDIN_FILENO) } }

    /// Lets programs that this process executes have the descriptor under its number.
    ///
    /// - Throws: `SystemError` of `fcntl`.
    package func keepOnExec() throws(SystemError) { _ = try retrying("fcntl") { fcntl(number, F_SETFD, 0) } }

    /// A pipe that contains a secret and has no writer: its reader finds the secret, then the end.
    ///
    /// - Throws: `SystemError` of `pipe2`, `fcntl` or `write`; `EPERM` for more bytes than a pipe may hold.
    package static func pipe(containing secret: SecretBytes) throws(SystemError) -> FileDescriptor {
        let (reader, writer) = try pipe()
        if secret.count > 0 {
            _ = try retrying("fcntl") { clinux_resize_pipe(writer.number, CInt(clamping: secret.count)) }
            // The pipe has room for all of it; a write that would wait must fail.
            try writer.setNonBlocking()
            try secret.withSpan { (bytes) throws(SystemError) in
                try writer.writeFully(bytes, deadline: .after(milliseconds: 1000))
            }
        }
        return reader
    }
}
