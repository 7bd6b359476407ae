import Security
import TestSupport
import Testing

/// The forms in which programs write queries and read results.
@Suite struct DeclarationsDictionaryTests {
    private let query =
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrAccount as String: "alice",
            kSecValueData as String: Data("secret".utf8),
            kSecReturnData as String: kCFBooleanTrue!,
            kSecMatchLimit as String: kSecMatchLimitOne,
        ] as [String: Any]

    @Test("a query written with string keys is read back as a CFDictionary", .rule("queries.dictionary.strings"))
    func stringKeys() {
        let dictionary = query as CFDictionary
        #expect(dictionary[kSecClass] as? String == "genp")
        #expect(dictionary[kSecAttrAccount] as? String == "alice")
        #expect(dictionary[kSecValueData] as? Data == Data("secret".utf8))
        #expect(dictionary[kSecReturnData] as? Bool == true)
        #expect(dictionary[kSecMatchLimit] as? String == "m_LimitOne")
    }

    @Test(
        "a query written with the constants as keys is read back with string keys", .rule("queries.dictionary.strings"))
    func constantKeys() {
        let dictionary = [kSecClass: kSecClassKey, kSecAttrIsPermanent: true] as CFDictionary
        #expect(dictionary["class"] as? String == "keys")
        #expect(dictionary["perm"] as? Bool == true)
    }

    @Test("A result is found under its Swift keys, however it is cast")
    func results() {
        let result: CFTypeRef = query as NSDictionary
        #expect((result as? [String: Any])?[kSecAttrAccount as String] as? String == "alice")
        #expect((result as? NSDictionary)?["acct"] as? String == "alice")
        #expect((result as? [CFString: Any])?[kSecAttrAccount] as? String == "alice")
        #expect((result as? [AnyHashable: Any])?[kSecAttrAccount] as? String == "alice")
        #expect((result as? [AnyHashable: Any])?["acct"] as? String == "alice")
    }

    @Test("A string and the object made of it are the same key")
    func anyHashable() {
        #expect(AnyHashable("a") == AnyHashable("a" as NSString))
        #expect(AnyHashable("a").hashValue == AnyHashable("a" as NSString).hashValue)
        #expect(AnyHashable("a") != AnyHashable("b" as NSString))
    }

    @Test("A mutable dictionary takes constants as keys, and nil removes")
    func mutableDictionary() {
        let dictionary = NSMutableDictionary()
        dictionary.setObject(kSecClassKey, forKey: kSecClass)
        dictionary.setValue("alice", forKey: kSecAttrAccount as String)
        #expect(dictionary[kSecClass] as? String == "keys")
        #expect(dictionary["acct"] as? String == "alice")
        dictionary.setValue(nil, forKey: kSecAttrAccount as String)
        #expect(dictionary["acct"] == nil)
        #expect(dictionary.count == 1)
    }

    @Test("The booleans can be used plain, forced and with a default")
    func booleans() {
        #expect(kCFBooleanTrue! == true)
        #expect((kCFBooleanTrue ?? false) == true)
        #expect([kSecReturnRef: kCFBooleanFalse as Any] as NSDictionary == [kSecReturnRef: false] as NSDictionary)
        #expect(DarwinBoolean(true).boolValue)
        #expect(DarwinBoolean(false) == false)
    }

    @Test("A dictionary made by function is an exact NSDictionary that Swift keys can read")
    func createdByFunction() throws {
        var keys: [UnsafeRawPointer?] = unsafe [address(kSecClass), address(kSecAttrAccount)]
        let account: NSString = "alice"
        var values: [UnsafeRawPointer?] = unsafe [address(kSecClassKey), address(account)]
        let dictionary = try #require(unsafe CFDictionaryCreate(nil, &keys, &values, 2, nil, nil))
        #expect(type(of: dictionary) == NSDictionary.self)
        #expect(dictionary["acct"] as? String == "alice")
        #expect(unsafe CFDictionaryGetValue(dictionary, address(kSecAttrAccount)) == address(account))
        #expect(unsafe !CFDictionaryContainsKey(dictionary, address(kSecAttrService)))
        #expect(CFDictionaryGetCount(dictionary) == 2)
    }

    @Test("Setting by address replaces a value; adding by address keeps it")
    func mutationByAddress() throws {
        let created = CFDictionaryCreateMutable(nil, 0, nil, nil)
        let dictionary = try #require(created)
        unsafe CFDictionarySetValue(dictionary, address(kSecClass), address(kSecClassKey))
        unsafe CFDictionaryAddValue(dictionary, address(kSecClass), address(kSecClassCertificate))
        #expect(dictionary["class"] as? String == "keys")
        unsafe CFDictionarySetValue(dictionary, address(kSecClass), address(kSecClassCertificate))
        #expect(dictionary["class"] as? String == "cert")
        let copy = try #require(CFDictionaryCreateMutableCopy(nil, 0, dictionary))
        copy.removeAllObjects()
        #expect(dictionary.count == 1)
    }

    @Test("An array gives back the very objects it was made of")
    func arrays() throws {
        let element = NSObject()
        var elements: [UnsafeRawPointer?] = unsafe [address(element), address(kSecClass)]
        let array = try #require(unsafe CFArrayCreate(nil, &elements, 2, nil))
        #expect(type(of: array) == NSArray.self)
        #expect(CFArrayGetCount(array) == 2)
        #expect(unsafe CFArrayGetValueAtIndex(array, 0) == address(element))
        #expect(unsafe CFArrayGetValueAtIndex(array, 1) == address(kSecClass))
    }

    private func address(_ object: AnyObject) -> UnsafeRawPointer {
        unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    }
}
