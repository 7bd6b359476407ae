import Foundation
import Security

/// Passwords kept by class functions, as in most samples.
private class Passwords {
    class func query(service: String, account: String) -> Dictionary<String, Any> {
        let dictionary =
            [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrAccount as String: account,
                kSecAttrService as String: service,
                kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlocked,
            ] as [String: Any]
        return dictionary
    }

    @discardableResult class func set(_ password: String, service: String, account: String) -> Bool {
        var status: OSStatus = -1
        delete(service: service, account: account)
        var dictionary = query(service: service, account: account)
        let data = password.data(using: String.Encoding.utf8, allowLossyConversion: false)
        dictionary[kSecValueData as String] = data
        status = SecItemAdd(dictionary as CFDictionary, nil)
        return status == errSecSuccess
    }

    @discardableResult class func delete(service: String, account: String) -> Bool {
        let dictionary = query(service: service, account: account)
        let status = SecItemDelete(dictionary as CFDictionary);
        return status == errSecSuccess
    }

    class func password(service: String, account: String) -> String? {
        var data: AnyObject?
        var dictionary = query(service: service, account: account)
        dictionary[kSecReturnData as String] = kCFBooleanTrue
        dictionary[kSecMatchLimit as String] = kSecMatchLimitOne
        guard SecItemCopyMatching(dictionary as CFDictionary, &data) == errSecSuccess else { return nil }
        guard let found = data as? Data else { return nil }
        return String(data: found, encoding: .utf8)
    }
}

func passwords() {
    check(Passwords.password(service: "shapes", account: "a") == nil, "nothing is there")
    check(Passwords.set("first", service: "shapes", account: "a"), "a password is set")
    check(Passwords.set("second", service: "shapes", account: "a"), "and set again")
    check(Passwords.password(service: "shapes", account: "a") == "second", "and found")
    check(Passwords.delete(service: "shapes", account: "a"), "and deleted")
    check(!Passwords.delete(service: "shapes", account: "a"), "once")
}

/// The different ways to write a query.
func shapesOfQueries() {
    let asStrings: [String: Any] = [kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "shape"]
    let asObjects: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "shape"]
    let asValues: [String: AnyObject] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "shape" as AnyObject,
    ]
    let asNSStrings: [NSString: NSObject] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "shape" as NSString]
    let asHashables: [AnyHashable: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "shape"]
    let asObject = NSMutableDictionary()
    asObject[kSecClass] = kSecClassGenericPassword
    asObject[kSecAttrAccount as String] = "shape"
    let byMethods = NSMutableDictionary()
    byMethods.setObject(kSecClassGenericPassword, forKey: kSecClass as NSCopying)
    byMethods.setValue("shape", forKey: kSecAttrAccount as String)
    let pairs = NSDictionary(objects: [kSecClassGenericPassword, "shape"], forKeys: [kSecClass, kSecAttrAccount])
    let queries: [CFDictionary] = [
        asStrings as CFDictionary, asObjects as CFDictionary, asValues as CFDictionary, asNSStrings as CFDictionary,
        asHashables as CFDictionary, asObject, byMethods, pairs, asObject as CFMutableDictionary,
    ]
    for (index, query) in queries.enumerated() {
        check(SecItemAdd(query, nil) == errSecSuccess, "query \(index) adds")
        check(SecItemAdd(query, nil) == errSecDuplicateItem, "query \(index) is a duplicate")
        check(
            SecItemUpdate(query, [kSecValueData: Data([1])] as CFDictionary) == errSecSuccess, "query \(index) updates")
        check(SecItemCopyMatching(query, nil) == errSecSuccess, "query \(index) finds")
        check(SecItemDelete(query) == errSecSuccess, "query \(index) deletes")
    }
    SecItemDelete(asStrings as CFDictionary)
    SecItemAdd(asStrings as CFDictionary, nil)
    SecItemCopyMatching(asStrings as CFDictionary, nil)
    SecItemUpdate(asStrings as CFDictionary, [kSecAttrLabel: "label"] as CFDictionary)
    SecItemDelete(asStrings as CFDictionary)
}

/// The different ways to read a result.
func shapesOfResults() {
    var query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "shapes",
        kSecAttrAccount as String: "a", kSecAttrGeneric as String: Data([7]), kSecValueData as String: Data("v".utf8),
    ]
    query[kSecReturnPersistentRef as String] = true
    var reference: CFTypeRef?
    check(SecItemAdd(query as CFDictionary, &reference) == errSecSuccess, "added")
    check(reference is Data, "a persistent reference is data")

    var result: AnyObject?
    let search: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "shapes", kSecMatchLimit: kSecMatchLimitAll,
        kSecReturnAttributes: true, kSecReturnData: kCFBooleanTrue!,
    ]
    let status = withUnsafeMutablePointer(to: &result) {
        SecItemCopyMatching(search as CFDictionary, UnsafeMutablePointer($0))
    }
    check(status == errSecSuccess, "found by a pointer")
    let items = result as? [[String: Any]]
    check(items?.first?[kSecAttrAccount as String] as? String == "a", "as? [[String: Any]]")
    check((result as? [[CFString: Any]])?.first?[kSecAttrAccount] as? String == "a", "as? [[CFString: Any]]")
    check((result as? [NSDictionary])?.first?[kSecAttrAccount] as? String == "a", "as? [NSDictionary]")
    check((result as? NSArray)?.count == 1, "as? NSArray")
    let hashables = (result as? [[AnyHashable: Any]])?.first
    check(hashables?[kSecAttrAccount] as? String == "a", "as? [[AnyHashable: Any]] by a constant")
    check(hashables?[kSecAttrAccount as String] as? String == "a", "and by a string")
    check(items?.first?[kSecValueData as String] as? Data == Data("v".utf8), "as? Data")
    check((items?.first?[kSecValueData as String] as? NSData)?.length == 1, "as? NSData")
    check(items?.first?[kSecAttrGeneric as String] as? Data == Data([7]), "data comes back as data")
    check(items?.first?[kSecAttrCreationDate as String] as? Date != nil, "as? Date")
    check(items?.first?[kSecAttrSynchronizable as String] as? Bool == false, "as? Bool")
    check(items?.first?[kSecAttrAccessible as String] as? String == "ak", "as? String")

    let again: [String: Any] = [
        kSecValuePersistentRef as String: reference as! Data, kSecReturnData as String: true,
    ]
    var item: CFTypeRef?
    check(SecItemCopyMatching(again as CFDictionary, &item) == errSecSuccess, "found by its reference")
    check(item as! Data == Data("v".utf8) && (item as! CFData) as Data == Data("v".utf8), "as! Data, as! CFData")
    check(
        SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "shapes"] as CFDictionary) == 0, "deleted")
}

/// A program's own error type around a status.
private enum KeychainFailure: Error, Equatable {
    case unexpected(OSStatus)
    init(_ status: OSStatus) { self = .unexpected(status) }
}

func errorsOfItems() {
    func find() throws {
        let query = [kSecClass: kSecClassGenericPassword, kSecAttrService: "none"] as CFDictionary
        let status = SecItemCopyMatching(query, nil)
        guard status == errSecSuccess else { throw KeychainFailure(status) }
    }
    do {
        try find()
        check(false, "nothing is found")
    } catch {
        check(error as? KeychainFailure == .unexpected(errSecItemNotFound), "as a program's own error")
    }
    let error = NSError(
        domain: NSOSStatusErrorDomain, code: Int(errSecItemNotFound),
        userInfo: [NSLocalizedDescriptionKey: SecCopyErrorMessageString(errSecItemNotFound, nil) ?? ""])
    check(!error.localizedDescription.isEmpty, "as Foundation's error")
    check(SecItemCopyMatching([:] as CFDictionary, nil) == errSecParam, "an empty query")
}
