import Foundation
import Security

/// A program's own names for Apple's raw values.
private enum ItemClass: String {
    case genericPassword = "genp"
    case internetPassword = "inet"
}

/// Keeps a constant in every place that Swift has.
private struct Options {
    static let service = kSecAttrService as String
    let itemClass: CFString = kSecClassGenericPassword
    var accessible: String { kSecAttrAccessibleAfterFirstUnlock as String }
}

/// Constants are text with Apple's values, plain and not optional.
func constants() {
    let raw: [(CFString, String)] = [
        (kSecClass, "class"), (kSecClassGenericPassword, "genp"), (kSecClassInternetPassword, "inet"),
        (kSecClassKey, "keys"), (kSecClassCertificate, "cert"), (kSecClassIdentity, "idnt"),
        (kSecAttrAccount, "acct"), (kSecAttrService, "svce"), (kSecAttrGeneric, "gena"), (kSecAttrServer, "srvr"),
        (kSecAttrAccessGroup, "agrp"), (kSecAttrAccessible, "pdmn"), (kSecAttrSynchronizable, "sync"),
        (kSecAttrLabel, "labl"), (kSecAttrComment, "icmt"), (kSecAttrDescription, "desc"),
        (kSecAttrApplicationTag, "atag"), (kSecAttrApplicationLabel, "klbl"), (kSecAttrKeyType, "type"),
        (kSecAttrKeyClass, "kcls"), (kSecAttrKeySizeInBits, "bsiz"), (kSecAttrAccessControl, "accc"),
        (kSecValueData, "v_Data"), (kSecValueRef, "v_Ref"), (kSecValuePersistentRef, "v_PersistentRef"),
        (kSecReturnData, "r_Data"), (kSecReturnAttributes, "r_Attributes"), (kSecReturnRef, "r_Ref"),
        (kSecReturnPersistentRef, "r_PersistentRef"), (kSecMatchLimit, "m_Limit"), (kSecMatchLimitOne, "m_LimitOne"),
        (kSecMatchLimitAll, "m_LimitAll"), (kSecUseDataProtectionKeychain, "nleg"), (kSecAttrKeyTypeRSA, "42"),
        (kSecAttrKeyTypeEC, "73"), (kSecAttrKeyTypeECSECPrimeRandom, "73"), (kSecAttrKeyClassPublic, "0"),
        (kSecAttrKeyClassPrivate, "1"), (kSecAttrAccessibleWhenUnlocked, "ak"),
        (kSecAttrAccessibleAfterFirstUnlock, "ck"), (kSecAttrAccessibleWhenUnlockedThisDeviceOnly, "aku"),
        (kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "cku"),
        (kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, "akpu"), (kSecAttrSynchronizableAny, "syna"),
    ]
    for (constant, expected) in raw { check(constant as String == expected, "\(constant) is \(expected)") }
    check(
        ItemClass(rawValue: kSecClassInternetPassword as String) == .internetPassword, "a raw value of an enumeration")
    check(Options.service == "svce" && Options().itemClass == kSecClassGenericPassword, "kept in a type")
    check(Options().accessible == "ck" && String(kSecClassKey) == "keys", "as String and String(…)")
    check("\(kSecClassKey)" == "keys", "in a text")
    check((kSecMatchLimitOne as NSString).isEqual(to: "m_LimitOne"), "as NSString")

    let statuses: [(OSStatus, Int32)] = [
        (errSecSuccess, 0), (errSecUnimplemented, -4), (errSecParam, -50), (errSecAllocate, -108),
        (errSecNotAvailable, -25291), (errSecAuthFailed, -25293), (errSecDuplicateItem, -25299),
        (errSecItemNotFound, -25300), (errSecInteractionNotAllowed, -25308), (errSecDecode, -26275),
        (errSecUserCanceled, -128), (errSecMissingEntitlement, -34018), (errSSLProtocol, -9800),
    ]
    for (status, expected) in statuses { check(status == expected, "\(expected)") }
    let text = SecCopyErrorMessageString(errSecItemNotFound, nil) as String?
    check(text?.isEmpty == false, "a status has a text")
    check(kSecRandomDefault == nil, "kSecRandomDefault is a null pointer")
    let methods: CFOptionFlags = kSecRevocationOCSPMethod | kSecRevocationCRLMethod
    check(methods == 3, "methods of revocation are bits")
    switch errSecItemNotFound {
    case errSecSuccess: check(false, "in a switch")
    case errSecItemNotFound: check(true, "in a switch")
    default: check(false, "in a switch")
    }
}
