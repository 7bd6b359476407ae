import CommandOptions
import DER
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem

/// `item`: adds, finds, changes and deletes items by the codes of their attributes, as `SecItem` functions do.
struct ItemCommand {
    private let session: Session
    private let arguments: ParsedArguments
    private let query: [AttributePair]

    static let command = Command(
        "item", "Add, find, change or delete items by their attributes.",
        synopsis: "[-a | -D | -u attribute=value,...] [options...] class=C [attribute=value ...]",
        options: [
            CommandOption("a", "Add an item."),
            CommandOption("D", "Delete the items."),
            CommandOption("u", value: "changes", "Change attributes of the items: attribute=value,..."),
            CommandOption("q", value: "query", "More of the query: attribute=value,..."),
            CommandOption("d", value: "data", "The value, which ps shows to other users of the machine."),
            CommandOption("f", value: "file", "The value is in a file."),
            CommandOption("g", "Also show the values."),
            CommandOption("p", "Also show the persistent references."),
            CommandOption("P", value: "reference", "The item with a persistent reference, in base64."),
            CommandOption("l", value: "number", "Find so many items at most."),
            CommandOption("j", "Write JSON, an object a line."),
            CommandOption("s", value: "group", "Not supported: items are not shared with other users."),
        ],
        notes: [
            """
            Attributes have the codes that dump-keychain shows: class=genp svce=deploy acct=ci. Items that ask their \
            user are left out. Nothing found is said, and exits with 0.
            """
        ],
        operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in try ItemCommand(arguments, session).run() }

    private enum Call: String {
        case find = "SecItemCopyMatching"
        case add = "SecItemAdd"
        case change = "SecItemUpdate"
        case delete = "SecItemDelete"
    }

    private init(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        (self.session, self.arguments) = (session, arguments)
        let changes = ["a", "D", "u"].filter { arguments.has(Character($0)) }
        guard changes.count <= 1 else { throw .usage("-\(changes[0]) does not go with -\(changes[1])") }
        if let change = changes.first, change != "u", arguments.has("g") {
            throw .usage("-\(change) does not go with -g")
        }
        if arguments.has("s") {
            throw .refused(call: Call.change.rawValue, .notShared)
        }
        var pairs: [AttributePair] = []
        for list in arguments.values where list.letter == "q" {
            pairs += try AttributePair.list(list.value?.text ?? "")
        }
        for operand in arguments.operands { pairs.append(try AttributePair(operand.text)) }
        query = pairs
        guard query.contains(where: { $0.code == "class" }) || arguments.has("P") else {
            throw .usage("class= is missing: genp, inet, cert, keys or idnt")
        }
    }

    private func run() throws(CommandFailure) {
        do throws(CommandFailure) {
            if arguments.has("a") { return try add() }
            if arguments.has("D") { return try inEach(.delete, try deletion()) { _ in } }
            if arguments.has("u") { return try inEach(.change, try update()) { _ in } }
            try find()
        } catch {
            // As on macOS, nothing found is no failure of the command.
            guard error.isStatus(.itemNotFound) else { throw error }
            session.report(error)
        }
    }

    // MARK: - Requests

    private func add() throws(CommandFailure) {
        let value = try value()
        try session.turn(to: nil, Call.add.rawValue)
        _ = try session.send(Call.add.rawValue) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.add)
            for pair in query { try builder.set(pair.code, pair.value) }
            try value?.withSpan { (bytes) throws(Refusal) in try builder.set("v_Data", data: bytes) }
            return try builder.build()
        }
    }

    private func deletion() throws(CommandFailure) -> ItemRequest {
        try request(.delete, .delete) { (_) throws(Refusal) in }
    }

    private func update() throws(CommandFailure) -> ItemRequest {
        var changes: [AttributePair] = []
        for list in arguments.values where list.letter == "u" {
            changes += try AttributePair.list(list.value?.text ?? "")
        }
        let value = try value()
        return try request(.update, .change) { (builder) throws(Refusal) in
            for change in changes { try builder.change(change.code, change.value) }
            try value?.withSpan { (bytes) throws(Refusal) in try builder.change("v_Data", data: bytes) }
        }
    }

    private func find() throws(CommandFailure) {
        let limit = try limit()
        let request = try request(.copyMatching, .find) { (builder) throws(Refusal) in
            try builder.set("m_Limit", limit)
            try builder.set("u_AuthUI", .string("u_AuthUIS"))
            try builder.set("r_Attributes", .boolean(true))
            if arguments.has("g") { try builder.set("r_Data", .boolean(true)) }
            if arguments.has("p") { try builder.set("r_PersistentRef", .boolean(true)) }
        }
        let lines = ItemLines(session, writesJSON: arguments.has("j") || session.writesJSON)
        try inEach(.find, request) { lines.write(item: $0) }
    }

    private func limit() throws(CommandFailure) -> RawValue {
        guard let text = arguments.value("l")?.text else { return .string("m_LimitAll") }
        guard let number = Int64(text), number > 0 else { throw .usage("\"\(text)\" is no number of items") }
        return .number(number)
    }

    private func value() throws(CommandFailure) -> SecretBytes? {
        if let path = arguments.value("f")?.text {
            do throws(SystemError) { return try Input(FileDescriptor.open(path, O_RDONLY)).readAll() } catch {
                throw CommandFailure(path, error)
            }
        }
        guard let argument = arguments.value("d") else { return nil }
        session.explain("The value was visible to other programs in the list of processes; -f reads a file.")
        return argument.bytes
    }

    private func request(
        _ operation: ItemRequest.Operation, _ call: Call, _ more: (inout ItemRequestBuilder) throws(Refusal) -> Void
    ) throws(CommandFailure) -> ItemRequest {
        let reference = try reference()
        do throws(Refusal) {
            var builder = ItemRequestBuilder(operation)
            if let reference { try builder.set("v_PersistentRef", .data(reference)) }
            for pair in query { try builder.set(pair.code, pair.value) }
            try more(&builder)
            return try builder.build()
        } catch { throw .refused(call: call.rawValue, error) }
    }

    /// The bytes after -P. macOS's command complains of other text on standard output.
    private func reference() throws(CommandFailure) -> [UInt8]? {
        guard let text = arguments.value("P")?.text else { return nil }
        do throws(PEM.Malformed) {
            var decoder = Base64Decoder()
            for character in text.utf8 { try decoder.add(character) }
            return try decoder.finish().withSpan { $0.array(0, $0.count) }
        } catch {
            session.output.write("-P expects a b64 encoded persistent reference string\n")
            throw .shown
        }
    }

    // MARK: - Keychains

    /// Asks each keychain of the search list.
    ///
    /// - Throws: `errSecItemNotFound` when none has such an item.
    private func inEach(
        _ call: Call, _ request: ItemRequest, _ body: (ItemResponse.Item) -> Void
    ) throws(CommandFailure) {
        var (isFound, missing) = (false, nil as CommandFailure?)
        try session.inEach([], call.rawValue, hasFound: { isFound }) { () throws(CommandFailure) in
            do throws(CommandFailure) {
                try session.sendAll(request, call.rawValue).items.forEach(body)
                isFound = true
            } catch {
                guard error.isStatus(.itemNotFound) else { throw error }
                missing = error
            }
        }
        if let missing, !isFound { throw missing }
    }
}

/// An attribute by its code, and what is asked of it.
private struct AttributePair {
    let code: String
    let value: RawValue

    /// - Throws: ``CommandFailure/usage(_:nearest:)`` for a text without an equals sign.
    init(_ text: String) throws(CommandFailure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else { throw .usage("\"\(text)\" is no attribute=value") }
        code = parts[0]
        value = code == "sync" && ["0", "1"].contains(parts[1]) ? .boolean(parts[1] == "1") : .string(parts[1])
    }

    static func list(_ text: String) throws(CommandFailure) -> [AttributePair] {
        var pairs: [AttributePair] = []
        for part in text.split(separator: ",") { pairs.append(try AttributePair(String(part))) }
        return pairs
    }
}

extension Refusal {
    fileprivate static let notShared = Refusal(
        .unimplemented, Rule(rawValue: "command.not-shared"), "item", "Items are not shared with other users.",
        do: "Export the item, and import it there.")
}
