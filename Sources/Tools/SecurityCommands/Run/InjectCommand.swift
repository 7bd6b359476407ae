import CommandOptions
import KeychainClient
import LinuxSystem

/// `security inject`: writes a text with values of the keychain in their places, or nothing.
struct InjectCommand {
    private let arguments: ParsedArguments
    private let session: Session

    static let command = Command(
        "inject", "Write a file from a template, with passwords of the keychain in it.",
        synopsis: "-i template [-o file] [options...]",
        options: [
            CommandOption("i", word: "in-file", value: "file", "The template."),
            CommandOption(
                "o", word: "out-file", value: "file", "Write this file, for its owner alone; otherwise standard output."
            ),
            CommandOption("r", word: "reveal", "Write the values to a terminal too."),
            CommandOption("t", word: "trust-file", "Use the template without asking."),
        ],
        notes: [
            "{{ kc://SERVICE/ACCOUNT }} is a place for a value, {{ kc://SERVICE/ACCOUNT | FILTER }} for a form of it."
        ] + Template.Filter.allCases.map { "FILTER \($0.rawValue): \($0.meaning)" } + [
            "{{{{ stands for {{. Anything else between {{ and }} is refused, and then nothing is written."
        ],
        exits: [(1, "The template is refused; nothing is written."), (44, "No item matches; nothing is written.")],
        examples: ["security inject -i settings.json.in -o settings.json"]
    ) { arguments, session throws(CommandFailure) in
        try InjectCommand(arguments: arguments, session: session).run()
    }

    private func run() throws(CommandFailure) {
        guard let name = arguments.value("i")?.text else { throw .usage("-i names the template") }
        let target = arguments.value("o")?.text
        guard target != nil || !session.output.isTerminal || arguments.has("r") else {
            throw .failed(
                "inject: values are not written to a terminal", cause: "They would stay in its history.",
                remedy: "Give -o FILE, or --reveal.")
        }
        try ProcessHardening.forbidCores(for: "inject")
        let file = try UntrustedFile(name, for: "inject")
        let template = try parse(file)
        // The place that the question shows is written, whatever its folder's name leads to by then.
        let place = try target.map { target throws(CommandFailure) in try self.place(target) }
        let use = place?.path ?? "standard output"
        let trust = FileTrust(session, for: "inject", use: use)
        let resolver = ReferenceResolver(session, for: "inject")
        var places: [ItemReference: ChosenKeychain] = [:]
        let asked =
            try arguments.has("t")
            ? []
            : trust.check([file]) {
                places = resolver.places(of: template.references)
                return question(file, template, places, use)
            }
        let values = try resolver.values(
            of: template.references, places: places, reason: ForeignText.shown("write \(use)", limit: 200))
        try ProcessHardening.hideMemory(for: "inject")
        let text = try fill(template, values.single)
        try trust.remember(asked)
        try write(text, place)
    }

    /// The place of a file that is made or replaced there, whether there is one or not.
    private func place(_ target: String) throws(CommandFailure) -> FilePlace {
        do throws(SystemError) { return try FilePlace(target) } catch { throw unwritable(target, error) }
    }

    private func unwritable(_ target: String, _ error: SystemError) -> CommandFailure {
        .failed(
            "inject: \(target) cannot be written", cause: "\(error).",
            remedy: "Look at its folder; nothing was changed.")
    }

    private func parse(_ file: UntrustedFile) throws(CommandFailure) -> Template {
        do throws(Template.Malformed) { return try Template(file.content) } catch {
            throw .failed(
                "inject: \(file.name), line \(error.line) is refused", cause: error.problem.asSentence,
                remedy: "Change the template; nothing was written.")
        }
    }

    private func question(
        _ file: UntrustedFile, _ template: Template, _ places: [ItemReference: ChosenKeychain], _ use: String
    ) -> FileQuestion {
        var names: [String] = []
        for name in template.references.map({ FileQuestion.item($0, places, session) }) where !names.contains(name) {
            names.append(name)
        }
        return FileQuestion(
            receiver: [session.text("\(file.name): not used before for \(use)")]
                + file.facts(session).map { "  \($0)" },
            contents: names.map { "  \($0)" })
    }

    private func fill(
        _ template: Template, _ values: [ItemReference: SecretBytes]
    ) throws(CommandFailure) -> SecretBytes {
        let text = SecretBuffer()
        for part in template.parts {
            switch part {
            case .text(let bytes): bytes.withSpan { text.append($0) }
            case .value(let reference, let filter):
                guard let value = values[reference] else { continue }
                let problem = value.withSpan { bytes in
                    guard let filter else {
                        text.append(bytes)
                        return nil as String?
                    }
                    return filter.append(bytes, to: text)
                }
                if let problem {
                    throw .failed(
                        "inject: \(reference.text) cannot be written with \(filter?.rawValue ?? "")",
                        cause: problem.asSentence, remedy: "Use the filter base64; nothing was written.")
                }
            }
        }
        return text.finish()
    }

    private func write(_ text: SecretBytes, _ place: FilePlace?) throws(CommandFailure) {
        guard let place else { return text.withSpan { session.output.write($0) } }
        do throws(SystemError) {
            try text.withSpan { (bytes) throws(SystemError) in try AtomicFile.replace(place, with: bytes) }
        } catch { throw unwritable(place.path, error) }
    }
}
