public import Foundation
internal import Security

/// A password for whatever it is: a service and an account name it.
public struct GenericPassword: KeychainItem {
    /// What the password is for: with account and group it identifies the item.
    public var service = ""
    /// Whose it is.
    public var account = ""
    /// What a person calls it.
    public var label: String?
    /// Text for people.
    public var comment: String?
    /// What kind of password it is, for people (`kSecAttrDescription`).
    public var kind: String?
    /// Data of the program's own.
    public var generic: Data?
    /// The group of programs it belongs to; nil is the program's first (S-15).
    public var accessGroup: String?
    /// When it may be opened; nil is `whenUnlocked` for a new item, and "as it is" for a change.
    public var protection: Protection?
    /// Whether it is for all of the user's devices.
    public var isSynchronized = false
    /// The secret; nil where it was not asked for, or there is none.
    public var value: Data?
    /// What the keychain itself says of it; nil for an item that was not found there.
    public var record: ItemRecord?

    /// An item that says nothing yet.
    public init() {}

    /// An item with what every one has.
    ///
    /// - Parameters:
    ///   - service: what the password is for.
    ///   - account: whose it is.
    ///   - value: the secret.
    public init(service: String, account: String, value: Data? = nil) {
        (self.service, self.account, self.value) = (service, account, value)
    }

    /// The class and the attributes.
    public static var layout: ItemLayout<Self> {
        ItemLayout(
            kSecClassGenericPassword,
            [
                ItemAttribute(kSecAttrService, \.service), ItemAttribute(kSecAttrAccount, \.account),
                ItemAttribute(kSecAttrGeneric, \.generic),
            ] + .ofPasswords(\.label, \.comment, \.kind, \.accessGroup, \.protection, \.isSynchronized))
    }
}
