import Glibc
import LinuxSystem

/// The text that another program writes, bounded in size and time.
struct ProgramOutput {
    private let program: String
    private let environment: [String: String]
    private let limit, patience: Int
    /// The text, and room for a byte more than it may have.
    private let room: SecretBytes

    /// - Parameters:
    ///   - program: its path.
    ///   - environment: all of its variables.
    ///   - limit: the most bytes of a text.
    ///   - patience: the time for a text, in milliseconds.
    init(of program: String, environment: [String: String], limit: Int, patience: Int) {
        (self.program, self.environment, self.limit, self.patience) = (program, environment, limit, patience)
        room = SecretBytes(count: limit + 1)
    }

    /// Runs the program.
    ///
    /// - Parameters:
    ///   - input: nil for none.
    ///   - errors: nil for nowhere.
    /// - Throws: `SystemError` of its start; `EFBIG` for a text above the limit, `ETIMEDOUT`, `EIO` for a program that
    ///   fails.
    func text(
        _ words: [String], input: FileDescriptor? = nil, errors: FileDescriptor? = nil
    ) throws(SystemError) -> SecretBytes {
        let (child, output) = try start(words, input, errors)
        var count = 0
        do throws(SystemError) {
            count = try room.withMutableSpan { (span) throws(SystemError) in
                try output.readFully(into: &span, deadline: .after(milliseconds: patience))
            }
            guard count <= limit else { throw SystemError(code: EFBIG, call: program) }
        } catch {
            child.kill()
            child.reap()
            throw error
        }
        guard child.reap() == 0 else { throw SystemError(code: EIO, call: program) }
        return room.withSpan { SecretBytes(copying: $0.extracting(0..<count)) }
    }

    /// Starts it. The text ends with it: nobody else holds the end of the pipe that it writes to.
    private func start(
        _ words: [String], _ input: FileDescriptor?, _ errors: FileDescriptor?
    ) throws(SystemError) -> (ChildProcess, FileDescriptor) {
        let pipe = try FileDescriptor.pipe()
        let nowhere = try FileDescriptor.open("/dev/null", O_RDWR)
        let child = try ChildProcess.start(
            program, words, environment: environment, input: input ?? nowhere, output: pipe.writer,
            errors: errors ?? nowhere)
        return (child, pipe.reader)
    }
}
