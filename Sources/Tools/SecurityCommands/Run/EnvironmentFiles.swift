import CommandOptions
import KeychainClient
import LinuxSystem

/// The env files of a command line, each read once.
struct EnvironmentFiles {
    enum Value {
        case plain(SecretBytes)
        case item(ItemReference)
    }

    let files: [UntrustedFile]
    /// In the order of files and lines; of a name that stands twice, the later one counts.
    private(set) var variables: [(name: String, value: Value)] = []

    /// - Parameter allowed: names of variables that the command line lets files set.
    /// - Throws: ``CommandFailure`` for a file that cannot be read, a line that is none, and a reference that is
    ///   malformed. The same for a variable that no file sets, or only one that the command line names.
    init(_ names: [String], allowed: Set<String>) throws(CommandFailure) {
        var files: [UntrustedFile] = []
        for name in names { files.append(try UntrustedFile(name, for: "run")) }
        self.files = files
        for file in files { try read(file, allowed) }
    }

    var references: [ItemReference] {
        variables.compactMap { variable in
            if case .item(let reference) = variable.value { return reference }
            return nil
        }
    }

    /// The question before a file is used for the first time: the values of variables, then the items.
    ///
    /// - Parameter places: the keychains that have the items.
    func question(
        _ path: String, _ words: [Argument], _ places: [ItemReference: ChosenKeychain], _ session: Session
    ) -> FileQuestion {
        let names = files.map(\.name).joined(separator: ", ")
        let plain = plain.map { "\($0.name)=\(FileQuestion.quoted($0.value))" }
        let items = variables.compactMap { variable -> String? in
            guard case .item(let reference) = variable.value else { return nil }
            return "  \(variable.name) = \(FileQuestion.item(reference, places, session))"
        }
        var question = FileQuestion(
            receiver: [session.text("\(names): not used before for \(path)")]
                + files.flatMap { file in file.facts(session).map { "  \($0)" } },
            command: "  " + words.map { $0.text.quoted }.joined(separator: " "),
            contents: (plain.isEmpty ? [] : ["  " + plain.joined(separator: ", ")]) + items)
        if let parent = CurrentProcess.parentProgram {
            question.receiver.append("  " + session.text("started by \(parent)"))
        }
        return question
    }

    /// Lets only those variables pass that the command line names, and references under the names of secrets: nobody is
    /// asked about them.
    ///
    /// - Throws: ``CommandFailure`` that names the others.
    func checkUnseen(allowed: Set<String>) throws(CommandFailure) {
        var names: [String] = []
        for (name, value) in variables where !allowed.contains(name) && !names.contains(name) {
            if case .item = value, ProtectedVariables.isNameOfSecret(name) { continue }
            names.append(name)
        }
        guard !names.isEmpty else { return }
        let shown = names.prefix(Self.mostNamed)
        let list = shown.joined(separator: ", ") + (names.count > shown.count ? ", …" : "")
        throw .failed(
            "run: variables of a file were not looked at",
            cause: "With --trust-file it sets references under names such as TOKEN and PASSWORD. It also sets \(list).",
            remedy: "Look at the file, and give \(shown.map { "--allow \($0)" }.joined(separator: " ")).")
    }

    /// As many names of variables are in a refusal.
    private static let mostNamed = 10

    private var plain: [(name: String, value: SecretBytes)] {
        variables.compactMap { variable in
            if case .plain(let text) = variable.value { return (variable.name, text) }
            return nil
        }
    }

    private mutating func read(_ file: UntrustedFile, _ allowed: Set<String>) throws(CommandFailure) {
        let lines: [EnvironmentFile.Line]
        do throws(EnvironmentFile.Malformed) { lines = try EnvironmentFile.parse(file.content) } catch {
            throw Self.refused(file, error.line, error.problem)
        }
        for line in lines {
            if let reason = ProtectedVariables.reason(against: line.name) {
                throw .failed(
                    "run: \(file.name), line \(line.number) is refused: a file does not set \(line.name)",
                    cause: reason,
                    remedy: "Remove the line; such a variable is set in the shell.")
            }
            if !allowed.contains(line.name), let shape = ProtectedVariables.shape(of: line.name) {
                throw .failed(
                    "run: \(file.name), line \(line.number) is refused: it sets \(shape.form)", cause: shape.reason,
                    remedy: "Look at the value, and give --allow \(line.name).")
            }
            variables.append((line.name, try Self.value(of: line, file)))
        }
    }

    private static func value(
        of line: EnvironmentFile.Line, _ file: UntrustedFile
    ) throws(CommandFailure) -> Value {
        guard let text = line.value.withSpan({ $0.text(0, min($0.count, ItemReference.longestBytes + 1)) }),
            ItemReference.isMeant(by: text)
        else { return .plain(line.value) }
        do throws(ItemReference.Malformed) { return .item(try ItemReference(text)) } catch {
            throw refused(file, line.number, error.problem)
        }
    }

    private static func refused(_ file: UntrustedFile, _ line: Int, _ problem: String) -> CommandFailure {
        .failed(
            "run: \(file.name), line \(line) is refused", cause: problem.asSentence,
            remedy: "Change the line.")
    }
}
