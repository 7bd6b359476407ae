import CommandOptions
import KeychainModel
import KeychainWire

/// The items that options speak of, in the classes that have what they ask for.
struct ItemSelection {
    private let classes: [(itemClass: ItemClass, criteria: [(code: String, value: RawValue)])]
    /// Whether it says nothing at all.
    let isEmpty: Bool

    static let options = [
        CommandOption("a", value: "account", takesBytes: true, "Match the account name."),
        CommandOption("c", value: "class", "Only items of a class: genp, inet, cert or keys."),
        CommandOption("l", value: "label", takesBytes: true, "Match the label."),
        CommandOption("s", value: "place", takesBytes: true, "Match the service name or the server name."),
    ]

    /// - Throws: ``CommandFailure/usage(_:nearest:)`` for a class that is none.
    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        let letters: [Character] = ["a", "l", "s"]
        let named = letters.filter { arguments.value($0) != nil }
        var classes = ItemClass.stored
        if let name = arguments.value("c")?.text {
            classes = classes.filter { $0.code == name }
            guard !classes.isEmpty else { throw .usage("\"\(name)\" is none of genp, inet, cert and keys") }
        }
        isEmpty = named.isEmpty && arguments.value("c") == nil
        var chosen: [(itemClass: ItemClass, criteria: [(code: String, value: RawValue)])] = []
        for itemClass in classes {
            var criteria: [(code: String, value: RawValue)] = []
            for letter in named {
                guard let code = Self.code(letter, itemClass), let value = arguments.value(letter) else { continue }
                criteria.append((code, value.attribute))
            }
            if criteria.count == named.count { chosen.append((itemClass, criteria)) }
        }
        self.classes = chosen
    }

    /// All items of all classes.
    static let everything = ItemSelection()

    private init() { (classes, isEmpty) = (ItemClass.stored.map { ($0, []) }, true) }

    /// The key in a query of what a letter speaks of; nil in a class that has no such thing.
    private static func code(_ letter: Character, _ itemClass: ItemClass) -> String? {
        switch (letter, itemClass) {
        case ("l", _): "labl"
        case ("a", .genericPassword), ("a", .internetPassword): "acct"
        case ("s", .genericPassword): "svce"
        case ("s", .internetPassword): "srvr"
        default: nil
        }
    }

    /// A request for each class.
    func requests(
        _ operation: ItemRequest.Operation, _ call: String, mayAsk: Bool = true
    ) throws(CommandFailure) -> [ItemRequest] {
        do throws(Refusal) {
            var requests: [ItemRequest] = []
            for (itemClass, criteria) in classes {
                var builder = ItemRequestBuilder(operation)
                try builder.set("class", .string(itemClass.code))
                try builder.set("sync", .string("syna"))
                if !mayAsk { try builder.set("u_AuthUI", .string("u_AuthUIF")) }
                for (code, value) in criteria { try builder.set(code, value) }
                if operation != .forget {
                    try builder.set("m_Limit", .string("m_LimitAll"))
                    try builder.set("r_Attributes", .boolean(true))
                    try builder.set("r_PersistentRef", .boolean(true))
                }
                requests.append(try builder.build())
            }
            return requests
        } catch { throw .refused(call: call, error) }
    }

    /// The items that all requests find.
    ///
    /// - Parameter mayAsk: false where a question to the user is a refusal.
    func all(
        _ operation: ItemRequest.Operation, _ call: String, _ session: Session, mayAsk: Bool = true
    ) throws(CommandFailure) -> [ItemResponse.Item] {
        var items: [ItemResponse.Item] = []
        for request in try requests(operation, call, mayAsk: mayAsk) { items += try session.items(request, call) }
        return items
    }
}
