import CoreFoundation
import Foundation
import Security
import TestSupport
import Testing

@Suite struct DeclarationsCoreFoundationTests {
    @Test(
        "The classes of Security are types of Core Foundation's runtime, each with an identifier of its own",
        .rule("c-interface.objects.types"))
    func runtimeTypes() {
        let ours = [
            SecKeyGetTypeID(), SecCertificateGetTypeID(), SecIdentityGetTypeID(), SecAccessControlGetTypeID(),
            SecPolicyGetTypeID(), SecTrustGetTypeID(), SecTaskGetTypeID(), SecCodeGetTypeID(), SecStaticCodeGetTypeID(),
            SecRequirementGetTypeID(), SecAccessGetTypeID(), SecACLGetTypeID(), SecTrustedApplicationGetTypeID(),
            SecKeychainGetTypeID(), SecKeychainItemGetTypeID(),
        ]
        #expect(Set(ours + [CFStringGetTypeID(), CFDataGetTypeID(), CFURLGetTypeID()]).count == ours.count + 3)
        #expect(!ours.contains(0))
        #expect(CFGetTypeID(SecPolicyCreateBasicX509()) == SecPolicyGetTypeID())
        let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAlways, [], nil)
        #expect(CFGetTypeID(control) == SecAccessControlGetTypeID())
        var code: SecCode?
        #expect(unsafe SecCodeCopySelf([], &code) == errSecSuccess)
        #expect(CFGetTypeID(code) == SecCodeGetTypeID())
    }

    @Test("CFGetTypeID tells the classes apart, booleans from numbers too")
    func typeIdentifiers() {
        #expect(CFGetTypeID("a" as NSString) == CFStringGetTypeID())
        #expect(CFGetTypeID(NSMutableString(capacity: 0)) == CFStringGetTypeID())
        #expect(CFGetTypeID(NSDictionary()) == CFDictionaryGetTypeID())
        #expect(CFGetTypeID(NSMutableDictionary()) == CFDictionaryGetTypeID())
        #expect(CFGetTypeID(NSArray()) == CFArrayGetTypeID())
        #expect(CFGetTypeID(NSData()) == CFDataGetTypeID())
        #expect(CFGetTypeID(kCFBooleanTrue) == CFBooleanGetTypeID())
        #expect(CFGetTypeID(true as AnyObject) == CFBooleanGetTypeID())
        #expect(CFGetTypeID(NSNumber(value: 1)) == CFNumberGetTypeID())
        #expect(CFGetTypeID(NSDate()) == CFDateGetTypeID())
        #expect(CFGetTypeID(NSSet()) == CFSetGetTypeID())
        #expect(CFGetTypeID(NSUUID()) == CFUUIDGetTypeID())
        #expect(CFGetTypeID(kCFNull) == CFNullGetTypeID())
        #expect(CFGetTypeID(NSError(domain: "test", code: 1)) == CFErrorGetTypeID())
        #expect(CFGetTypeID(NSURL(fileURLWithPath: "/")) == CFURLGetTypeID())
        #expect(CFGetTypeID(NSCharacterSet()) == CFCharacterSetGetTypeID())
    }

    @Test("A file that imports Foundation, CoreFoundation and Security finds each name once")
    func noClash() {
        let type: CFString = kSecClassKey
        let query = [kSecClass: type] as CFDictionary
        #expect(CFGetTypeID(query) == CFDictionaryGetTypeID() && CFGetTypeID(type) == CFStringGetTypeID())
    }

    @Test("An object of no type that Core Foundation knows has the identifier 0")
    func foreignObjects() {
        final class Plain {}
        #expect(CFGetTypeID(Plain()) == 0)
        #expect(CFGetTypeID(NSObject()) == 0)
    }

    @Test("A boolean read from JSON is a boolean and a number is a number")
    func jsonValues() throws {
        let json = try JSONSerialization.jsonObject(with: Data(#"{"flag": true, "count": 1}"#.utf8))
        let dictionary = try #require(json as? [String: Any])
        #expect(CFGetTypeID(dictionary["flag"] as AnyObject) == CFBooleanGetTypeID())
        #expect(CFGetTypeID(dictionary["count"] as AnyObject) == CFNumberGetTypeID())
    }

    @Test("Objects are compared, hashed and described by content", .rule("c-interface.objects.equal"))
    func objects() {
        let left = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAlways, [], nil)
        let right = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAlways, [], nil)
        #expect(CFEqual(left, right))
        #expect(CFHash(left) == CFHash(right))
        #expect(CFCopyDescription(left) as String == "<SecAccessControlRef: dk;dacl(true)>")
        #expect(CFEqual("a" as NSString, NSMutableString(string: "a")))
        #expect(!CFEqual("a" as NSString, NSData()))
        #expect(CFCopyDescription("a" as NSString) as String == "a")
    }

    @Test("An error's parts come out as they went in")
    func errors() throws {
        let info = [kCFErrorLocalizedDescriptionKey: "It failed.", kCFErrorLocalizedFailureReasonKey: "It rained."]
        let error = try #require(
            CFErrorCreate(nil, kCFErrorDomainOSStatus, CFIndex(errSecParam), info as CFDictionary))
        #expect(CFErrorGetCode(error) == -50)
        #expect(CFErrorGetDomain(error) as String == NSOSStatusErrorDomain)
        #expect(CFErrorCopyDescription(error) as String == "It failed.")
        #expect(CFErrorCopyFailureReason(error) as String? == "It rained.")
        #expect(CFErrorCopyUserInfo(error)[kCFErrorLocalizedDescriptionKey!] as? String == "It failed.")
        #expect(CFErrorCopyFailureReason(NSError(domain: "test", code: 1)) == nil)
    }

    @Test("Data is made, read, copied and extended by pointer")
    func data() throws {
        let bytes: [UInt8] = [1, 2, 3, 4]
        let data = try #require(unsafe CFDataCreate(nil, bytes, 4))
        #expect(CFDataGetLength(data) == 4)
        #expect(unsafe CFDataGetBytePtr(data)[3] == 4)
        var copy: [UInt8] = [0, 0]
        unsafe CFDataGetBytes(data, CFRangeMake(1, 2), &copy)
        #expect(copy == [2, 3])
        let longer = try #require(CFDataCreateMutable(nil, 0))
        unsafe CFDataAppendBytes(longer, bytes, 4)
        unsafe CFDataAppendBytes(longer, bytes, 2)
        #expect(longer as Data == Data([1, 2, 3, 4, 1, 2]))
        #expect(CFDataGetLength(CFDataCreate(nil, nil, 0)) == 0)
    }

    @Test("Strings cross to C and back, and text that does not fit or is not text is refused")
    func strings() throws {
        let string = try #require(unsafe CFStringCreateWithCString(nil, "Schlüssel", kCFStringEncodingUTF8))
        #expect(CFStringGetLength(string) == 9)
        var buffer = [CChar](repeating: 0, count: 11)
        #expect(unsafe CFStringGetCString(string, &buffer, 11, kCFStringEncodingUTF8))
        #expect(buffer.dropLast().map(UInt8.init(bitPattern:)) == Array("Schlüssel".utf8))
        #expect(unsafe !CFStringGetCString(string, &buffer, 10, kCFStringEncodingUTF8))
        #expect(unsafe !CFStringGetCString(string, &buffer, 11, kCFStringEncodingASCII))
        #expect(unsafe CFStringCreateWithCString(nil, [CChar(bitPattern: 0xFF), 0], kCFStringEncodingUTF8) == nil)
        #expect(CFStringCompare("a" as NSString, "b" as NSString, []) == .compareLessThan)
        #expect(CFStringCompare("a" as NSString, "A" as NSString, .compareCaseInsensitive) == .compareEqualTo)
    }

    @Test("Dates and identifiers keep their value")
    func datesAndIdentifiers() {
        #expect(CFDateGetAbsoluteTime(CFDateCreate(nil, 12.5)) == 12.5)
        #expect(abs(CFAbsoluteTimeGetCurrent() - Date().timeIntervalSinceReferenceDate) < 60)
        #expect((CFUUIDCreateString(nil, CFUUIDCreate(nil)) as String).count == 36)
        #expect(CFUUIDCreate(nil) != CFUUIDCreate(nil))
    }

    @Test("Bridging keeps the value")
    func bridging() {
        #expect(CFBridgingRelease(CFBridgingRetain("a")) as? String == "a")
        #expect(CFBridgingRetain(nil) == nil)
    }
}
