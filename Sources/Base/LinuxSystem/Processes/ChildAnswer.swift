import Glibc

extension ChildProcess {
    /// Runs a program that reads its input to the end, writes an answer and ends. It has no descriptors but
    /// its standard streams. Input and answer go through pipes.
    ///
    /// - Parameters:
    ///   - arguments: the words behind its name.
    ///   - environment: its complete environment.
    ///   - limit: the most bytes that the answer may have.
    ///   - deadline: when the answer must be there; the program is killed then.
    /// - Returns: the answer, and the exit code; nil for a program that a signal ended.
    /// - Throws: `SystemError` of `posix_spawn`; `EFBIG` for a longer answer; `ETIMEDOUT`.
    package static func answer(
        of executable: String, _ arguments: [String] = [], environment: [String: String] = [:], to input: SecretBytes,
        atMost limit: Int, deadline: Deadline
    ) throws(SystemError) -> (answer: SecretBytes, code: CInt?) {
        var child = try start(executable, arguments, environment)
        do throws(SystemError) {
            try send(input, to: child.input, deadline)
            // The end of the input, which has no other owner.
            child.input = nil
            let answer = try receive(from: child.output, limit, deadline)
            return (answer, child.process.reap())
        } catch {
            child.process.kill()
            child.process.reap()
            throw error
        }
    }

    /// The program's ends of the pipes are closed here on return, so that its own are the last ones.
    private static func start(
        _ executable: String, _ arguments: [String], _ environment: [String: String]
    ) throws(SystemError) -> (process: ChildProcess, input: FileDescriptor?, output: FileDescriptor) {
        let (input, output) = (try FileDescriptor.pipe(), try FileDescriptor.pipe())
        try input.writer.setNonBlocking()
        try output.reader.setNonBlocking()
        let process = try start(
            executable, arguments, environment: environment, input: input.reader, output: output.writer)
        return (process, input.writer, output.reader)
    }

    /// Writes the input. A program that has ended reads no more, and says by its answer why.
    private static func send(
        _ input: SecretBytes, to pipe: FileDescriptor?, _ deadline: Deadline
    ) throws(SystemError) {
        let before = signal(SIGPIPE, SIG_IGN)
        defer { signal(SIGPIPE, before) }
        do throws(SystemError) {
            try input.withSpan { (bytes) throws(SystemError) in try pipe?.writeFully(bytes, deadline: deadline) }
        } catch { guard error.code == EPIPE else { throw error } }
    }

    private static func receive(
        from pipe: FileDescriptor, _ limit: Int, _ deadline: Deadline
    ) throws(SystemError) -> SecretBytes {
        let answer = SecretBuffer(capacity: 1 << 16)
        while true {
            try pipe.wait(for: .readable, deadline: deadline)
            let before = answer.count
            var count: Int? = 0
            try answer.append(count: 1 << 16) { (span) throws(SystemError) in count = try pipe.read(into: &span) }
            answer.truncate(to: before + (count ?? 0))
            if count == 0 { return answer.finish() }
            guard answer.count <= limit else { throw SystemError(code: EFBIG, call: "read") }
        }
    }
}
