import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// The search behind find, delete and update: the first item that has all the given attributes.
struct PasswordQuery {
    private let kind: PasswordKind
    private let criteria: [(code: String, value: RawValue)]

    /// The function that macOS's command names when nothing is found.
    static let call = "SecKeychainSearchCopyNext"

    /// Reads the criteria among the options.
    ///
    /// - Throws: ``CommandFailure/usage(_:nearest:)`` for a value that does not have the form of its attribute.
    init(_ kind: PasswordKind, _ arguments: ParsedArguments) throws(CommandFailure) {
        self.kind = kind
        let isIdentified = kind.identifying.allSatisfy { arguments.value($0) != nil }
        var criteria: [(String, RawValue)] = []
        for criterion in kind.criteria {
            guard let value = arguments.value(criterion.letter) else { continue }
            let read = try criterion.value(of: value)
            if !isIdentified || kind.identifying.contains(criterion.letter) { criteria.append((criterion.code, read)) }
        }
        self.criteria = criteria
    }

    /// Whether the query says anything at all about the item.
    var isEmpty: Bool { criteria.isEmpty }

    /// The query for items that were given only some of these attributes: only those that identify.
    func identifyingOnly() -> PasswordQuery {
        let codes = kind.criteria.filter { kind.identifying.contains($0.letter) }.map(\.code)
        return PasswordQuery(kind, criteria.filter { codes.contains($0.code) })
    }

    private init(_ kind: PasswordKind, _ criteria: [(String, RawValue)]) {
        self.kind = kind
        self.criteria = criteria
    }

    /// Finds the first such item. Where no security domain is asked for, one without comes first: what other programs
    /// keep through their helpers is in one (``CredentialHelper``), and the user's own is meant before it.
    ///
    /// - Parameter returns: the `kSecReturn` keys.
    /// - Throws: `errSecItemNotFound`, and whatever else the keychain refuses with.
    func first(returning returns: [String], _ session: Session) throws(CommandFailure) -> ItemResponse.Item {
        guard kind == .internet, !criteria.contains(where: { $0.code == "sdmn" }) else {
            return try first(criteria, returns, session)
        }
        do throws(CommandFailure) { return try first(criteria + [("sdmn", .string(""))], returns, session) } catch {
            guard error.isStatus(.itemNotFound) else { throw error }
            return try first(criteria, returns, session)
        }
    }

    private func first(
        _ criteria: [(code: String, value: RawValue)], _ returns: [String], _ session: Session
    ) throws(CommandFailure) -> ItemResponse.Item {
        let response = try session.send(Self.call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.copyMatching)
            try builder.set("class", .string(kind.itemClass.code))
            for (code, value) in criteria { try builder.set(code, value) }
            // Like the keychain of macOS's command, this one shows synchronised items with the others.
            try builder.set("sync", .string("syna"))
            try builder.set("m_Limit", .string("m_LimitOne"))
            for key in returns { try builder.set(key, .boolean(true)) }
            return try builder.build()
        }
        guard let item = response.items.first else { throw .refused(call: Self.call, .nothingFound) }
        return item
    }
}

extension Session {
    /// Builds a request and sends it.
    func send(
        _ call: String, _ build: () throws(Refusal) -> ItemRequest
    ) throws(CommandFailure) -> ItemResponse { try send(try Self.request(call, build), call) }

    /// Builds a query and gives its whole answer, however many pages it has.
    func sendAll(
        _ call: String, _ build: () throws(Refusal) -> ItemRequest
    ) throws(CommandFailure) -> ItemResponse { try sendAll(try Self.request(call, build), call) }

    /// Builds a query and gives all items that it finds; none where nothing is found.
    func items(
        _ call: String, _ build: () throws(Refusal) -> ItemRequest
    ) throws(CommandFailure) -> [ItemResponse.Item] { try items(try Self.request(call, build), call) }

    /// All items that a query finds, however many pages its answer has; none where nothing is found.
    func items(_ request: ItemRequest, _ call: String) throws(CommandFailure) -> [ItemResponse.Item] {
        do throws(CommandFailure) { return try sendAll(request, call).items } catch {
            guard error.isStatus(.itemNotFound) else { throw error }
            return []
        }
    }

    private static func request(
        _ call: String, _ build: () throws(Refusal) -> ItemRequest
    ) throws(CommandFailure) -> ItemRequest {
        do throws(Refusal) { return try build() } catch { throw .refused(call: call, error) }
    }
}
