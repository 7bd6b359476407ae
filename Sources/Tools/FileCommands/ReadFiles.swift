import FileAccess
import FileFormat
import Glibc
import KeychainModel
import LinuxSystem
import SecurityCommands

/// `file cat`, `info` and `verify`.
enum ReadFiles {
    static func cat(_ task: FileTask) throws(CommandFailure) {
        if let range = try task.range() { return try cat(range, task) }
        let opener = try task.opener()
        for name in task.operands {
            let input = try InputFile.open(name)
            try task.working(on: name) { () throws(Refusal) in
                try FileContent.open(input, by: opener, name: name) { (bytes) throws(Refusal) in
                    task.session.output.write(bytes)
                }
            }
        }
    }

    /// Opens the chunks of a range alone, and the last one, which proves the length.
    private static func cat(_ range: Range<UInt64>, _ task: FileTask) throws(CommandFailure) {
        guard !task.hasIdentity else { throw .usage("a range is read by the keychain's keys alone, without -i") }
        let keychain = try task.keychain()
        for name in task.operands {
            try task.working(on: name) { () throws(Refusal) in
                let file = try ReadableFile(name, keychain)
                try file.read(at: range.lowerBound, count: range.upperBound - range.lowerBound) {
                    task.session.output.write($0)
                }
            }
        }
    }

    static func verify(_ task: FileTask) throws(CommandFailure) {
        let opener = try task.opener()
        var hasFailed = false
        for name in task.operands {
            let input = try InputFile.open(name)
            let outcome = Result { () throws(Refusal) in
                try FileContent.open(input, by: opener, name: name) { _ throws(Refusal) in }
            }
            switch outcome {
            case .success: show(name, nil, task.session)
            case .failure(let refusal):
                hasFailed = true
                show(name, refusal, task.session)
            }
        }
        if hasFailed { throw .shown }
    }

    private static func show(_ name: String, _ refusal: Refusal?, _ session: Session) {
        guard !session.writesJSON else {
            return session.output.write(
                .object([
                    ("file", .string(name)), ("whole", .boolean(refusal == nil)),
                    ("rule", refusal.map { .string($0.rule.rawValue) } ?? .null),
                ]))
        }
        if let refusal { return session.complain("\(name): \(refusal.problem) \(refusal.remedy)") }
        session.output.write("\(name): whole\n")
    }

    static func info(_ task: FileTask) throws(CommandFailure) {
        for name in task.operands {
            let input = try InputFile.open(name)
            let size = try InputFile.size(of: input, name)
            let (header, length) = try task.working(on: name) { () throws(Refusal) in
                try FileContent.claim(of: input, size: size, name)
            }
            show(name, header, length, task.session)
        }
    }

    private static func show(_ name: String, _ header: FileHeader, _ length: UInt64?, _ session: Session) {
        let (shelf, recovery) = (header.shelfSlot.shelf.text, header.recoverySlots.map(\.shelf.text))
        guard !session.writesJSON else {
            return session.output.write(
                .object([
                    ("file", .string(name)), ("class", .string(header.protection.letter)), ("shelf", .string(shelf)),
                    ("length", length.map { .number(Int64(clamping: $0)) } ?? .null),
                    ("chunk", .number(Int64(header.chunkSize))), ("recovery", .array(recovery.map { .string($0) })),
                ]))
        }
        let bytes = length.map { ", \($0) bytes" } ?? ""
        let recipients = recovery.map { ", recovery \($0)" }.joined()
        session.output.write("\(name): class \(header.protection.letter)\(bytes), shelf \(shelf)\(recipients)\n")
    }
}

/// A file that is named on the command line.
enum InputFile {
    /// - Parameter name: `-` for standard input.
    static func open(_ name: String) throws(CommandFailure) -> FileDescriptor {
        do throws(SystemError) {
            return name == "-" ? try .duplicate(STDIN_FILENO) : try .open(name, O_RDONLY | O_NONBLOCK)
        } catch { throw CommandFailure(name, error) }
    }

    /// The size of a regular file; nil for a pipe.
    static func size(of file: FileDescriptor, _ name: String) throws(CommandFailure) -> UInt64? {
        do throws(SystemError) {
            let status = try FileStatus(of: file)
            return status.isRegularFile ? UInt64(clamping: status.size) : nil
        } catch { throw CommandFailure(name, error) }
    }
}
