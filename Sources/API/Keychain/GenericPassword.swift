public import Foundation
internal import Security

/// A password that a service and an account identify. Source: Apple, `kSecClassGenericPassword`.
public struct GenericPassword: KeychainItem {
    /// The service of the password. With account and group it identifies the item.
    public var service = ""
    /// The account of the password.
    public var account = ""
    /// The label of the item, for people.
    public var label: String?
    /// A comment, for people.
    public var comment: String?
    /// The kind of password, for people (`kSecAttrDescription`).
    public var kind: String?
    /// Data that the program may store with the item.
    public var generic: Data?
    /// The access group of the item; nil is the program's first.
    public var accessGroup: String?
    /// The protection class. Nil is `whenUnlocked` for a new item, and "unchanged" for an update.
    public var protection: Protection?
    /// Whether the item is for all of the user's devices.
    public var isSynchronized = false
    /// The secret; nil when it was not requested or does not exist.
    public var value: Data?
    /// The keychain's record of the item; nil for an item that was not found there.
    public var record: ItemRecord?

    /// Makes an empty item.
    public init() {}

    /// Makes an item with the usual attributes.
    ///
    /// - Parameters:
    ///   - service: the service of the password.
    ///   - account: the account of the password.
    ///   - value: the secret.
    public init(service: String, account: String, value: Data? = nil) {
        (self.service, self.account, self.value) = (service, account, value)
    }

    /// The class and the attributes.
    public static var layout: ItemLayout<Self> {
        ItemLayout(
            kSecClassGenericPassword,
            [
                LayoutAttribute(kSecAttrService, \.service), LayoutAttribute(kSecAttrAccount, \.account),
                LayoutAttribute(kSecAttrGeneric, \.generic),
            ] + .ofPasswords(\.label, \.comment, \.kind, \.accessGroup, \.protection, \.isSynchronized))
    }
}
