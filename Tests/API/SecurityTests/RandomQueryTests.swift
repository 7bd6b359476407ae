import KeychainTesting
import Security
import TestSupport
import Testing

/// Random dictionaries.
@Suite("Random queries")
struct RandomQueryTests {
    /// All permitted results of the four functions for a dictionary while nothing is locked.
    private static let known: Set<OSStatus> = [
        errSecSuccess, errSecParam, errSecUnimplemented, errSecDuplicateItem, errSecItemNotFound, errSecNoSuchAttr,
        errSecNoSuchClass, errSecMissingEntitlement, errSecAuthFailed, errSecInteractionNotAllowed,
        errSecInvalidKeychain, errSecNoSuchKeychain,
    ]

    @Test(
        "Thousands of random dictionaries are each answered, and the keychain works as before",
        arguments: [UInt64(1), 2])
    func random(seed: UInt64) throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            keychain.device.enrol(finger: "thumb")
            var dictionaries = RandomDictionaries(seed: seed)
            var statuses: Set<OSStatus> = []
            for _ in 0..<full(5000, gate: 500) { statuses.insert(call(&dictionaries)) }
            #expect(statuses.subtracting(Self.known) == [])
            #expect(
                statuses.isSuperset(of: [
                    errSecSuccess, errSecParam, errSecNoSuchAttr, errSecItemNotFound, errSecDuplicateItem,
                ]))
            #expect(add(genericPassword("afterwards") + [kSecValueData: Data("v")]) == errSecSuccess)
            #expect(value(genericPassword("afterwards")) == Data("v"))
            let damaged = try keychain.device.damagedItems()
            #expect(damaged == 0)
        }
    }

    private func call(_ dictionaries: inout RandomDictionaries) -> OSStatus {
        let dictionary = dictionaries.next()
        switch dictionaries.number(below: 6) {
        case 0, 1: return addReturning(dictionary).status
        case 2, 3: return find(dictionary).status
        case 4: return update(dictionary, dictionaries.next())
        default: return delete(dictionary)
        }
    }

    @Test("Keys that are not strings are refused")
    func keysOfOtherTypes() throws {
        try withKeychain { _ in
            let keys: [any NSObject & NSCopying] = [
                NSNumber(value: 5), NSData(), NSDate(), NSUUID(), NSNull(), NSArray(),
            ]
            for key in keys {
                let query = NSMutableDictionary(dictionary: genericPassword())
                query.setObject("x" as NSString, forKey: key)
                #expect(find(query).status == errSecParam)
                #expect(SecItemDelete(query) == errSecParam)
            }
        }
    }

    @Test("A dictionary of a program's own making is read as any other")
    func ownDictionaryClass() throws {
        try withKeychain { _ in
            add(genericPassword() + [kSecValueData: Data("v")])
            let query = UnusualDictionary(genericPassword() + [kSecReturnData: true])
            #expect(find(query).data == Data("v"))
            #expect(
                SecItemUpdate(query - kSecReturnData, UnusualDictionary([kSecValueData: Data("w")])) == errSecSuccess)
            #expect(SecItemDelete(query) == errSecSuccess)
        }
    }
}

/// A subclass that stores its entries in its own way.
private final class UnusualDictionary: NSDictionary {
    private let entries: NSDictionary

    init(_ entries: Attributes) {
        self.entries = entries as NSDictionary
        unsafe super.init(objects: nil, forKeys: nil, count: 0)
    }

    required init?(coder: NSCoder) { nil }
    required init(objects: UnsafePointer<AnyObject>!, forKeys keys: UnsafePointer<NSObject>!, count: Int) {
        entries = unsafe NSDictionary(objects: objects, forKeys: keys, count: count)
        unsafe super.init(objects: nil, forKeys: nil, count: 0)
    }

    override var count: Int { entries.count }
    override func object(forKey key: Any) -> Any? { entries.object(forKey: key) }
    override func keyEnumerator() -> NSEnumerator { entries.keyEnumerator() }

    static func - (left: UnusualDictionary, key: CFString) -> NSDictionary {
        (left.entries as? Attributes ?? [:]) - key as NSDictionary
    }
}
