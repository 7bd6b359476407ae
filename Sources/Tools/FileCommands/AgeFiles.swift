import CommandOptions
import FileAccess
import Glibc
import KeychainModel
import LinuxSystem
import SecurityCommands

/// `file export` and `import`: to files of age and from them, by the user's own program.
enum AgeFiles {
    static func export(_ task: FileTask) throws(CommandFailure) {
        let words = try recipients(task)
        let (age, opener, name) = (try AgeProgram(task.session), try task.opener(), task.operands[0])
        let input = try InputFile.open(name)
        try task.writing(name) { (output) throws(Refusal) in
            try age.encrypt(words, to: output) { (write) throws(Refusal) in
                try task.showing("export", of: input) { (told) throws(Refusal) in
                    try FileContent.open(input, by: opener, name: name, told: told, into: write)
                }
            }
        }
    }

    private static func recipients(_ task: FileTask) throws(CommandFailure) -> [String] {
        let recipients = task.arguments.values(of: "t").map(\.text)
        guard task.arguments.has("p") else {
            guard !recipients.isEmpty else { throw .usage("export takes -t or -p") }
            return recipients.flatMap { ["-r", $0] }
        }
        guard recipients.isEmpty else { throw .usage("-p is for a file that has no other recipients") }
        return ["-p"]
    }

    static func take(_ task: FileTask) throws(CommandFailure) {
        let (place, recipients, name) = (try task.place(), try task.recipients(), task.operands[0])
        let identities = task.arguments.values(of: "i").map(\.text)
        guard !identities.contains("-") else { throw .usage("age reads the identity from a file") }
        let (age, content) = (try AgeProgram(task.session), FileContent(try task.keychain()))
        let input = try InputFile.open(name)
        try task.writing(name) { (output) throws(Refusal) in
            try age.decrypt(identities.flatMap { ["-i", $0] }, input) { (text, checkEnd) throws(Refusal) in
                try task.showing("import", of: input) { (told) throws(Refusal) in
                    try content.protect(
                        text, to: output, in: place, recovery: recipients, name: name, told: told, checkEnd: checkEnd)
                }
            }
        }
    }
}

/// The program age, which encrypts and decrypts between this command and a file.
///
/// age takes the end of its input for the end of the content. Where something fails, it is killed before its input
/// ends, so that no file of age is whole whose content is not.
private struct AgeProgram {
    private let path: String
    private let environment: [String: String]
    /// For age, and for those parts of it that speak to tokens.
    private static let variables = ["HOME", "LANG", "LC_ALL", "PATH", "TERM", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"]

    init(_ session: Session) throws(CommandFailure) {
        guard let path = session.path(ofProgram: "age") else {
            throw .failed("age is not installed", cause: "It makes and opens its files.", remedy: "Install age.")
        }
        self.path = path
        let pairs = Self.variables.compactMap { name in session.environment(name).map { (name, $0) } }
        environment = Dictionary(uniqueKeysWithValues: pairs)
        // A program that has ended says so by its status.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Runs age over what the body writes.
    func encrypt(
        _ words: [String], to output: FileDescriptor,
        _ body: ((Span<UInt8>) throws(Refusal) -> Void) throws(Refusal) -> Void
    ) throws(Refusal) {
        var (child, writer) = try running { () throws(SystemError) in try encrypting(words, to: output) }
        do throws(Refusal) {
            try body { (bytes) throws(Refusal) in
                try running { () throws(SystemError) in try writer?.writeFully(bytes) }
            }
        } catch {
            child.kill()
            child.reap()
            throw error
        }
        // The end of the input, which has no other owner.
        writer = nil
        try Self.checkEnd(of: child)
    }

    /// Hands the text that age finds in the input to the body, and what says at its end whether it is all.
    func decrypt(
        _ words: [String], _ input: FileDescriptor,
        _ body: (FileDescriptor, () throws(Refusal) -> Void) throws(Refusal) -> Void
    ) throws(Refusal) {
        let (child, reader) = try running { () throws(SystemError) in try decrypting(words, input) }
        do throws(Refusal) {
            try body(reader) { () throws(Refusal) in try Self.checkEnd(of: child) }
        } catch {
            child.kill()
            child.reap()
            throw error
        }
    }

    // The program's end of the pipe is closed here on return, so that its own is the last one.
    private func encrypting(
        _ words: [String], to output: FileDescriptor
    ) throws(SystemError) -> (ChildProcess, FileDescriptor?) {
        let pipe = try FileDescriptor.pipe()
        return (try start(["-e"] + words, pipe.reader, output), pipe.writer)
    }

    private func decrypting(
        _ words: [String], _ input: FileDescriptor
    ) throws(SystemError) -> (ChildProcess, FileDescriptor) {
        let pipe = try FileDescriptor.pipe()
        return (try start(["-d"] + words, input, pipe.writer), pipe.reader)
    }

    private func start(
        _ words: [String], _ input: FileDescriptor, _ output: FileDescriptor
    ) throws(SystemError) -> ChildProcess {
        try ChildProcess.start(
            path, words, environment: environment, input: input, output: output, asksAtTerminal: true)
    }

    /// A user may think about a passphrase for as long as they want.
    private static func checkEnd(of child: ChildProcess) throws(Refusal) {
        try running { () throws(SystemError) in
            try child.endDescriptor().wait(for: .readable, deadline: .never)
        }
        guard child.reap() == 0 else { throw .failedAge }
    }
}

private func running<Result>(_ body: () throws(SystemError) -> Result) throws(Refusal) -> Result {
    do throws(SystemError) { return try body() } catch {
        if error.code == EPIPE { throw .failedAge }
        throw Refusal(
            .io, .unavailable, "age", "age cannot be run: \(error).", do: "Look at the program and at the disk.")
    }
}

extension Refusal {
    fileprivate static let failedAge = Refusal(
        .io, .unavailable, "age", "age has ended without having done all of the file.",
        do: "Its own message says why. Nothing was replaced.")
}
