import CoreFoundation
import Foundation
import LocalAuthentication
import Security

private extension Dictionary where Key == CFString, Value == Any {
    var asQuery: CFDictionary { self as CFDictionary }
}

private extension CFString {
    var swift: String { self as String }
}

private extension OSStatus {
    var message: String { SecCopyErrorMessageString(self, nil) as String? ?? "\(self)" }
}

/// Behaviour of Foundation on Apple systems that programs rely on.
func extensions() {
    check(AnyHashable("a") == AnyHashable("a" as NSString), "AnyHashable of text and of an object")
    check(AnyHashable("a").hashValue == AnyHashable("a" as NSString).hashValue, "and their hashes")
    let found: [AnyHashable: Any] = [kSecAttrAccount as String: "name"]
    check(found[kSecAttrAccount] as? String == "name", "found by a constant")
    let dictionary = NSMutableDictionary()
    dictionary.setObject("name", forKey: kSecAttrAccount as NSString)
    dictionary.setObject(kCFBooleanTrue!, forKey: kSecReturnData as String as NSCopying)
    dictionary.setValue("service", forKey: kSecAttrService as String)
    check(dictionary[kSecAttrAccount] as? String == "name" && dictionary.count == 3, "setObject(_:forKey:)")
    dictionary.setValue(nil, forKey: kSecAttrService as String)
    check(dictionary.count == 2, "setValue(nil, forKey:)")
    check(([kSecClass: kSecClassKey] as [CFString: Any]).asQuery.count == 1, "an extension of dictionaries")
    check(kSecClassKey.swift == "keys" && !errSecParam.message.isEmpty, "extensions of CFString and OSStatus")
    let error: NSErrorPointer = nil
    check(error == nil, "NSErrorPointer")
}
