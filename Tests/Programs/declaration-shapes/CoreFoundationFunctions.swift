import CoreFoundation
import Foundation
import Security

/// Types, equality, errors.
func coreFoundationFunctions() {
    func isBoolean(_ value: Any) -> Bool { CFGetTypeID(value as AnyObject) == CFBooleanGetTypeID() }
    let json = try? JSONSerialization.jsonObject(with: Data(#"{"yes": true, "one": 1, "text": "a"}"#.utf8))
    let object = json as? [String: Any] ?? [:]
    check(isBoolean(object["yes"] as Any) && !isBoolean(object["one"] as Any), "JSON's booleans are told from numbers")
    check(CFGetTypeID(object["text"] as CFTypeRef) == CFStringGetTypeID(), "text is a string")
    check(CFGetTypeID(["a": 1] as CFDictionary) == CFDictionaryGetTypeID(), "a dictionary")
    check(CFGetTypeID([1] as CFArray) == CFArrayGetTypeID(), "an array")
    check(CFGetTypeID(Data([1]) as CFData) == CFDataGetTypeID(), "data")
    check(CFGetTypeID(Date() as CFDate) == CFDateGetTypeID(), "a date")
    check(CFGetTypeID(1.5 as CFNumber) == CFNumberGetTypeID(), "a number")
    check(CFGetTypeID(NSNull()) == CFNullGetTypeID() && CFGetTypeID(NSUUID()) == CFUUIDGetTypeID(), "null, a UUID")

    check(CFEqual("a" as CFString, NSMutableString(string: "a")), "CFEqual by content")
    check(!CFEqual("a" as CFString, 1 as CFNumber), "CFEqual of two kinds")
    check(CFHash("a" as CFString) == CFHash("a" as NSString), "CFHash by content")
    check(CFCopyDescription("a" as CFString) != nil, "CFCopyDescription")
    let retained = CFBridgingRetain("a")
    check(CFBridgingRelease(retained) as? String == "a", "CFBridgingRetain and CFBridgingRelease")

    let details = [
        kCFErrorLocalizedDescriptionKey as String: "what", kCFErrorLocalizedFailureReasonKey as String: "why",
    ]
    let error: CFError = CFErrorCreate(kCFAllocatorDefault, kCFErrorDomainOSStatus, -25300, details as CFDictionary)
    check(CFErrorGetCode(error) == -25300, "CFErrorGetCode")
    check(CFErrorGetDomain(error) as String == NSOSStatusErrorDomain, "CFErrorGetDomain")
    check(CFErrorCopyDescription(error) as String == "what", "CFErrorCopyDescription")
    check(CFErrorCopyFailureReason(error) as String? == "why", "CFErrorCopyFailureReason")
    check((CFErrorCopyUserInfo(error) as? [String: Any])?.count == 2, "CFErrorCopyUserInfo")
    let thrown: any Error = error
    check((thrown as NSError).localizedDescription == "what", "a CFError is thrown and described")
    let unmanaged = Unmanaged.passRetained(error)
    check((unmanaged.takeRetainedValue() as Error as NSError).code == -25300, "takeRetainedValue() as Error")
}

/// Collections by addresses, as in C.
func coreFoundationCollections() {
    var bytes: [UInt8] = [1, 2, 3]
    let data: CFData = CFDataCreate(nil, bytes, bytes.count)
    let copy = CFDataCreateWithBytesNoCopy(kCFAllocatorDefault, &bytes, 3, kCFAllocatorNull)!
    check(CFDataGetLength(data) == 3 && CFEqual(data, copy), "CFDataCreate")
    check(withExtendedLifetime(data) { CFDataGetBytePtr(data)[1] } == 2, "CFDataGetBytePtr")
    var taken = [UInt8](repeating: 0, count: 2)
    CFDataGetBytes(data, CFRangeMake(1, 2), &taken)
    check(taken == [2, 3], "CFDataGetBytes")
    let growing: CFMutableData = CFDataCreateMutable(nil, 0)
    CFDataAppendBytes(growing, bytes, 3)
    CFDataAppendBytes(growing, bytes, 1)
    check(CFDataGetLength(growing) == 4, "CFDataAppendBytes")

    let array: CFMutableArray = CFArrayCreateMutable(nil, 0, &kCFTypeArrayCallBacks)
    let element: NSString = "element"
    CFArrayAppendValue(array, Unmanaged.passUnretained(element).toOpaque())
    check(CFArrayGetCount(array) == 1, "CFArrayGetCount")
    let first = unsafeBitCast(CFArrayGetValueAtIndex(array, 0), to: CFString.self)
    check(first as String == "element", "CFArrayGetValueAtIndex")

    let dictionary: CFMutableDictionary = CFDictionaryCreateMutable(
        nil, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks)
    let key = Unmanaged.passUnretained(kSecClass).toOpaque()
    let value = Unmanaged.passUnretained(kSecClassKey).toOpaque()
    CFDictionarySetValue(dictionary, key, value)
    CFDictionaryAddValue(dictionary, key, key)
    check(CFDictionaryGetCount(dictionary) == 1 && CFDictionaryContainsKey(dictionary, key), "CFDictionarySetValue")
    let found = CFDictionaryGetValue(dictionary, key).map { unsafeBitCast($0, to: NSString.self) }
    check(found == kSecClassKey, "CFDictionaryGetValue gives what was put in first")
    check((dictionary as? [String: String])?["class"] == "keys", "and it casts to Swift's dictionary")
    let changing: CFMutableDictionary = CFDictionaryCreateMutableCopy(nil, 0, ["a": 1] as CFDictionary)
    changing["b"] = 2
    check(CFDictionaryGetCount(changing) == 2, "CFDictionaryCreateMutableCopy")
    var keyAddress: UnsafeRawPointer? = UnsafeRawPointer(key)
    var valueAddress: UnsafeRawPointer? = UnsafeRawPointer(value)
    let made: CFDictionary = CFDictionaryCreate(
        nil, &keyAddress, &valueAddress, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks)
    check(CFDictionaryGetCount(made) == 1, "CFDictionaryCreate")
}

/// Strings, dates and similar values.
func coreFoundationValues() {
    let string: CFString = CFStringCreateWithCString(nil, "grüße", kCFStringEncodingUTF8)
    check(CFStringGetLength(string) == 5, "CFStringGetLength")
    var buffer = [CChar](repeating: 1, count: 8)
    check(CFStringGetCString(string, &buffer, 8, kCFStringEncodingUTF8), "CFStringGetCString")
    check(buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } == "grüße", "what it wrote")
    check(!CFStringGetCString(string, &buffer, 7, kCFStringEncodingUTF8), "and not without room for the end")
    check(CFStringCompare("a" as CFString, "b" as CFString, []) == .compareLessThan, "CFStringCompare")
    check(CFStringCompare("a" as CFString, "A" as CFString, .compareCaseInsensitive) == .compareEqualTo, "its options")
    check(CFBooleanGetValue(kCFBooleanTrue) && !CFBooleanGetValue(kCFBooleanFalse), "CFBooleanGetValue")
    let date: CFDate = CFDateCreate(nil, 1000)
    check(CFDateGetAbsoluteTime(date) == 1000, "CFDateGetAbsoluteTime")
    let uuid: CFUUID = CFUUIDCreate(nil)
    check((CFUUIDCreateString(nil, uuid) as String).count == 36, "CFUUIDCreateString")
    let range = CFRange(location: 1, length: 2)
    check(range.location == 1 && range == CFRangeMake(1, 2), "CFRange")
}
