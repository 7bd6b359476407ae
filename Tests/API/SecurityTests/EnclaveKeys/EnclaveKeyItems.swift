import Security

/// The description of a new key in the Secure Enclave, as in Apple's articles.
func enclaveKey(
    _ label: String, _ protection: CFString = kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
    _ flags: SecAccessControlCreateFlags? = .privateKeyUsage, more: Attributes = [:]
) -> Attributes {
    var attributes: Attributes = [kSecAttrIsPermanent: true, kSecAttrLabel: label]
    if let flags { attributes[kSecAttrAccessControl] = accessControl(protection, flags) }
    return [
        kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
        kSecAttrKeySizeInBits: 256, kSecPrivateKeyAttrs: attributes + more,
    ]
}

/// A query for the private key with a label (rule keys.item.free).
func privateKey(_ label: String) -> Attributes {
    [kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: label]
}

/// A handle to the key that a query finds.
func handle(_ query: Attributes) -> SecKey? {
    let found = find(query + [kSecReturnRef: true])
    guard found.status == errSecSuccess else { return nil }
    return found.object as? SecKey
}

/// Signs a challenge.
func sign(_ key: SecKey) -> Outcome<Data> { sign(key, .ecdsaSignatureMessageX962SHA256, challenge) }

var challenge: Data { Data("a server's challenge") }

/// Whether the public half verifies a signature of the key.
func works(_ key: SecKey) -> Bool {
    guard let signature = sign(key).value else { return false }
    return verify(publicKey(key), .ecdsaSignatureMessageX962SHA256, challenge, signature).value == true
}
