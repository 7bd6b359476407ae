internal import Foundation
internal import LocalAuthentication
internal import Security

/// A private key in the enclave: the common part of signing keys and agreement keys.
struct EnclaveKey: Sendable {
    let key: SecKey
    /// The point on the curve: 0x04 ‖ X ‖ Y.
    let publicPoint: Data
    /// A form of the key that only this device's enclave can use.
    let dataRepresentation: Data

    /// Makes a key.
    init(accessControl: SecAccessControl?, context: LAContext? = nil) throws(EnclaveKeyError) {
        var attributes: [CFString: Any] = [kSecAttrIsPermanent: false]
        attributes[kSecUseAuthenticationContext] = context
        attributes[kSecAttrAccessControl] = if let accessControl { accessControl } else { try Self.anyUse() }
        let parameters: NSDictionary = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecPrivateKeyAttrs: attributes as NSDictionary,
        ]
        try self.init(unsafe calling { unsafe SecKeyCreateRandomKey(parameters, $0) })
    }

    /// Makes a handle to a key that was made before.
    init(dataRepresentation: Data, context: LAContext? = nil) throws(EnclaveKeyError) {
        var attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrTokenOID: dataRepresentation as NSData,
        ]
        attributes[kSecUseAuthenticationContext] = context
        let parameters = attributes as NSDictionary
        try self.init(unsafe calling { unsafe SecKeyCreateWithData(NSData(), parameters, $0) })
    }

    private init(_ key: SecKey) throws(EnclaveKeyError) {
        guard let identifier = SecKeyCopyAttributes(key)?[kSecAttrTokenOID] as? Data,
            let publicKey = SecKeyCopyPublicKey(key)
        else { throw .malformed("a key of the enclave", expected: "Give what a key's dataRepresentation was.") }
        self.key = key
        dataRepresentation = identifier
        publicPoint = try unsafe calling { unsafe SecKeyCopyExternalRepresentation(publicKey, $0) } as Data
    }

    /// Usable while the device is unlocked, without a prompt.
    private static func anyUse() throws(EnclaveKeyError) -> SecAccessControl {
        try unsafe calling {
            unsafe SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .privateKeyUsage, $0)
        }
    }
}

/// Calls a function of the Security framework and throws its error.
func calling<Result>(
    _ function: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> Result?
) throws(EnclaveKeyError) -> Result {
    var error: Unmanaged<CFError>?
    if let result = unsafe function(&error) { return result }
    let reported = unsafe error?.takeRetainedValue()
    throw EnclaveKeyError(
        status: reported.map { OSStatus(truncatingIfNeeded: $0.code) } ?? errSecInternalError,
        description: reported?.localizedDescription ?? "The enclave refused without a reason.")
}
