import LocalAuthentication

/// A password with an access control, and the program's calls for it.
struct GuardedItem: Sendable {
    let account: String

    init(_ account: String = "alice") { self.account = account }

    private var identity: [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: "bank", kSecAttrAccount: account]
    }

    func add(
        _ flags: SecAccessControlCreateFlags, _ value: String = "secret", in context: LAContext? = nil
    ) -> OSStatus {
        var item = identity
        guard let control = try? accessControl(flags) else { return errSecParam }
        item[kSecAttrAccessControl] = control
        item[kSecValueData] = Data(value.utf8)
        if let context { item[kSecUseAuthenticationContext] = context }
        return SecItemAdd(item as CFDictionary, nil)
    }

    func read(in context: LAContext? = nil, _ more: [CFString: Any] = [:]) -> (status: OSStatus, value: String?) {
        var query = identity.merging(more) { _, new in new }
        query[kSecReturnData] = true
        if let context { query[kSecUseAuthenticationContext] = context }
        var found: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
        return (status, (found as? Data).flatMap { String(data: $0, encoding: .utf8) })
    }
}

/// A key of the enclave with an access control, and the program's calls for it.
struct GuardedKey: Sendable {
    let tag: String

    init(_ tag: String = "login") { self.tag = tag }

    /// Makes the key.
    func make(_ flags: SecAccessControlCreateFlags) -> OSStatus {
        guard let control = try? accessControl(flags.union(.privateKeyUsage)) else { return errSecParam }
        let attributes: NSDictionary = [
            kSecAttrIsPermanent: true, kSecAttrApplicationTag: Data(tag.utf8), kSecAttrAccessControl: control,
        ]
        let parameters: NSDictionary = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecPrivateKeyAttrs: attributes,
        ]
        var error: Unmanaged<CFError>?
        if unsafe SecKeyCreateRandomKey(parameters, &error) != nil { return errSecSuccess }
        return unsafe OSStatus(error?.takeRetainedValue().code ?? 0)
    }

    func find(in context: LAContext? = nil) -> SecKey? {
        var query: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            kSecAttrApplicationTag: Data(tag.utf8), kSecReturnRef: true,
        ]
        if let context { query[kSecUseAuthenticationContext] = context }
        var found: CFTypeRef?
        unsafe SecItemCopyMatching(query as CFDictionary, &found)
        return found as? SecKey
    }

    /// Finds the key and signs with it.
    func sign(in context: LAContext? = nil) -> OSStatus {
        guard let key = find(in: context) else { return errSecItemNotFound }
        var error: Unmanaged<CFError>?
        let signature = unsafe SecKeyCreateSignature(
            key, .ecdsaSignatureMessageX962SHA256, Data("challenge".utf8) as CFData, &error)
        return signature == nil ? unsafe OSStatus(error?.takeRetainedValue().code ?? 0) : errSecSuccess
    }
}
