import Foundation
import Security

extension SecKey: @retroactive Identifiable {}
extension SecCertificate { var summary: String? { SecCertificateCopySubjectSummary(self) as String? } }

/// Casts an item to a type that the caller chooses.
private func value<Result>(of item: CFTypeRef?, as type: Result.Type) -> Result? { item as? Result }

/// The operations on a key, a certificate and so on as objects.
func referenceTypes() {
    var error: Unmanaged<CFError>?
    let attributes: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits as String: 256,
    ]
    guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
        return check(false, "a key is made")
    }
    let item: CFTypeRef? = key
    check(item as! SecKey === key, "as! SecKey")
    check((item as! SecKey?) === key, "as! SecKey?")
    check((nil as CFTypeRef?) as! SecKey? == nil, "nil as! SecKey?")
    check(value(of: item, as: SecKey.self) === key, "as? T")
    check(value(of: item, as: SecCertificate.self) == nil, "as? T of another type")
    check(value(of: Data([1]) as CFData, as: Data.self) == Data([1]), "as? Data in general terms")
    check(value(of: "a" as CFString, as: String.self) == "a", "as? String in general terms")
    check(CFGetTypeID(item) == SecKeyGetTypeID(), "CFGetTypeID of a key")
    check(SecKeyGetTypeID() != SecCertificateGetTypeID(), "two types, two identifiers")

    let query: [CFString: Any] = [kSecValueRef: key, kSecClass: kSecClassKey]
    check((query as CFDictionary)[kSecValueRef] != nil, "as a value of a dictionary")
    check(CFArrayGetCount([key, key] as CFArray) == 2, "as elements of an array")
    let public1 = SecKeyCopyPublicKey(key)
    let public2 = SecKeyCopyPublicKey(key)
    check(public1 != nil && public1 == public2, "equal by content")
    check(Set([public1, public2].compactMap { $0 }).count == 1, "as elements of a set")
    check(public1?.hashValue == public2?.hashValue && CFHash(public1) == CFHash(public2), "one hash")
    check([key: "name"][key] == "name", "as the key of a dictionary")
    check(!String(describing: key).isEmpty && key.id == ObjectIdentifier(key), "a client's extension")

    let sendable: any Sendable = key
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { check(SecKeyGetBlockSize(key) == 32, "on another thread") }
    group.wait()
    check(sendable is SecKey, "Sendable")
    let metatypes: [AnyClass] = [
        SecKey.self, SecCertificate.self, SecIdentity.self, SecAccessControl.self, SecPolicy.self, SecTrust.self,
        SecAccess.self, SecACL.self, SecTrustedApplication.self, SecKeychain.self, SecKeychainItem.self, SecTask.self,
        SecCode.self, SecStaticCode.self, SecRequirement.self,
    ]
    check(metatypes.count == 15, "every reference type is a class")
}
