import CommandOptions
import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// `backup`: writes the items that may leave this device into a sealed file.
struct BackupCommand {
    static let call = "backup"

    static let command = Command(
        call, "Write the items that may leave this device into a sealed file.",
        synopsis: "[-n] [-R [-p]] file [keychain]",
        options: [
            CommandOption("n", word: "dry-run", "Show what the backup would have, and write nothing."),
            CommandOption(
                "R", word: "recovery",
                "Ask for a recovery code instead of the password; the code opens the backup, too."),
            CommandOption("p", word: "passphrase", "With --recovery: a passphrase opens it as well."),
        ],
        notes: [
            """
            The keychain's password is asked for, where one is set, and a passphrase that opens the backup, twice. \
            If standard input is no terminal, each is its next line, the password first. Items of this device only, \
            private keys that never leave the enclave, and items that ask for a finger, a password of their own or \
            an anchored program stay; they are listed before anything is asked. The shelves of protected files \
            travel as items do, and the files open where they are restored. Earlier versions of items are not in it, \
            and each named keychain takes a backup of its own. An older backup of that name is replaced as a whole \
            or not at all, and any other file is left as it is.
            """
        ],
        examples: ["security backup ~/keychain.backup", "security backup -n ~/keychain.backup"],
        operands: 1...2
    ) { arguments, session throws(CommandFailure) in
        if arguments.has("p"), !arguments.has("R") { throw .usage("--passphrase goes with --recovery") }
        try session.turn(to: arguments.operands.dropFirst().first, call)
        let command = BackupCommand(session: session, path: arguments.operands.first?.text ?? "")
        let survey = try command.survey()
        if arguments.has("n") { return try command.report(survey, foretold: [], bytes: nil) }
        try command.run(
            byCode: arguments.has("R"), hasPassphrase: !arguments.has("R") || arguments.has("p"), survey.staying)
    }

    let session: Session
    let path: String

    private struct Result {
        /// Items and shelves, and how many are shelves.
        var (items, shelves): (UInt64, UInt64) = (0, 0)
        var staying: [StayingItem] = []
    }

    /// - Parameter foretold: the items that stay, as far as is known before.
    private func run(
        byCode: Bool, hasPassphrase: Bool, _ foretold: [StayingItem]
    ) throws(CommandFailure) {
        // Said before anybody is asked for anything. A user who gives up at a question leaves no file behind.
        _ = try makeFile()
        if !session.writesJSON {
            session.output.write(foretold.map { "stays: \($0.text)\n" }.joined())
            session.flush()
        }
        let files = try credentials(byCode: byCode, hasPassphrase: hasPassphrase)
        let file = try makeFile()
        let request = BackupRequest.begin(by: byCode ? .recoveryCode : .passcode)
        guard case .begun(let beginning) = try session.backup(request, Self.call, files) else { throw .noBackupAnswer }
        var isWritten = false
        defer { _ = try? session.backup(.end(ticket: beginning.ticket, isWritten: isWritten), Self.call) }
        let result = try write(beginning, to: file)
        do throws(SystemError) { try file.commit(mode: 0o600) } catch { throw unwritable(error) }
        isWritten = true
        try report(result, foretold: foretold, bytes: (try? FileStatus(at: path))?.size)
    }

    private func write(_ beginning: BackupBeginning, to file: FileReplacement) throws(CommandFailure) -> Result {
        let progress = session.isQuiet || session.writesJSON ? nil : Progress("making the backup", session)
        defer { progress?.end() }
        try write(beginning.header, to: file)
        return try writeParts(beginning, to: file) { progress?.show("\($0) of \(beginning.rows) items") }
    }

    private func writeParts(
        _ beginning: BackupBeginning, to file: FileReplacement, progress: (UInt64) -> Void
    ) throws(CommandFailure) -> Result {
        var (result, rows) = (Result(), 0 as UInt64)
        while true {
            guard case .piece(let piece) = try session.backup(.next(ticket: beginning.ticket), Self.call) else {
                throw .noBackupAnswer
            }
            try write(BackupFraming.head(piece.kind, piece.box.count) + piece.box, to: file)
            result.staying += piece.staying
            rows += piece.rows
            progress(rows)
            guard piece.kind == .part else {
                (result.items, result.shelves) = (piece.items, piece.shelves)
                return result
            }
        }
    }

    /// How many items and shelves would travel, and those that would stay.
    private func survey() throws(CommandFailure) -> Result {
        var result = Result()
        var next: BackupCursor? = .start
        while let cursor = next {
            guard case .survey(let page) = try session.backup(.survey(from: cursor), Self.call) else {
                throw .noBackupAnswer
            }
            result.items += page.travelling
            result.shelves += page.shelves
            result.staying += page.staying
            next = page.next
        }
        return result
    }

    // MARK: - Credentials

    private func credentials(byCode: Bool, hasPassphrase: Bool) throws(CommandFailure) -> [FileDescriptor] {
        let (passcodes, none) = (Passcodes(session), SecretBytes(count: 0))
        let isSet = try session.status(Self.call).passcodeIsSet
        if byCode, !isSet {
            throw .failed(
                "there is no recovery code", cause: "No password is set, and so no code either.",
                remedy: "Leave --recovery out, and give a passphrase.")
        }
        let credential =
            isSet ? try passcodes.get(nil, prompt: byCode ? "recovery code: " : "password: ") : none
        let passphrase = hasPassphrase ? try newPassphrase() : none
        return [try passcodes.file(credential, Self.call), try passcodes.file(passphrase, Self.call)]
    }

    private func newPassphrase() throws(CommandFailure) -> SecretBytes {
        let input = PasswordInput(session)
        let passphrase = try input.passcode("passphrase for the backup: ")
        guard session.input.isTerminal else { return passphrase }
        guard try input.passcode("retype passphrase for the backup: ").isEqual(to: passphrase) else {
            throw .failed("try again", remedy: "The two passphrases were not the same.")
        }
        return passphrase
    }

    // MARK: - The file

    /// A file that takes the place of the old backup when it is complete.
    private func makeFile() throws(CommandFailure) -> FileReplacement {
        try checkOldFile()
        do throws(SystemError) { return try FileReplacement(path) } catch { throw unwritable(error) }
    }

    /// Refuses to replace what is no backup: a keychain's file, or a document, may be named by mistake.
    private func checkOldFile() throws(CommandFailure) {
        var isBackup = true
        do throws(SystemError) {
            guard let old = try FileStatus(at: path) else { return }
            guard old.isRegularFile else {
                throw SystemError(code: EEXIST, call: "open", advice: "\(path) is not a file that could be replaced")
            }
            if old.size > 0 { isBackup = try Self.isBackup(path) }
        } catch { throw unwritable(error) }
        guard isBackup else {
            throw .failed(
                "the backup was not written", cause: "\(path) is no backup, and no other file is replaced.",
                remedy: "Name another file, or move this one away first.")
        }
    }

    private static func isBackup(_ path: String) throws(SystemError) -> Bool {
        let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        return try file.read(at: 0, count: BackupFraming.magic.count) == BackupFraming.magic
    }

    private func write(_ bytes: [UInt8], to file: FileReplacement) throws(CommandFailure) {
        do throws(SystemError) { try file.file.writeFully(bytes.span) } catch { throw unwritable(error) }
    }

    private func unwritable(_ error: SystemError) -> CommandFailure {
        .failed(
            "the backup was not written", cause: "\(path): \(error).",
            remedy: "What was there before is still there. Name a file in a folder with space that you may write to.")
    }

    // MARK: - What is said

    /// - Parameter foretold: what was said before, and is not said again.
    private func report(_ result: Result, foretold: [StayingItem], bytes: Int?) throws(CommandFailure) {
        let others = try otherKeychains()
        guard session.writesJSON else {
            var lines = result.staying.filter { !foretold.contains($0) }.map { "stays: \($0.text)" }
            lines.append("items: \(result.items)")
            if result.shelves > 0 { lines.append("shelves: \(result.shelves)") }
            lines.append("stay:  \(result.staying.count)")
            session.output.write(lines.joined(separator: "\n") + "\n")
            for path in others { session.complain("another keychain, which is not in this backup: \(path)") }
            return session.explain("earlier versions of items are not in a backup.")
        }
        session.output.write(
            .object([
                ("file", .string(path)), ("items", .number(Int64(clamping: result.items))),
                ("shelves", .number(Int64(clamping: result.shelves))),
                ("bytes", bytes.map { JSONValue.number(Int64($0)) } ?? .null),
                ("staying", .array(result.staying.map(\.json))), ("history", .boolean(false)),
                ("otherKeychains", .array(others.map { .string($0) })),
            ]))
    }

    /// The user's keychains that are not the one of this backup.
    private func otherKeychains() throws(CommandFailure) -> [String] {
        guard let named = session.named, !session.isForSystem else { return [] }
        do throws(Refusal) {
            let stores = try named.stores()
            guard case .named(let mine) = session.place else { return stores.map(\.path) }
            return [named.loginPath] + stores.filter { $0.identifier != mine.identifier }.map(\.path)
        } catch { throw .refused(call: Self.call, error) }
    }
}

extension Session {
    /// Asks something about a backup.
    func backup(
        _ request: BackupRequest, _ call: String, _ files: [FileDescriptor] = []
    ) throws(CommandFailure) -> BackupReply {
        guard case .backup(let reply) = try device(.backup(request), call, passcodes: files) else {
            throw .noBackupAnswer
        }
        return reply
    }
}

extension CommandFailure {
    static var noBackupAnswer: CommandFailure {
        .refused(call: BackupCommand.call, .malformed("the answer about a backup"))
    }
}

extension StayingItem {
    fileprivate var text: String { "\(group.printable): \(recordClass.words)\(name.printable) (\(reason.words))" }

    fileprivate var json: JSONValue {
        .object([
            ("class", .string(recordClass.name)), ("group", .string(group)), ("name", .string(name)),
            ("reason", .string(reason.name)),
        ])
    }
}

extension BackupClass {
    /// As a person reads it in front of a name: an item is named by its name alone.
    var words: String { self == .shelf ? "shelf " : "" }
}

extension StayingItem.Reason {
    /// The name in `--json`.
    fileprivate var name: String {
        switch self {
        case .thisDeviceOnly: "this-device-only"
        case .sealedKey: "sealed-key"
        case .guarded: "guarded"
        case .token: "token"
        case .damaged: "damaged"
        case .tooLarge: "too-large"
        }
    }

    /// As a person reads it.
    fileprivate var words: String {
        switch self {
        case .thisDeviceOnly: "of this device only"
        case .sealedKey: "a key that never leaves the enclave"
        case .guarded: "asks for more than the keychain's password"
        case .token: "comes from a token"
        case .damaged: "does not open; see security verify-keychain"
        case .tooLarge: "too large"
        }
    }
}
