import CommandOptions
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// `dump-keychain`: the items of all programs, and the values of those that belong to this command.
struct DumpKeychain {
    private let session: Session
    /// The file with the items; found out with the first of them.
    private var store = ""
    private let showsAccess: Bool
    private let showsValues: Bool

    static let command = Command(
        "dump-keychain", "Show all items of the keychain.", synopsis: "[-adr] [keychain...]",
        options: [
            CommandOption("a", "Also show who may use each item, and when."),
            CommandOption("d", "Also show the values of the items that were added with this command."),
            CommandOption("r", "Accepted for old scripts; the encrypted bytes are not handed out."),
            .keychain,
        ],
        notes: [
            """
            Attributes of all programs' items are shown, never their values: those only their own programs can read. \
            Of anchored programs' items nothing is shown, but to root.
            """
        ],
        operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in
        if arguments.has("r") { session.explain("-r shows nothing: encrypted bytes are not handed out.") }
        let list = JSONList(session)
        try session.inEach(arguments.keychains, PasswordQuery.call) { () throws(CommandFailure) in
            var dump = DumpKeychain(
                session: session, showsAccess: arguments.has("a"), showsValues: arguments.has("d"))
            try dump.dump(list)
        }
        list.end()
    }

    private init(session: Session, showsAccess: Bool, showsValues: Bool) {
        (self.session, self.showsAccess, self.showsValues) = (session, showsAccess, showsValues)
    }

    private mutating func dump(_ list: JSONList) throws(CommandFailure) {
        for itemClass in ItemClass.stored {
            var request = try listing(of: itemClass)
            repeat {
                guard let page = try nextPage(request) else { break }
                if store.isEmpty { store = try session.shownPath(PasswordQuery.call) }
                for item in page.items {
                    if session.writesJSON { list.append(.object(try json(of: item))) } else { try showItem(item) }
                }
                request.cursor = page.cursor
            } while request.cursor != 0
        }
    }

    private func listing(of itemClass: ItemClass) throws(CommandFailure) -> ItemRequest {
        do throws(Refusal) {
            var builder = ItemRequestBuilder(.copyMatching)
            try builder.set("class", .string(itemClass.code))
            try builder.set("sync", .string("syna"))
            try builder.set("m_Limit", .string("m_LimitAll"))
            try builder.set("r_Attributes", .boolean(true))
            if showsValues || showsAccess { try builder.set("r_PersistentRef", .boolean(true)) }
            builder.inspectAllGroups()
            return try builder.build()
        } catch { throw .refused(call: PasswordQuery.call, error) }
    }

    /// The next page; nil when there is none.
    private func nextPage(_ request: ItemRequest) throws(CommandFailure) -> ItemResponse? {
        do throws(CommandFailure) { return try session.send(request, PasswordQuery.call) } catch {
            if error.status == KeychainStatus.itemNotFound.rawValue { return nil }
            throw error
        }
    }

    private func showItem(_ item: ItemResponse.Item) throws(CommandFailure) {
        session.output.write { ItemDump.append(item, keychain: store, to: $0) }
        if showsAccess { session.output.write(AccessDump(item).text) }
        guard showsValues else { return }
        session.output.write("data:\n")
        switch try value(of: item) {
        case .own(let value): session.output.write { buffer in value.withSpan { buffer.append(cell: $0) } }
        case .foreign(let group): session.output.write("<only for programs of the access group \(group.quoted)>")
        }
        session.output.write("\n")
    }

    private func json(of item: ItemResponse.Item) throws(CommandFailure) -> [(key: String, value: JSONValue)] {
        var members = ItemJSON.object(item, keychain: store)
        guard showsValues else { return members }
        if case .own(let value) = try value(of: item) { members.append(("data", .bytes(value))) }
        return members
    }
}

/// Whose values are whose.
extension DumpKeychain {
    private enum Value {
        case own(SecretBytes)
        case foreign(group: String)
    }

    /// An item whose attributes were listed but that this command cannot find by its own right belongs to others.
    private func value(of item: ItemResponse.Item) throws(CommandFailure) -> Value {
        do throws(CommandFailure) {
            let response = try session.send("SecKeychainItemCopyContent") { () throws(Refusal) in
                var builder = ItemRequestBuilder(.copyMatching)
                try builder.set("v_PersistentRef", item.reference)
                try builder.set("r_Data", .boolean(true))
                return try builder.build()
            }
            return .own(response.items.first?.password ?? SecretBytes(count: 0))
        } catch {
            guard error.status == KeychainStatus.itemNotFound.rawValue else { throw error }
            return .foreign(group: item.attributes[.accessGroup]?.string ?? "")
        }
    }
}

/// A JSON array that is written element by element, one a line, because a keychain may have a million items.
private final class JSONList {
    private let session: Session
    private var count = 0

    init(_ session: Session) { self.session = session }

    func append(_ value: JSONValue) {
        session.output.write { buffer in
            buffer.append(utf8: count == 0 ? "[\n" : ",\n")
            value.append(to: buffer)
        }
        count += 1
    }

    /// Ends the array; writes nothing when the session does not write JSON.
    func end() {
        guard session.writesJSON else { return }
        session.output.write(count == 0 ? "[]\n" : "\n]\n")
    }
}
