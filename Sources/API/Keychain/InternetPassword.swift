public import Foundation
internal import Security

/// A password for a server.
public struct InternetPassword: KeychainItem {
    /// The name of the host: with account, port, path, realm, protocol and group it identifies the item.
    public var server = ""
    /// Who logs in.
    public var account = ""
    /// The port of the server; nil for the usual one.
    public var port: Int?
    /// The part of the server that it opens.
    public var path: String?
    /// The realm of the server's own that it is for.
    public var securityDomain: String?
    /// How one talks to the server.
    public var `protocol`: InternetProtocol?
    /// What a person calls it.
    public var label: String?
    /// Text for people.
    public var comment: String?
    /// What kind of password it is, for people (`kSecAttrDescription`).
    public var kind: String?
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
    ///   - server: the name of the host.
    ///   - account: who logs in.
    ///   - value: the secret.
    public init(server: String, account: String, value: Data? = nil) {
        (self.server, self.account, self.value) = (server, account, value)
    }

    /// The class and the attributes.
    public static var layout: ItemLayout<Self> {
        ItemLayout(
            kSecClassInternetPassword,
            [
                ItemAttribute(kSecAttrServer, \.server), ItemAttribute(kSecAttrAccount, \.account),
                ItemAttribute(kSecAttrPort, \.port), ItemAttribute(kSecAttrPath, \.path),
                ItemAttribute(kSecAttrSecurityDomain, \.securityDomain),
                ItemAttribute(kSecAttrProtocol, cases: \.protocol),
            ] + .ofPasswords(\.label, \.comment, \.kind, \.accessGroup, \.protection, \.isSynchronized))
    }
}
