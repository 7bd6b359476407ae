import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `restore` and `drill`: put the items of a backup into the keychain, or say what that would do.
struct RestoreCommand {
    private static let recovery = CommandOption(
        "R", word: "recovery", "Ask for the recovery code that opens the backup instead of a passphrase.")

    static let restore = Command(
        "restore", "Put the items of a backup into the keychain, next to what is there.",
        synopsis: "[-n] [-R] file [keychain]",
        options: [
            CommandOption("n", word: "dry-run", "Show what would become of each item, and change nothing."), recovery,
        ],
        notes: [
            """
            The backup's passphrase is asked for, and the keychain's password, where one is set. If standard input is \
            no terminal, each is its next line, the passphrase first. An item that is not there is added. Of two with \
            the same name in the same group the later modification date wins; the other one goes to the history. \
            Nothing is deleted, and groups stay as they are. Every part of the file is checked before the first item \
            is taken. A restore that was interrupted can be repeated.
            """
        ],
        exits: [(1, "Some items were refused.")],
        examples: ["security restore --dry-run ~/keychain.backup"], operands: 1...2
    ) { arguments, session throws(CommandFailure) in
        try session.turn(to: arguments.operands.dropFirst().first, "restore")
        let command = RestoreCommand(session: session, call: "restore", changes: !arguments.has("n"))
        try command.run(arguments.operands.first?.text ?? "", byCode: arguments.has("R"))
    }

    static let drill = Command(
        "drill", "Check that a backup opens, and say what a restore would give.", synopsis: "[-R] file [keychain]",
        options: [recovery],
        notes: [
            """
            The backup's passphrase is asked for; if standard input is no terminal, it is its next line. The backup is \
            opened in memory, every part of it is checked and compared with the keychain, and nothing is changed.
            """
        ],
        exits: [(1, "Some items would be refused.")], operands: 1...2
    ) { arguments, session throws(CommandFailure) in
        try session.turn(to: arguments.operands.dropFirst().first, "drill")
        let command = RestoreCommand(session: session, call: "drill", changes: false)
        try command.run(arguments.operands.first?.text ?? "", byCode: arguments.has("R"))
    }

    let session: Session
    let call: String
    let changes: Bool

    private func run(_ path: String, byCode: Bool) throws(CommandFailure) {
        let file = try BackupFile(path, call)
        let contents = try open(file, byCode: byCode)
        guard Int(contents.parts) == file.parts.count else { throw .refused(call: call, .cutBackup(path)) }
        defer { _ = try? session.backup(.end(ticket: contents.ticket, isWritten: false), call) }
        let progress =
            session.isQuiet || session.writesJSON ? nil : Progress(changes ? "restoring" : "checking", session)
        defer { progress?.end() }
        var items: [RestoredItem] = []
        for applies in changes ? [false, true] : [false] {
            items = []
            do throws(CommandFailure) {
                try take(file, contents, applies: applies) { (taken) in
                    items += taken
                    progress?.show("\(items.count) of \(contents.items) items")
                }
            } catch {
                // The items of the parts before stay taken, and are named.
                if applies, !items.isEmpty { report(items, contents, path, isComplete: false) }
                throw error
            }
        }
        report(items, contents, path, isComplete: true)
        if items.contains(where: { $0.outcome == .refused }) { throw .shown }
    }

    private func open(_ file: BackupFile, byCode: Bool) throws(CommandFailure) -> BackupContents {
        let passcodes = Passcodes(session)
        let secret = try passcodes.get(nil, prompt: byCode ? "recovery code: " : "passphrase of the backup: ")
        let isAsked = changes ? try session.status(call).passcodeIsSet : false
        let password = isAsked ? try passcodes.get(nil, prompt: "password: ") : SecretBytes(count: 0)
        let opening = BackupOpening(
            changes ? .restore : .drill, by: .passcode, byCode ? .recoveryCode : .passphrase, header: file.header,
            manifest: file.manifest)
        let files = [try passcodes.file(password, call), try passcodes.file(secret, call)]
        guard case .opened(let contents) = try session.backup(.open(opening), call, files) else {
            throw .noBackupAnswer
        }
        return contents
    }

    private func take(
        _ file: BackupFile, _ contents: BackupContents, applies: Bool, each: ([RestoredItem]) -> Void
    ) throws(CommandFailure) {
        for index in file.parts.indices {
            let request = BackupRequest.take(
                ticket: contents.ticket, applies: applies, index: UInt32(index), box: try file.box(index))
            guard case .taken(let taken) = try session.backup(request, call) else { throw .noBackupAnswer }
            each(taken)
        }
    }

    // MARK: - What is said

    private func report(_ items: [RestoredItem], _ contents: BackupContents, _ path: String, isComplete: Bool) {
        let made = CalendarDate(secondsSinceReferenceDate: Double(contents.created) - 978_307_200).iso8601
        guard session.writesJSON else {
            var lines = ["made:  \(made)", "items: \(items.count)"]
            for outcome in RestoredItem.Outcome.allCases {
                lines.append("\(outcome.name): \(items.count { $0.outcome == outcome })")
            }
            lines += items.filter { $0.outcome != .same }.map(\.text)
            if !isComplete { lines.append("incomplete: \(contents.items) items are in the backup") }
            return session.output.write(lines.joined(separator: "\n") + "\n")
        }
        session.output.write(
            .object([
                ("file", .string(path)), ("made", .string(made)), ("changed", .boolean(changes)),
                ("complete", .boolean(isComplete)), ("items", .array(items.map(\.json))),
                ("left", .number(Int64(clamping: contents.left))),
            ]))
    }
}

extension RestoredItem {
    fileprivate var text: String {
        let words = "\(outcome.name): \(group.printable): \(recordClass.words)\(name.printable)"
        return why.isEmpty ? words : "\(words): \(why.printable)"
    }

    fileprivate var json: JSONValue {
        .object([
            ("class", .string(recordClass.name)), ("group", .string(group)), ("name", .string(name)),
            ("outcome", .string(outcome.name)), ("why", why.isEmpty ? .null : .string(why)),
        ])
    }
}

extension RestoredItem.Outcome {
    fileprivate var name: String {
        switch self {
        case .added: "added"
        case .replaced: "replaced"
        case .kept: "kept"
        case .same: "same"
        case .refused: "refused"
        }
    }
}
