import CommandOptions
import FileAccess
import Glibc
import KeychainModel
import LinuxSystem
import SecurityCommands

// Where the content of a task goes, and how a person hears that it goes on.
extension FileTask {
    /// Writes the file of `-o`, which takes its place when it is complete.
    func writing(_ name: String, _ body: (FileDescriptor) throws(Refusal) -> Void) throws(CommandFailure) {
        guard let path = arguments.value("o")?.text else { throw .usage("the file to write is given by -o") }
        try writing(name, to: path, converting: nil, body)
    }

    /// Writes a file, which takes its place when it is complete.
    ///
    /// - Parameters:
    ///   - path: `-` for standard output.
    ///   - original: the open file that is replaced by another form of its content; nil for none.
    func writing(
        _ name: String, to path: String, converting original: FileDescriptor?,
        _ body: (FileDescriptor) throws(Refusal) -> Void
    ) throws(CommandFailure) {
        guard path != "-" else {
            let output = try standardOutput()
            return try working(on: name) { () throws(Refusal) in try body(output) }
        }
        let replaced = try placing(path) { () throws(SystemError) in
            if let original { return try ReplacedFile(converting: original, at: path) }
            return try ReplacedFile(writing: path)
        }
        try working(on: name) { () throws(Refusal) in try body(replaced.output) }
        try placing(path, replaced.commit)
    }

    /// Tells a person at a terminal how much of a file was read, once that has taken a while.
    func showing(
        _ verb: String, of input: FileDescriptor, _ body: ((Int) -> Void) throws(Refusal) -> Void
    ) throws(Refusal) {
        try showing(verb, try? FileStatus(of: input), body)
    }

    /// The same of a file that is changed in its place.
    func changing(
        _ verb: String, _ name: String, _ body: ((Int) -> Void) throws(Refusal) -> Void
    ) throws(CommandFailure) {
        try working(on: name) { () throws(Refusal) in try showing(verb, try? FileStatus(at: name), body) }
    }

    private func showing(
        _ verb: String, _ status: FileStatus?, _ body: ((Int) -> Void) throws(Refusal) -> Void
    ) throws(Refusal) {
        let size = status.flatMap { $0.isRegularFile ? " of \($0.size >> 20)" : nil } ?? ""
        let progress = Progress(verb, session)
        defer { progress?.end() }
        var done = 0
        func show() { progress?.show("\(done >> 20)\(size) MiB") }
        show()
        try body { count in
            done += count
            show()
        }
    }

    private func placing<Result>(
        _ path: String, _ body: () throws(SystemError) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(SystemError) { return try body() } catch { throw CommandFailure(path, error) }
    }

    private func standardOutput() throws(CommandFailure) -> FileDescriptor {
        do throws(SystemError) { return try .duplicate(STDOUT_FILENO) } catch { throw CommandFailure("-", error) }
    }
}
