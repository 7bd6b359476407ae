import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `why`: what keeps a search from finding an item, or a protected file from opening.
struct Why {
    private let arguments: ParsedArguments
    private let itemClass: ItemClass
    private let session: Session
    private static let call = "why"

    static let command = Command(
        "why", "Explain what a search finds, or what keeps a protected file closed.",
        synopsis: "[--class class] [--group group] [--as program] [options...] | [--as program] file",
        options: [
            GroupCommands.classOption("The class to search: genp (the default), inet, cert or keys."),
            CommandOption("M", word: "group", value: "group", "Match the access group."),
            CommandOption(
                "F", word: "as", value: "program",
                "Search, or open the file, as this program would, given by its path."),
            CommandOption("Y", word: "sync", value: "which", "Synchronised items: any (the default), yes or no."),
            CommandOption("N", word: "all", "Search for all items rather than one."),
        ] + criteria.map { CommandOption($0.letter, value: $0.value, takesBytes: true, "Match the \($0.meaning).") },
        notes: [
            """
            The options of find-generic-password, or with --class inet of find-internet-password; -s is the service or \
            the server. The items that come nearest are shown with the first rule that kept each from being found. No \
            value is opened. Who the program is, the daemon knows from its last request; one it has not seen counts as \
            unsigned.
            """,
            """
            A protected file is asked about for security file, unless a program is named. Nobody is prompted, and its \
            content is not read: security file verify does that.
            """,
        ],
        operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        if let file = arguments.operands.first { return try WhyFile(file, arguments, session).run() }
        let itemClass = try GroupCommands.itemClass(arguments) ?? .genericPassword
        try Why(arguments: arguments, itemClass: itemClass, session: session).run()
    }

    /// The criteria of both kinds of passwords, each letter once.
    private static let criteria: [PasswordKind.Criterion] = {
        let own = PasswordKind.generic.criteria
        return own + PasswordKind.internet.criteria.filter { other in !own.contains { $0.letter == other.letter } }
    }()

    private func run() throws(CommandFailure) {
        let request = try request()
        let buffer = SecretBuffer(capacity: 256)
        request.append(to: buffer)
        let query = buffer.withSpan { $0.array(0, $0.count) }
        let program = arguments.value("F")?.text ?? ""
        guard case .explanation(let explanation) = try session.access(.why(program: program, query: query), Self.call)
        else { throw .refused(call: Self.call, .malformed("the explanation")) }
        let report = WhyReport(explanation, asked: request.query)
        if session.writesJSON { return session.output.write(report.json) }
        session.output.write(report.text)
    }

    private func request() throws(CommandFailure) -> ItemRequest {
        let kind: PasswordKind = itemClass == .internetPassword ? .internet : .generic
        var attributes: [(code: String, value: RawValue)] = []
        for given in arguments.values {
            guard let criterion = Self.criteria.first(where: { $0.letter == given.letter }), let value = given.value
            else { continue }
            guard let own = kind.criteria.first(where: { $0.letter == given.letter }),
                AttributeTable.attribute(code: own.code)?.belongs(to: itemClass) == true
            else { throw .usage("-\(criterion.letter) does not go with --class \(itemClass.code)") }
            attributes.append((own.code, try own.value(of: value)))
        }
        let synchronised = try synchronised()
        do throws(Refusal) {
            var builder = ItemRequestBuilder(.copyMatching)
            try builder.set("class", .string(itemClass.code))
            for (code, value) in attributes { try builder.set(code, value) }
            if let group = arguments.value("M") { try builder.set("agrp", .string(group.text)) }
            if let synchronised { try builder.set("sync", synchronised) }
            try builder.set("m_Limit", .string(arguments.has("N") ? "m_LimitAll" : "m_LimitOne"))
            try builder.set("r_Attributes", .boolean(true))
            return try builder.build()
        } catch { throw .refused(call: Self.call, error) }
    }

    private func synchronised() throws(CommandFailure) -> RawValue? {
        switch arguments.value("Y")?.text ?? "any" {
        case "any": .string("syna")
        case "yes": .boolean(true)
        case "no": .boolean(false)
        default: throw .usage("--sync is any, yes or no")
        }
    }
}
