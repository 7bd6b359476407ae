import KeychainModel
import KeychainWire
import LinuxSystem

/// A login that another program keeps in the keychain through its helper: an internet password.
struct StoredLogin {
    /// What identifies it.
    private let attributes: [(code: String, value: RawValue)]

    /// - Parameter account: nil for whichever there is.
    init(at server: ServerAddress, account: String?) {
        attributes = server.attributes + (account.map { [("acct", .string($0))] } ?? [])
    }

    /// Logins by attributes other than their server.
    init(_ attributes: [(code: String, value: RawValue)]) { self.attributes = attributes }

    /// The first such login; nil when there is none.
    func first(returning returns: [String], _ session: Session) throws(CommandFailure) -> ItemResponse.Item? {
        try all(returning: returns, limit: "m_LimitOne", session).first
    }

    /// All such logins.
    func all(
        returning returns: [String], limit: String = "m_LimitAll", _ session: Session
    ) throws(CommandFailure) -> [ItemResponse.Item] {
        do throws(CommandFailure) {
            return try session.sendAll(PasswordQuery.call) { () throws(Refusal) in
                var builder = try builder(.copyMatching)
                try builder.set("m_Limit", .string(limit))
                for key in returns { try builder.set(key, .boolean(true)) }
                return try builder.build()
            }.items
        } catch {
            if case .refused(_, let refusal) = error, refusal.status == .itemNotFound { return [] }
            throw error
        }
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
            var builder = try builder(.add)
            for (code, value) in description { try builder.set(code, value) }
            try value.withSpan { (bytes) throws(Refusal) in try builder.set("v_Data", data: bytes) }
            return try builder.build()
        }
    }

    /// Deletes an item that was found with its persistent reference.
    static func delete(_ item: ItemResponse.Item, _ session: Session) throws(CommandFailure) {
        _ = try session.send("SecKeychainItemDelete") { () throws(Refusal) in
            var builder = ItemRequestBuilder(.delete)
            try builder.set("v_PersistentRef", item.reference)
            return try builder.build()
        }
    }

    private func builder(_ operation: ItemRequest.Operation) throws(Refusal) -> ItemRequestBuilder {
        var builder = ItemRequestBuilder(operation)
        try builder.set("class", .string(ItemClass.internetPassword.code))
        for (code, value) in attributes { try builder.set(code, value) }
        return builder
    }
}
