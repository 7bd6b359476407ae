public import Foundation

/// A kind of item with typed attributes: ``GenericPassword`` or ``InternetPassword``.
///
///     var login = InternetPassword(server: "example.org", account: "ada")
///     login.port = 8443
///     login.value = Data("secret".utf8)
///     try login.save()
public protocol KeychainItem: Hashable, Sendable {
    /// The class, and every attribute with its place in the type; can be made in this module alone.
    static var layout: ItemLayout<Self> { get }
    /// An item that says nothing yet.
    init()
    /// The secret; nil where it was not asked for, or there is none.
    var value: Data? { get set }
    /// What the keychain itself says of it; nil for an item that was not found there.
    var record: ItemRecord? { get set }
}

/// What the keychain itself says of an item.
public struct ItemRecord: Hashable, Sendable {
    /// Names the item as long as it is there, whatever of it changes (`kSecValuePersistentRef`).
    public let persistentReference: Data
    /// When it was added.
    public let created: Date
    /// When it was last changed; it only grows.
    public let modified: Date
}
