import CommandOptions
import LinuxSystem

/// `security setup`: makes other programs use the keychain, shows the difference first, and can take it back.
struct SetupCommand {
    private let arguments: ParsedArguments
    private let session: Session

    static let command = Command(
        "setup", "Make git, docker, the desktop or a Swift package use the keychain.",
        synopsis: "[-c] [-f] [-l] [-n] [-w] [-y] [-u] [-x] \(names)...",
        options: [
            CommandOption(
                "c", word: "check",
                "swift: list files that use Data Protection of Foundation; it is ignored on Linux."),
            CommandOption(
                "f", word: "file-protection",
                "swift: targets that use Data Protection of Foundation get a file that encrypts."),
            CommandOption("l", word: "system-library", "swift: its targets also get the SDK that is installed."),
            CommandOption("n", word: "dry-run", "Show what would change and change nothing."),
            CommandOption(
                "w", word: "without-import", "desktop: leave an older keyring's secrets where they are."),
            CommandOption("y", word: "yes", "Do not ask before the files are changed."),
            CommandOption("u", word: "undo", "Take back what an earlier setup has changed."),
            CommandOption(
                "x", word: "without-export",
                "desktop, with --undo: leave what programs have stored since then in the keychain."),
        ],
        notes: SetupTarget.all.map { "\($0.name): \($0.summary)." } + [
            """
            The difference is shown before anything is changed. What is not ours in a file stays as it is. Logins that \
            were kept elsewhere stay there: log in again, then remove them.
            """
        ], operands: 1...SetupTarget.all.count
    ) { arguments, session throws(CommandFailure) in
        try SetupCommand(arguments: arguments, session: session).run()
    }

    private static let names = SetupTarget.all.map(\.name).joined(separator: "|")

    private func run() throws(CommandFailure) {
        let place = try SetupPlace(session.environment)
        if arguments.has("c") { return try check(place) }
        let wish = SetupWish(
            undoes: arguments.has("u"), addsLibrary: arguments.has("l"),
            protectsFiles: arguments.has("f"), leavesOlderSecrets: arguments.has("w"))
        var changes: [FileChange] = []
        for operand in arguments.operands {
            guard let target = SetupTarget.all.first(where: { $0.name == operand.text }) else {
                throw .usage("\"\(operand.text)\" is none of \(Self.names)")
            }
            changes += try target.changes(place, wish).filter(\.isNeeded)
        }
        guard !changes.isEmpty else { return say("nothing has to be changed") }
        let isDone = try apply(changes)
        if session.writesJSON { session.output.write(json(changes, isDone)) }
    }

    /// Lists what Foundation's protection of files is used for.
    ///
    /// - Throws: ``CommandFailure`` also where something stays unprotected, for scripts.
    private func check(_ place: SetupPlace) throws(CommandFailure) {
        guard arguments.operands.map(\.text) == [SwiftSetup.target.name] else {
            throw .usage("--check goes with swift")
        }
        let found = try SwiftSetup.fileProtection(place)
        for (path, protects) in found {
            guard !session.writesJSON else {
                session.output.write(.object([("path", .string(path)), ("protects", .boolean(protects))]))
                continue
            }
            let text =
                protects ? "encrypted by the functions of its target" : "PROTECTS NOTHING: Foundation writes plaintext"
            session.output.write("\(path.printable): \(session.text(text))\n")
        }
        if found.contains(where: \.protects) {
            say("reads take plaintext that was put in a file's place, and other targets read ciphertext")
        }
        guard found.allSatisfy(\.protects) else {
            throw .failed(
                "the protection of files is ignored on Linux",
                remedy: "Run security setup --file-protection swift, and let the targets depend on ProtectedFiles.")
        }
    }

    /// Whether the files were changed.
    private func apply(_ changes: [FileChange]) throws(CommandFailure) -> Bool {
        let isOfDesktop = arguments.operands.contains { $0.text == DesktopSetup.target.name }
        if isOfDesktop, !arguments.has("u") {
            say("the desktop's part is a preview; docs/guides/desktop.md says what it lacks")
        }
        if !session.writesJSON { showDifferences(changes) }
        if arguments.has("n") { return false }
        if isOfDesktop, arguments.has("u"), !arguments.has("x") { try DesktopItems.check(session) }
        let isConfirmed = try arguments.has("y") ? true : confirm()
        guard isConfirmed else {
            throw .failed("nothing was changed", remedy: "Answer y, or add -y.")
        }
        try FileChange.apply(changes)
        if arguments.has("u") {
            say("done; the settings are as they were before")
        } else {
            say("done; `security setup --undo` takes it back")
        }
        return true
    }

    private func confirm() throws(CommandFailure) -> Bool {
        guard session.input.isTerminal, session.mayAsk, !session.writesJSON else { return false }
        session.flush()
        session.diagnostics.write(session.text("Change these files? [y/N] "))
        session.flush()
        do throws(SystemError) {
            let line = try session.input.readLine()
            return line?.withSpan { $0.count == 1 && ($0[0] | 0x20) == UInt8(ascii: "y") } ?? false
        } catch { throw CommandFailure("standard input", error) }
    }

    private func showDifferences(_ changes: [FileChange]) {
        for change in changes where !change.isRecord {
            session.output.write("--- \(change.before == nil ? "/dev/null" : change.path.printable)\n")
            session.output.write("+++ \(change.after == nil ? "/dev/null" : change.path.printable)\n")
            for line in TextDifference(change.before ?? "", change.after ?? "").lines {
                let text = coloured(ForeignText.lines(line))
                session.output.write { $0.append(utf8: text + "\n") }
            }
        }
    }

    private func coloured(_ line: String) -> String {
        guard session.isColoured(session.output) else { return line }
        return switch line.first {
        case "+": "\u{1B}[32m\(line)\u{1B}[0m"
        case "-": "\u{1B}[31m\(line)\u{1B}[0m"
        case "@": "\u{1B}[36m\(line)\u{1B}[0m"
        default: line
        }
    }

    private func say(_ text: String) {
        if !session.writesJSON, !session.isQuiet { session.output.write("security: \(session.text(text).printable)\n") }
    }

    private func json(_ changes: [FileChange], _ isDone: Bool) -> JSONValue {
        .object([
            ("done", .boolean(isDone)),
            (
                "changes",
                .array(
                    changes.filter { !$0.isRecord }.map { change in
                        .object([
                            ("path", .string(change.path)),
                            (
                                "difference",
                                .array(
                                    TextDifference(change.before ?? "", change.after ?? "").lines.map(JSONValue.string))
                            ),
                        ])
                    })
            ),
        ])
    }
}
