/// The classes of keychain items (rule items.class.five).
package enum ItemClass: UInt8, CaseIterable, Sendable {
    case genericPassword = 1
    case internetPassword = 2
    case certificate = 3
    case key = 4
    /// Not stored: the join of a certificate and its private key.
    case identity = 5

    /// The classes that have a table of their own.
    package static let stored: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]

    /// The value of `kSecClass`, which is also the name of the table.
    package var code: String {
        switch self {
        case .genericPassword: "genp"
        case .internetPassword: "inet"
        case .certificate: "cert"
        case .key: "keys"
        case .identity: "idnt"
        }
    }

    /// The name of the constant for this class.
    package var constant: String {
        switch self {
        case .genericPassword: "kSecClassGenericPassword"
        case .internetPassword: "kSecClassInternetPassword"
        case .certificate: "kSecClassCertificate"
        case .key: "kSecClassKey"
        case .identity: "kSecClassIdentity"
        }
    }

    package var isPassword: Bool { self == .genericPassword || self == .internetPassword }

    /// The protection class of an item that names none (rule protection.class.default: certificates are public, the
    /// rest is not).
    package var defaultAccessibility: Accessibility { self == .certificate ? .always : .whenUnlocked }

    /// The attributes of each index, most selective use first. Only these attributes have a column.
    ///
    /// An index serves every query that fixes its leading attributes. The index of the access group returns items in
    /// the order of rows.
    package var indexes: [[AttributeID]] {
        switch self {
        case .genericPassword: [[.service, .account], [.account], [.label], [.accessGroup]]
        case .internetPassword: [[.server, .account], [.account], [.label], [.accessGroup]]
        case .certificate: [[.subject], [.issuer, .serialNumber], [.publicKeyHash], [.label], [.accessGroup]]
        case .key: [[.applicationTag], [.applicationLabel, .keyClass], [.label], [.accessGroup]]
        case .identity: []
        }
    }

    package init?(code: String) {
        guard let found = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = found
    }
}
