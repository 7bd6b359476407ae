import CommandOptions
import FileAccess
import Glibc
import KeychainModel
import LinuxSystem
import SecurityCommands

/// `file protect` and `unprotect`.
enum ProtectFiles {
    static func protect(_ task: FileTask) throws(CommandFailure) {
        let (place, recipients) = (try task.place(), try task.recipients())
        let (content, isInPlace) = (FileContent(try task.keychain()), !task.arguments.has("o"))
        try forEach(task) { (input, output, name) throws(Refusal) in
            if isInPlace { try content.requirePlain(input, name) }
            try task.showing("protect", of: input) { (told) throws(Refusal) in
                try content.protect(input, to: output, in: place, recovery: recipients, name: name, told: told)
            }
        }
    }

    static func unprotect(_ task: FileTask) throws(CommandFailure) {
        let opener = try task.opener()
        try forEach(task) { (input, output, name) throws(Refusal) in
            try task.showing("unprotect", of: input) { (told) throws(Refusal) in
                try FileContent.open(input, by: opener, name: name, told: told) { (bytes) throws(Refusal) in
                    do throws(SystemError) { try output.writeFully(bytes) } catch { throw .notWritten(name, error) }
                }
            }
        }
    }

    static func move(_ task: FileTask) throws(CommandFailure) {
        guard task.arguments.value("c") != nil else { throw .usage("move takes -c") }
        let (place, content) = (try task.place(), FileContent(try task.keychain()))
        for name in task.operands {
            try task.changing("move", name) { (told) throws(Refusal) in
                try content.move(name, to: place, told: told)
            }
        }
    }

    private static func forEach(
        _ task: FileTask, _ convert: (FileDescriptor, FileDescriptor, String) throws(Refusal) -> Void
    ) throws(CommandFailure) {
        let target = task.arguments.value("o")?.text
        if target != nil, task.operands.count > 1 { throw .usage("-o takes one file") }
        for name in task.operands {
            let input = try InputFile.open(name)
            let original = target == nil ? input : nil
            try task.writing(name, to: target ?? name, converting: original) { (output) throws(Refusal) in
                try convert(input, output, name)
            }
        }
    }
}

extension Refusal {
    fileprivate static func notWritten(_ name: String, _ error: SystemError) -> Refusal {
        Refusal(.io, .unavailable, name, "\(name): \(error).", do: "Nothing was replaced. Look at the disk.")
    }
}
