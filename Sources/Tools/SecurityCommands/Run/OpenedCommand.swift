import CommandOptions
import Glibc
import LinuxSystem

/// The program that `run` is to start, found and opened before anybody is asked about it. A program that takes its path
/// afterwards is not executed.
///
/// The kernel gives the interpreter of a script no more than a path, so a script cannot be executed by its descriptor:
/// it would lose its name, and with it the folder that it looks for its parts in. So its interpreter is opened here and
/// executed by its descriptor, the script is given to it by its path, and both must be unchanged right before that.
struct OpenedCommand {
    /// The script if there is one, then interpreters, then the program; never empty.
    private let files: [ProgramFile]
    /// The words that interpreters get before the command's own.
    private let words: [String]
    /// The whole path of what was asked for.
    let path: String

    /// As many interpreters of interpreters as the kernel follows.
    private static let mostInterpreters = 4
    private static let usualPath = "/usr/local/bin:/usr/bin:/bin"

    /// Finds a command as a shell does, but only in the absolute folders of the path: others are folders of whatever
    /// was checked out there.
    ///
    /// - Throws: ``CommandFailure/notStarted(_:_:cause:remedy:)``: 127 when there is none, 126 when it cannot be
    ///   executed.
    init(_ name: String, searchPath: String?) throws(CommandFailure) {
        let file = try Self.find(name, searchPath ?? Self.usualPath)
        do throws(SystemError) {
            path = try file.fullPath
            (files, words) = try Self.interpreters(of: file)
        } catch { throw .cannotExecute(name, error) }
    }

    /// A text that is another one when the program was changed; empty for a program that only root can change.
    var version: String {
        let status = files[0].version.status
        if status.owner == 0, !status.isWritableByOthers { return "" }
        return files[0].version.numbers.map { String($0) }.joined(separator: " ")
    }

    /// Makes it ready to start.
    ///
    /// - Throws: ``CommandFailure`` when one of its files was changed since it was opened.
    func execution(_ arguments: [Argument], _ environment: [SecretBytes]) throws(CommandFailure) -> ProgramExecution {
        for file in files where !file.isUnchanged {
            throw .notStarted(
                126, "run: \(file.path) was changed", cause: "It is not the program any more that was looked at.",
                remedy: "Look at it, and run the command again.")
        }
        let own = words.isEmpty ? arguments : words.map { Argument($0) } + arguments.dropFirst()
        return ProgramExecution(files[files.count - 1].file, own.map(\.bytes), environment: environment)
    }

    private static func find(_ name: String, _ searchPath: String) throws(CommandFailure) -> ProgramFile {
        if name.contains("/") {
            do throws(SystemError) { return try ProgramFile(name) } catch { throw .cannotExecute(name, error) }
        }
        var refusal: SystemError?
        for folder in searchPath.split(separator: ":") where folder.hasPrefix("/") && !name.isEmpty {
            let path = "\(folder)/\(name)"
            do throws(SystemError) { return try ProgramFile(path) } catch {
                // A folder that this user may not search says nothing about the program.
                if error.code == EACCES, (try? FileStatus(at: path)) != nil { refusal = refusal ?? error }
            }
        }
        throw .cannotExecute(name, refusal ?? SystemError(code: ENOENT, call: "open"))
    }

    /// Follows the first lines of scripts to a program.
    private static func interpreters(of file: ProgramFile) throws(SystemError) -> ([ProgramFile], [String]) {
        var (files, words, next) = ([file], [String](), file)
        while let interpreter = try next.interpreter {
            guard files.count <= mostInterpreters else { throw SystemError(code: ELOOP, call: "execve") }
            words = [interpreter.path] + (interpreter.word.map { [$0] } ?? []) + [next.path] + words.dropFirst()
            next = try ProgramFile(interpreter.path)
            files.append(next)
        }
        return (files, words)
    }
}

extension CommandFailure {
    /// A program that cannot be started, with the status by which shells say so.
    static func cannotExecute(_ name: String, _ error: SystemError) -> CommandFailure {
        if error.code == ENOENT || error.code == ENOTDIR {
            return .notStarted(
                127, "run: \(name.quoted) was not found",
                cause: name.contains("/")
                    ? "There is no such file, or its interpreter is missing."
                    : "No absolute folder of PATH has a program of this name; others are not searched.",
                remedy: "Give its path, or add its folder to PATH.")
        }
        return .notStarted(
            126, "run: \(name.quoted) cannot be executed", cause: "\(error).",
            remedy: error.code == E2BIG
                ? "The kernel takes 128 KiB for a variable: hand a longer value over with --fd or --file."
                : "Look at its permissions and its first line.")
    }
}
