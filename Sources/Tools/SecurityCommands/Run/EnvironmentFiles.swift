import CommandOptions
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

    /// - Throws: ``CommandFailure`` for a file that cannot be read, a line that is none, a variable that no file sets,
    ///   and a reference that is malformed.
    init(_ names: [String]) throws(CommandFailure) {
        var files: [UntrustedFile] = []
        for name in names { files.append(try UntrustedFile(name, for: "run")) }
        self.files = files
        for file in files { try read(file) }
    }

    var references: [ItemReference] {
        variables.compactMap { variable in
            if case .item(let reference) = variable.value { return reference }
            return nil
        }
    }

    /// The lines that a person sees before a file is used for the first time. The items stand last, so that nothing
    /// moves them out of sight.
    func question(_ path: String, _ words: [Argument]) -> [String] {
        let items = variables.compactMap { variable in
            if case .item(let reference) = variable.value { return "  \(variable.name) = \(reference.text)" }
            return nil
        }
        let plain = variables.compactMap { variable in
            if case .plain = variable.value { return variable.name }
            return nil
        }
        let more = plain.count > Self.mostPlain ? " and \(plain.count - Self.mostPlain) more" : ""
        let parent = CurrentProcess.parentProgram.map { ", started by \($0)" } ?? ""
        return [
            "\(files.map(\.name).joined(separator: ", ")): not used before for \(path)\(parent)",
            "  " + words.map { $0.text.quoted }.joined(separator: " "),
        ] + (plain.isEmpty ? [] : ["  sets \(plain.prefix(Self.mostPlain).joined(separator: ", "))\(more)"]) + items
    }

    /// As many names of variables without an item are shown.
    private static let mostPlain = 20

    private mutating func read(_ file: UntrustedFile) throws(CommandFailure) {
        let lines: [EnvironmentFile.Line]
        do throws(EnvironmentFile.Malformed) { lines = try EnvironmentFile.parse(file.content) } catch {
            throw Self.refused(file, error.line, error.problem)
        }
        for line in lines {
            if let reason = ProtectedVariables.reason(against: line.name) {
                throw Self.refused(file, line.number, "a file does not set \(line.name): \(reason)")
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
            remedy: "Change the line; a variable that no file sets is set in the shell.")
    }
}
