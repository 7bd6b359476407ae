import Security

/// The classes with a table of their own, as arguments of parameterised tests.
enum StoredClass: String, CaseIterable, Sendable {
    case genp, inet, cert, keys

    /// An item of the class with something in its primary key.
    var item: Attributes {
        switch self {
        case .genp: genericPassword()
        case .inet: internetPassword()
        case .cert: certificate()
        case .keys: key()
        }
    }

    /// A query for all items of the class.
    var query: Attributes { [kSecClass: rawValue] }
}

func genericPassword(_ service: String = "service", _ account: String = "account") -> Attributes {
    [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account]
}

func internetPassword(_ server: String = "example.org", _ account: String = "account") -> Attributes {
    [kSecClass: kSecClassInternetPassword, kSecAttrServer: server, kSecAttrAccount: account]
}

/// A certificate as a row: the attributes that its bytes would give.
func certificate(_ serialNumber: UInt8 = 1, keyHash: Data = Data(repeating: 7, count: 20)) -> Attributes {
    [
        kSecClass: kSecClassCertificate, kSecAttrCertificateType: 3, kSecAttrIssuer: Data([0x30, 0]),
        kSecAttrSerialNumber: Data([serialNumber]), kSecAttrSubject: Data([0x30, 1]),
        kSecAttrPublicKeyHash: keyHash, kSecAttrLabel: "certificate \(serialNumber)",
    ]
}

func key(
    _ tag: String = "org.example.key", class keyClass: CFString = kSecAttrKeyClassPrivate,
    hash: Data = Data(repeating: 7, count: 20)
) -> Attributes {
    [
        kSecClass: kSecClassKey, kSecAttrKeyClass: keyClass, kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
        kSecAttrKeySizeInBits: 256, kSecAttrApplicationTag: Data(tag.utf8),
        kSecAttrApplicationLabel: hash,
    ]
}

/// A dictionary with further entries, which replace its own.
func + (left: Attributes, right: Attributes) -> Attributes { left.merging(right) { $1 } }

/// A dictionary without an entry.
func - (left: Attributes, key: CFString) -> Attributes { left.filter { $0.key != key } }

extension Data {
    init(_ text: String) { self.init(text.utf8) }
}
