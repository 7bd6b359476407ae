import CoreFoundation
import Foundation
import Security

/// Every name stands for the class of that name, so that `as` converts in both directions without a copy.
func coreFoundationNames() {
    let string: CFString = "text" as CFString
    let mutable: CFMutableString = NSMutableString(string: "text")
    let dictionary: CFDictionary = ["a": 1] as CFDictionary
    let mutableDictionary: CFMutableDictionary = NSMutableDictionary()
    let array: CFArray = [1, 2] as CFArray
    let mutableArray: CFMutableArray = NSMutableArray()
    let data: CFData = Data([1, 2]) as CFData
    let mutableData: CFMutableData = NSMutableData()
    let set: CFSet = Set(["a"]) as CFSet
    let mutableSet: CFMutableSet = NSMutableSet()
    let date: CFDate = Date() as CFDate
    let number: CFNumber = 7 as CFNumber
    let boolean: CFBoolean = true as CFBoolean
    let url: CFURL = URL(string: "https://example.org")! as CFURL
    let uuid: CFUUID = NSUUID()
    let null: CFNull = NSNull()
    let locale: CFLocale = NSLocale(localeIdentifier: "en")
    let characters: CFCharacterSet = NSCharacterSet.alphanumerics as CFCharacterSet
    let attributed: CFAttributedString = NSAttributedString(string: "text")
    let error: CFError = NSError(domain: NSOSStatusErrorDomain, code: -50) as CFError
    let anything: [CFTypeRef] = [
        string, mutable, dictionary, mutableDictionary, array, mutableArray, data, mutableData, set, mutableSet, date,
        number, boolean, url, uuid, null, locale, characters, attributed, error,
    ]
    check(anything.count == 20, "every name is an object")
    let list: CFPropertyList = dictionary
    check((list as? [String: Int]) == ["a": 1], "a property list is a dictionary")

    check(string as String == "text", "CFString as String")
    check((dictionary as? [String: Any])?["a"] as? Int == 1, "CFDictionary as? [String: Any]")
    check((dictionary as NSDictionary)["a"] as? Int == 1, "CFDictionary as NSDictionary")
    check(array as? [Int] == [1, 2], "CFArray as? [Int]")
    check(data as Data == Data([1, 2]), "CFData as Data")
    check((error as Error as NSError).code == -50, "CFError as Error")
    check(url as URL == URL(string: "https://example.org"), "CFURL as URL")
    check((number as? Int) == 7 && (boolean as? Bool) == true, "CFNumber as? Int, CFBoolean as? Bool")
}

/// Numbers, and types that are not objects.
func coreFoundationScalars() {
    let identifier: CFTypeID = CFStringGetTypeID()
    let flags: CFOptionFlags = 1 << 3
    let hash: CFHashCode = CFHash("a" as CFString)
    let index: CFIndex = 3
    let interval: CFTimeInterval = 1.5
    let time: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
    let status: OSStatus = noErr
    let small: SInt32 = -1
    let code: FourCharCode = 0x6162_6364
    let type: OSType = code
    let encoding: CFStringEncoding = CFStringEncoding(kCFStringEncodingUTF8)
    check(identifier == UInt(identifier) && flags == UInt(8) && hash == UInt(hash), "unsigned")
    check(index == Int(3) && interval == Double(1.5) && time > 0, "Int and Double")
    check(status == Int32(0) && small == Int32(-1) && type == UInt32(0x6162_6364), "32 bits")
    check(encoding == 0x0800_0100, "UTF-8")
    let large: NSInteger = -1
    let unsigned: NSUInteger = 1
    check(large == Int(-1) && unsigned == UInt(1), "NSInteger")
    var darwin: DarwinBoolean = false
    withUnsafeMutablePointer(to: &darwin) { $0.pointee = true }
    check(darwin.boolValue, "DarwinBoolean behind a pointer")

    let allocator: CFAllocator! = kCFAllocatorDefault
    check(allocator == nil, "the default allocator is nil")
    let plain: CFBoolean = kCFBooleanTrue
    let unwrapped = kCFBooleanTrue!
    let otherwise = kCFBooleanTrue ?? (true as CFBoolean)
    check(plain == unwrapped && unwrapped == otherwise, "kCFBooleanTrue, kCFBooleanTrue!, kCFBooleanTrue ?? true")
    let query: [String: Any] = ["a": kCFBooleanTrue!, "b": kCFBooleanFalse as Any, "c": kCFBooleanTrue as AnyObject]
    check(query["a"] as? Bool == true && query["b"] as? Bool == false && query["c"] as? Bool == true, "as values")
    let texts: [NSString: AnyObject] = [kSecReturnData: kCFBooleanTrue, kSecReturnRef: kCFBooleanFalse]
    check(texts.count == 2, "as values of objects")
    check(kCFNull != nil && kCFErrorDomainOSStatus as String == NSOSStatusErrorDomain, "kCFNull, a domain")
    check((kCFErrorLocalizedDescriptionKey as String) == NSLocalizedDescriptionKey, "a key of errors")
    check((kCFBundleIdentifierKey as String) == "CFBundleIdentifier", "a key of bundles")
    let pointer: NSErrorPointer = nil
    check(pointer == nil, "NSErrorPointer")
}
