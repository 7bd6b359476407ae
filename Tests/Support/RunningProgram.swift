import Glibc
package import LinuxSystem

/// A program that was started by a test and is ended with it; its input and output are pipes.
package final class RunningProgram {
    package let process: Int32
    private var hasEnded = false
    package let input: FileDescriptor
    package let output: FileDescriptor

    /// Starts the program at the path.
    package init(_ path: String, _ arguments: [String] = []) throws {
        let (childInput, input) = try FileDescriptor.pipe()
        let (output, childOutput) = try FileDescriptor.pipe()
        (self.input, self.output) = (input, output)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, childInput.number, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, childOutput.number, 1)
        var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var process = pid_t()
        let result = unsafe posix_spawn(&process, path, &actions, nil, &words, environ)
        guard result == 0 else { throw SystemError(code: result, call: "posix_spawn", advice: path) }
        self.process = process
    }

    deinit {
        // Once it has been waited for, its number may belong to another process.
        guard !hasEnded else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// Passes when `cat` is what runs now: it gives back what it is given.
    package func echo() throws -> String {
        try input.writeText("echo\n")
        return try output.readText(5)
    }

    /// Waits for the program to end; its exit code.
    package func waitForExit() -> CInt {
        var status: CInt = 0
        unsafe waitpid(process, &status, 0)
        hasEnded = true
        return status >> 8 & 0xff
    }
}
