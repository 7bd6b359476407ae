import CommandOptions
import FileAccess
import FileFormat
import KeychainModel
import LinuxSystem
import SecurityCommands

/// `file recovery` and `recovery-key`: who opens files when the keychain is lost.
enum RecoverFiles {
    /// Gives files the recipients of the command line, and takes all others away.
    static func set(_ task: FileTask) throws(CommandFailure) {
        let (recipients, content) = (try task.recipients(), FileContent(try task.keychain()))
        for name in task.operands {
            try task.changing("recovery", name) { (told) throws(Refusal) in
                try content.setRecovery(recipients, of: name, told: told)
            }
        }
    }

    /// Shows who opens each new file too; with recipients, or `-N`, changes it first.
    static func setDefault(_ task: FileTask) throws(CommandFailure) {
        let (recipients, session) = (try task.recipients(), task.session)
        let removes = task.arguments.has("N")
        guard !removes || recipients.isEmpty else { throw .usage("give recipients, or -N for none") }
        if removes || !recipients.isEmpty {
            try session.setFileRecovery(recipients.map(\.text), "file")
        }
        let keychain = try task.keychain()
        let texts = try task.working(on: FileTask.call) { () throws(Refusal) in
            try keychain.recovery().map(\.text)
        }
        if session.writesJSON { return session.output.write(.array(texts.map { .string($0) })) }
        for text in texts { session.output.write("\(text)\n") }
    }

    /// Writes a new identity to a file that was not there, and shows its recipient.
    static func makeKey(_ task: FileTask) throws(CommandFailure) {
        guard let path = task.arguments.value("o")?.text, path != "-" else { throw .usage("recovery-key takes -o") }
        let (text, recipient) = try task.working(on: FileTask.call) { () throws(Refusal) in try newIdentity() }
        do throws(SystemError) { try AtomicFile.make(at: path, with: text) } catch { throw CommandFailure(path, error) }
        guard task.session.writesJSON else { return task.session.output.write("\(recipient)\n") }
        task.session.output.write(.object([("file", .string(path)), ("recipient", .string(recipient))]))
    }

    /// The lines of a new identity, and its recipient.
    private static func newIdentity() throws(Refusal) -> (text: SecretBytes, recipient: String) {
        do throws(FileError) {
            let identity = try RecoveryIdentity()
            let (text, recipient) = (SecretBuffer(capacity: 256), identity.recipient.text)
            for byte in "# public key: \(recipient)\n".utf8 { text.append(byte) }
            try identity.text().withSpan { text.append($0) }
            text.append(UInt8(ascii: "\n"))
            return (text.finish(), recipient)
        } catch { throw error.refusal }
    }
}

extension FileTask {
    /// The most bytes of a file of identities; each has 75.
    private static let identityBytes = 1 << 16

    var hasIdentity: Bool { arguments.has("i") }

    /// Opens files: the identity of the command line, or the keychain.
    func opener() throws(CommandFailure) -> any FileOpener {
        guard let path = arguments.value("i")?.text else { return try keychain() }
        guard path != "-" || !operands.contains("-") else { throw .usage("standard input is one thing") }
        let text = try Self.text(of: path)
        return try working(on: path) { () throws(Refusal) in
            try text.withSpan { (text) throws(Refusal) in try RecoveryIdentities(lines: text) }
        }
    }

    private static func text(of path: String) throws(CommandFailure) -> SecretBytes {
        let (file, text) = (try InputFile.open(path), SecretBuffer())
        do throws(SystemError) {
            var count = 0
            try text.append(count: identityBytes) { (span) throws(SystemError) in
                count = try file.readFully(into: &span)
            }
            text.truncate(to: count)
        } catch { throw CommandFailure(path, error) }
        return text.finish()
    }

    /// The recovery recipients of the command line.
    func recipients() throws(CommandFailure) -> [RecoveryRecipient] {
        var found: [RecoveryRecipient] = []
        for value in arguments.values(of: "R") {
            guard let recipient = RecoveryRecipient(text: value.text) else {
                throw .usage("\(value.text) is no recipient: it begins with age1")
            }
            if !found.contains(recipient) { found.append(recipient) }
        }
        guard found.count < FileHeader.mostSlots else { throw .usage("a file has at most 7 recovery recipients") }
        return found
    }
}
