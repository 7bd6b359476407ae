internal import Foundation

/// Values of a program under its own names: generic passwords of one service.
///
///     let settings = KeychainValues(service: "org.example.app")
///     try settings.set(Session(token: token, expires: date), for: "session")
///     let session = try settings.value(Session.self, for: "session")
///
/// Strings are stored as UTF-8, `Data` as it is, every other `Codable` type as JSON.
public struct KeychainValues: Hashable, Sendable {
    /// The service of the values.
    public let service: String
    /// The access group of the values; nil is the program's first.
    public let accessGroup: String?
    /// The protection class. Nil is `whenUnlocked` for new values, and leaves others unchanged.
    public let protection: Protection?
    /// Whether the values are for all of the user's devices.
    public let isSynchronized: Bool

    /// - Parameters:
    ///   - service: the service of the values, such as the program's identifier.
    ///   - accessGroup: the access group of the values.
    ///   - protection: the protection class.
    ///   - isSynchronized: whether the values are for all of the user's devices.
    public init(
        service: String, accessGroup: String? = nil, protection: Protection? = nil, isSynchronized: Bool = false
    ) {
        (self.service, self.accessGroup) = (service, accessGroup)
        (self.protection, self.isSynchronized) = (protection, isSynchronized)
    }

    /// Returns the value under a name; nil when there is none.
    ///
    /// - Throws: ``KeychainError``: the keychain's refusal, or `undecodable` for a value of another type.
    public func value<Value: Decodable>(
        _ type: Value.Type = Value.self, for name: String
    ) throws(KeychainError) -> Value? {
        guard let data = try query(name).first()?.value else { return nil }
        return try ValueCoding.decode(type, from: data, for: name)
    }

    /// Stores a value under a name, in place of an old one, in one step.
    ///
    /// - Throws: ``KeychainError``: the keychain's refusal, or `unencodable`.
    public func set(_ value: some Encodable, for name: String) throws(KeychainError) {
        var item = GenericPassword(service: service, account: name)
        item.value = try ValueCoding.encode(value, for: name)
        (item.accessGroup, item.protection, item.isSynchronized) = (accessGroup, protection, isSynchronized)
        try item.save()
    }

    /// Removes the value under a name; false when there was none. Throws ``KeychainError``.
    @discardableResult
    public func remove(_ name: String) throws(KeychainError) -> Bool { try query(name).delete() }

    /// Removes all values of the service; false when there were none. Throws ``KeychainError``.
    @discardableResult
    public func removeAll() throws(KeychainError) -> Bool { try query(nil).delete() }

    /// Returns the names that have values, sorted. Throws ``KeychainError``.
    public func names() throws(KeychainError) -> [String] { try query(nil).all().map(\.account).sorted() }

    private func query(_ name: String?) -> KeychainQuery<GenericPassword> {
        var query = KeychainQuery<GenericPassword>().where(\.service, equals: service)
            .where(\.isSynchronized, equals: isSynchronized)
        if let name { query = query.where(\.account, equals: name) }
        if let accessGroup { query = query.where(\.accessGroup, equals: accessGroup) }
        return query
    }
}
