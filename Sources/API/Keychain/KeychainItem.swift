public import Foundation

/// A kind of item with typed attributes: ``GenericPassword`` or ``InternetPassword``.
///
///     var login = InternetPassword(server: "example.org", account: "ada")
///     login.port = 8443
///     login.value = Data("secret".utf8)
///     try login.save()
public protocol KeychainItem: Hashable, Sendable {
    /// The class, and every attribute with its place in the type. Only this module can make one.
    static var layout: ItemLayout<Self> { get }
    /// Makes an empty item.
    init()
    /// The secret; nil when it was not requested or does not exist.
    var value: Data? { get set }
    /// The keychain's record of the item; nil for an item that was not found there.
    var record: ItemRecord? { get set }
}

/// The keychain's record of an item.
public struct ItemRecord: Hashable, Sendable {
    /// The persistent reference, which identifies the item through all changes (`kSecValuePersistentRef`).
    public let persistentReference: Data
    /// The date of its creation.
    public let created: Date
    /// The date of its last change; it only grows.
    public let modified: Date
}
