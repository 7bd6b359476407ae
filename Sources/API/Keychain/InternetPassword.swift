public import Foundation
internal import Security

/// A password for a server. Source: Apple, `kSecClassInternetPassword`.
public struct InternetPassword: KeychainItem {
    /// The name of the host. With account, port, path, realm, protocol and group it identifies the item.
    public var server = ""
    /// The account that logs in.
    public var account = ""
    /// The port of the server; nil for the usual one.
    public var port: Int?
    /// The path on the server that the password opens.
    public var path: String?
    /// The realm on the server to which the password belongs.
    public var securityDomain: String?
    /// The protocol of the server.
    public var `protocol`: InternetProtocol?
    /// The label of the item, for people.
    public var label: String?
    /// A comment, for people.
    public var comment: String?
    /// The kind of password, for people (`kSecAttrDescription`).
    public var kind: String?
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
    ///   - server: the name of the host.
    ///   - account: the account that logs in.
    ///   - value: the secret.
    public init(server: String, account: String, value: Data? = nil) {
        (self.server, self.account, self.value) = (server, account, value)
    }

    /// The class and the attributes.
    public static var layout: ItemLayout<Self> {
        ItemLayout(
            kSecClassInternetPassword,
            [
                LayoutAttribute(kSecAttrServer, \.server), LayoutAttribute(kSecAttrAccount, \.account),
                LayoutAttribute(kSecAttrPort, \.port), LayoutAttribute(kSecAttrPath, \.path),
                LayoutAttribute(kSecAttrSecurityDomain, \.securityDomain),
                LayoutAttribute(kSecAttrProtocol, cases: \.protocol),
            ] + .ofPasswords(\.label, \.comment, \.kind, \.accessGroup, \.protection, \.isSynchronized))
    }
}
