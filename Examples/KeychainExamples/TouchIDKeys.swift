import Foundation
import LocalAuthentication
import Security

/// Keys that require the enrolled fingers of the device's owner, as programs for iOS make and find them (rules
/// keys.create.rsa-guarded, authentication.policy.no-protection).
public enum TouchIDKeys {
    static let tag = "com.mydomian.uniqueTag"

    /// Asks for a finger. By itself that protects nothing (rule authentication.policy.no-protection).
    public static func askForFinger(_ handle: @escaping @Sendable (Bool, Error?) -> Void) {
        LAContext().evaluatePolicy(
            LAPolicy.deviceOwnerAuthenticationWithBiometrics,
            localizedReason: "Reason"
        ) { (success, error) in
            handle(success, error)
        }
    }

    static var accessControl: SecAccessControl {
        guard
            let accessControl =
                SecAccessControlCreateWithFlags(
                    kCFAllocatorDefault,
                    kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                    [.privateKeyUsage, .biometryCurrentSet],
                    nil)
        else {
            fatalError("cannot set access control")
        }
        return accessControl
    }

    /// Makes an RSA key that is kept in the keychain (rule keys.create.rsa-guarded).
    public static func makeRSAKey() throws -> SecKey {
        let attributes: [String: Any] = [
            kSecClass as String: kSecClassKey,
            kSecAttrKeyType as String: kSecAttrKeyTypeRSA,
            kSecAttrKeySizeInBits as String: 2048,
            kSecPrivateKeyAttrs as String: [
                kSecAttrIsPermanent as String: true,
                kSecAttrApplicationTag as String: tag,
                kSecAttrAccessControl as String: accessControl,
            ],
        ]
        return try makeKey(attributes)
    }

    /// Makes a key that is kept in the Secure Enclave (rule keys.enclave.create).
    public static func makeEnclaveKey() throws -> SecKey {
        let attributes: [String: Any] = [
            kSecClass as String: kSecClassKey,
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeySizeInBits as String: 256,
            kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs as String: [
                kSecAttrIsPermanent as String: true,
                kSecAttrApplicationTag as String: tag,
                kSecAttrAccessControl as String: accessControl,
            ],
        ]
        return try makeKey(attributes)
    }

    private static func makeKey(_ attributes: [String: Any]) throws -> SecKey {
        var error: Unmanaged<CFError>?
        guard let privateKey = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
            throw error!.takeRetainedValue() as Error
        }
        return privateKey
    }

    /// Finds the RSA key again (rule keys.item.found).
    public static func findRSAKey() -> SecKey? {
        let query: [String: Any] = [
            kSecClass as String: kSecClassKey,
            kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
            kSecAttrKeyType as String: kSecAttrKeyTypeRSA,
            kSecAttrKeySizeInBits as String: 2048,
            kSecAttrApplicationTag as String: tag,
            kSecReturnRef as String: true,
        ]
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        guard status == errSecSuccess else {
            return nil
        }
        return (item as! SecKey)
    }
}
