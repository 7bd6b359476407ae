import CommandOptions
import FileAccess
import Glibc
import KeychainModel
import LinuxSystem
import SecurityCommands

/// `file protect` and `unprotect`.
enum ProtectFiles {
    static func protect(_ task: FileTask) throws(CommandFailure) {
        let (place, content) = (try task.place(), FileContent(try task.keychain()))
        try forEach(task) { (input, output, name) throws(Refusal) in
            try content.protect(input, to: output, in: place, name: name)
        }
    }

    static func unprotect(_ task: FileTask) throws(CommandFailure) {
        let content = FileContent(try task.keychain())
        try forEach(task) { (input, output, name) throws(Refusal) in
            try content.open(input, name: name) { (bytes) throws(Refusal) in
                do throws(SystemError) { try output.writeFully(bytes) } catch { throw .notWritten(name, error) }
            }
        }
    }

    static func move(_ task: FileTask) throws(CommandFailure) {
        guard task.arguments.value("c") != nil else { throw .usage("move takes -c") }
        let (place, content) = (try task.place(), FileContent(try task.keychain()))
        for name in task.operands {
            try task.working(on: name) { () throws(Refusal) in try content.move(name, to: place) }
        }
    }

    private static func forEach(
        _ task: FileTask, _ convert: (FileDescriptor, FileDescriptor, String) throws(Refusal) -> Void
    ) throws(CommandFailure) {
        let target = task.arguments.value("o")?.text
        if target != nil, task.operands.count > 1 { throw .usage("-o takes one file") }
        for name in task.operands {
            let input = try InputFile.open(name)
            let path = target ?? name
            if path == "-" {
                let output = try standardOutput()
                try task.working(on: name) { () throws(Refusal) in try convert(input, output, name) }
                continue
            }
            let replaced = try placing(path) { () throws(SystemError) in
                try target == nil ? ReplacedFile(converting: input, at: path) : ReplacedFile(writing: path)
            }
            try task.working(on: name) { () throws(Refusal) in try convert(input, replaced.output, name) }
            try placing(path, replaced.commit)
        }
    }

    private static func placing<Result>(
        _ path: String, _ body: () throws(SystemError) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(SystemError) { return try body() } catch { throw CommandFailure(path, error) }
    }

    private static func standardOutput() throws(CommandFailure) -> FileDescriptor {
        do throws(SystemError) { return try .duplicate(STDOUT_FILENO) } catch { throw CommandFailure("-", error) }
    }
}

extension Refusal {
    fileprivate static func notWritten(_ name: String, _ error: SystemError) -> Refusal {
        Refusal(.io, .unavailable, name, "\(name): \(error).", do: "Nothing was replaced. Look at the disk.")
    }
}
