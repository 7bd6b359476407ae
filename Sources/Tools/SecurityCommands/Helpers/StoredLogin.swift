import KeychainModel
import KeychainWire
import LinuxSystem

/// A login that another program keeps in the keychain through its helper: an internet password.
struct StoredLogin {
    private let helper: CredentialHelper
    private let server: ServerAddress
    private let account: String?

    /// - Parameter account: nil for whichever there is.
    init(of helper: CredentialHelper, at server: ServerAddress, account: String?) {
        (self.helper, self.server, self.account) = (helper, server, account)
    }

    /// The first such login; nil when there is none.
    func first(returning returns: [String], _ session: Session) throws(CommandFailure) -> ItemResponse.Item? {
        if let found = try Self.findItems(attributes, returns, limit: "m_LimitOne", session).first { return found }
        guard try takeOver(session) else { return nil }
        return try Self.findItems(attributes, returns, limit: "m_LimitOne", session).first
    }

    /// All such logins.
    func all(returning returns: [String], _ session: Session) throws(CommandFailure) -> [ItemResponse.Item] {
        _ = try takeOver(session)
        return try Self.findItems(attributes, returns, session)
    }

    /// All logins of a helper's, whatever their server, with their attributes.
    static func all(of helper: CredentialHelper, _ session: Session) throws(CommandFailure) -> [ItemResponse.Item] {
        let kind = [(code: "desc", value: RawValue.string(helper.kind))]
        for item in try findItems(kind, ["r_Attributes", "r_PersistentRef"], session) where isOlder(item, helper) {
            try move(item, helper, session)
        }
        return try findItems(kind, ["r_Attributes"], session).filter { helper.has($0) }
    }

    /// Adds the login, or gives the one that is there the new value; what is there already is not written again.
    ///
    /// - Parameter description: attributes that do not identify it.
    func store(
        _ value: SecretBytes, description: [(code: String, value: RawValue)], _ session: Session
    ) throws(CommandFailure) {
        guard let old = try first(returning: ["r_Data", "r_PersistentRef"], session) else {
            return try add(value, description, session)
        }
        if old.password.isEqual(to: value) { return }
        _ = try session.send("SecKeychainItemModifyContent") { () throws(Refusal) in
            var builder = ItemRequestBuilder(.update)
            try builder.set("v_PersistentRef", old.reference)
            try value.withSpan { (bytes) throws(Refusal) in try builder.change("v_Data", data: bytes) }
            return try builder.build()
        }
    }

    private func add(
        _ value: SecretBytes, _ description: [(code: String, value: RawValue)], _ session: Session
    ) throws(CommandFailure) {
        _ = try session.send("SecKeychainAddInternetPassword") { () throws(Refusal) in
            var builder = try Self.builder(.add, attributes)
            for (code, value) in description { try builder.set(code, value) }
            try value.withSpan { (bytes) throws(Refusal) in try builder.set("v_Data", data: bytes) }
            return try builder.build()
        }
    }

    /// Deletes an item that was found with its persistent reference, and what it was before: git and docker say so of
    /// logins that a server has refused, or that nobody is to have any more.
    static func delete(_ item: ItemResponse.Item, _ session: Session) throws(CommandFailure) {
        _ = try session.send("SecKeychainItemDelete") { () throws(Refusal) in
            var builder = ItemRequestBuilder(.delete)
            try builder.set("v_PersistentRef", item.reference)
            builder.leaveNoHistory()
            return try builder.build()
        }
    }

    private var attributes: [(code: String, value: RawValue)] { attributes(inDomain: helper.domain(of: server)) }

    private func attributes(inDomain domain: String) -> [(code: String, value: RawValue)] {
        server.attributes + [("sdmn", .string(domain))] + (account.map { [("acct", .string($0))] } ?? [])
    }

    private static func findItems(
        _ attributes: [(code: String, value: RawValue)], _ returns: [String], limit: String = "m_LimitAll",
        _ session: Session
    ) throws(CommandFailure) -> [ItemResponse.Item] {
        try session.items(PasswordQuery.call) { () throws(Refusal) in
            var builder = try builder(.copyMatching, attributes)
            try builder.set("m_Limit", .string(limit))
            for key in returns { try builder.set(key, .boolean(true)) }
            return try builder.build()
        }
    }

    private static func builder(
        _ operation: ItemRequest.Operation, _ attributes: [(code: String, value: RawValue)]
    ) throws(Refusal) -> ItemRequestBuilder {
        var builder = ItemRequestBuilder(operation)
        try builder.set("class", .string(ItemClass.internetPassword.code))
        for (code, value) in attributes { try builder.set(code, value) }
        return builder
    }
}

/// Logins that were stored before helpers had a domain. They are told from the user's own by what the helper called
/// them.
extension StoredLogin {
    /// Gives such logins for the server the domain they should have.
    ///
    /// - Returns: whether there were any.
    private func takeOver(_ session: Session) throws(CommandFailure) -> Bool {
        let older = attributes(inDomain: server.schemeWithoutCode ?? "") + [("desc", .string(helper.kind))]
        let found = try Self.findItems(older, ["r_Attributes", "r_PersistentRef"], session)
        for item in found { try Self.move(item, helper, session) }
        return !found.isEmpty
    }

    /// Whether its domain is none, or a scheme that has no protocol.
    private static func isOlder(_ item: ItemResponse.Item, _ helper: CredentialHelper) -> Bool {
        !helper.has(item) && (item.securityDomain.isEmpty || item.attributes[.protocol] == nil)
    }

    /// Moves a login into its helper's domain. One that is there already is the same account's, and was stored later.
    private static func move(
        _ item: ItemResponse.Item, _ helper: CredentialHelper, _ session: Session
    ) throws(CommandFailure) {
        do throws(CommandFailure) {
            _ = try session.send("SecKeychainItemModifyContent") { () throws(Refusal) in
                var builder = ItemRequestBuilder(.update)
                try builder.set("v_PersistentRef", item.reference)
                try builder.change("sdmn", .string(helper.domain(behind: item.securityDomain)))
                return try builder.build()
            }
        } catch {
            guard error.isStatus(.duplicateItem) else { throw error }
            try delete(item, session)
        }
    }
}
