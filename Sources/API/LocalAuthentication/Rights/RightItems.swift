/// A saved right as the keychain has it: a permanent key of the enclave and an item, both under the access control of
/// the right's requirement.
///
/// The item holds the secret, or nothing. It makes the identifier unique. The key is found without asking anybody
/// (rule keys.item.free), and its access control tells the requirement.
struct RightItems: Sendable {
    let identifier: String

    /// - Throws: `errSecParam` for an empty identifier.
    init(_ identifier: String) throws {
        guard !identifier.isEmpty else { throw NSError(status: errSecParam) }
        self.identifier = identifier
    }

    // MARK: - Saving and removing

    /// Makes the key and stores the secret. It asks nobody (rule access-control.add.free).
    ///
    /// - Throws: the refusals of the keychain: `errSecDuplicateItem` for an identifier in use, `errSecAuthFailed` when
    ///   nobody could ever authorize the right (no passcode, no finger).
    func add(_ flags: SecAccessControlCreateFlags, secret: Data?) throws {
        var item = record
        item[kSecAttrAccessControl] = try control(flags)
        if let secret { item[kSecValueData] = secret }
        try check(SecItemAdd(item as CFDictionary, nil))
        do { try makeKey(try control(flags.union(.privateKeyUsage))) } catch {
            SecItemDelete(record as CFDictionary)
            throw error
        }
    }

    /// - Throws: `errSecItemNotFound` when there is no such right.
    func remove() throws {
        try check(SecItemDelete(key as CFDictionary))
        SecItemDelete(record as CFDictionary)
    }

    /// Removes all rights of the program.
    static func removeAll() throws {
        let everything: [[CFString: Any]] = [
            [kSecClass: kSecClassKey, kSecAttrLabel: name],
            [kSecClass: kSecClassGenericPassword, kSecAttrService: name],
        ]
        for items in everything {
            let status = SecItemDelete(items as CFDictionary)
            if status != errSecItemNotFound { try check(status) }
        }
    }

    // MARK: - Finding

    /// The key, for use in a context.
    ///
    /// - Throws: `errSecItemNotFound` when there is no such right.
    func privateKey(in context: LAContext?) throws -> SecKey {
        var query = key
        query[kSecReturnRef] = true
        if let context { query[kSecUseAuthenticationContext] = context }
        guard let key = try find(query) as? SecKey else { throw NSError(status: errSecItemNotFound) }
        return key
    }

    /// The secret.
    ///
    /// - Throws: `errSecItemNotFound` when the right was saved without one.
    func secret(in context: LAContext) throws -> Data {
        var query = record
        query[kSecReturnData] = true
        query[kSecUseAuthenticationContext] = context
        guard let secret = try find(query) as? Data else { throw NSError(status: errSecItemNotFound) }
        return secret
    }

    // MARK: - The items

    private static let name = "LARightStore"

    private var record: [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: Self.name, kSecAttrAccount: identifier]
    }

    private var key: [CFString: Any] {
        [
            kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: Self.name,
            kSecAttrApplicationTag: Data(identifier.utf8),
        ]
    }

    private func makeKey(_ control: SecAccessControl) throws {
        let attributes: [CFString: Any] = [
            kSecAttrIsPermanent: true, kSecAttrLabel: Self.name, kSecAttrApplicationTag: Data(identifier.utf8),
            kSecAttrAccessControl: control,
        ]
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecPrivateKeyAttrs: attributes as NSDictionary,
        ]
        _ = try unsafe calling { unsafe SecKeyCreateRandomKey(parameters as CFDictionary, $0) }
    }

    private func control(_ flags: SecAccessControlCreateFlags) throws -> SecAccessControl {
        try unsafe calling {
            unsafe SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags, $0)
        }
    }
}

private func find(_ query: [CFString: Any]) throws -> CFTypeRef? {
    var found: CFTypeRef?
    try check(unsafe SecItemCopyMatching(query as CFDictionary, &found))
    return found
}

private func check(_ status: OSStatus) throws {
    guard status != errSecSuccess else { return }
    throw SecCopyLastItemError().map { $0 as NSError } ?? NSError(status: status)
}
