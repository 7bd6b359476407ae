import Security
import TestSupport
import Testing

/// `SecItemAdd` (rule items.add.rules).
@Suite("Adding")
struct AddingTests {
    @Test(
        "every class takes an item with attributes and a value, and gives both back",
        .rule("items.class.five", "items.class.attributes"),
        arguments: StoredClass.allCases)
    func everyClass(itemClass: StoredClass) throws {
        try withKeychain { _ in
            #expect(add(itemClass.item + [kSecAttrLabel: "label", kSecValueData: Data("value")]) == errSecSuccess)
            #expect(value(itemClass.query) == Data("value"))
            #expect(attributes(itemClass.query)?["labl"] as? String == "label")
        }
    }

    @Test(
        "class, protection, value, account and service make an item; the result pointer may be nil",
        .rule("items.add.result"))
    func withoutResult() throws {
        try withKeychain { _ in
            let item =
                genericPassword() + [
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: Data("secret"),
                ]
            #expect(add(item) == errSecSuccess)
            #expect(SecCopyLastItemError() == nil)
            #expect(value(genericPassword()) == Data("secret"))
        }
    }

    @Test(
        "An item needs neither value nor attributes, only a class", .rule("items.value.optional"),
        arguments: StoredClass.allCases)
    func classAlone(itemClass: StoredClass) throws {
        try withKeychain { _ in
            #expect(add(itemClass.query) == errSecSuccess)
            #expect(count(itemClass.query) == 1)
            #expect(add(itemClass.query) == errSecDuplicateItem)
        }
    }

    @Test(
        "an item that names no protection class is readable while the device is unlocked, a certificate always",
        .rule("protection.class.default"),
        arguments: [(.genp, "ak"), (.inet, "ak"), (.keys, "ak"), (.cert, "dk")]
            as [(StoredClass, String)])
    func defaultProtection(itemClass: StoredClass, code: String) throws {
        try withKeychain { _ in
            add(itemClass.item)
            #expect(attributes(itemClass.query)?["pdmn"] as? String == code)
        }
    }

    @Test("The keychain sets the dates; what a program says of them is not taken over", .rule("items.dates.keychain"))
    func dates() throws {
        try withKeychain { _ in
            let before = Date()
            let old = Date(timeIntervalSinceReferenceDate: 0)
            add(genericPassword() + [kSecAttrCreationDate: old, kSecAttrModificationDate: old])
            let found = attributes(genericPassword())
            let created = try #require(found?["cdat"] as? Date)
            #expect(created >= before.addingTimeInterval(-1) && created <= Date().addingTimeInterval(1))
            #expect(found?["mdat"] as? Date == created)
        }
    }

    @Test("Attributes that are not given are missing from the result or have their default")
    func defaults() throws {
        try withKeychain { _ in
            add([kSecClass: kSecClassGenericPassword])
            let found = try #require(attributes([kSecClass: kSecClassGenericPassword]))
            #expect(found["acct"] as? String == "")
            #expect(found["svce"] as? String == "")
            #expect(found["sync"] as? Int == 0)
            for absent in ["labl", "desc", "icmt", "gena", "crtr", "type", "invi"] { #expect(found[absent] == nil) }
        }
    }

    @Test(
        "What has no place in an add is refused with errSecParam, and nothing is stored",
        .rule("items.add.rules", "items.add.nothing-stored"),
        arguments: [
            "m_Limit", "m_CaseInsensitive", "m_Whatever", "m_SearchList", "u_ItemList", "v_PersistentRef", "q_Data",
            "u_Whatever", "v_Whatever", "r_Whatever", "kSecClass", "acc", "account",
        ])
    func misplacedKeys(key: String) throws {
        try withKeychain { _ in
            let value: Any = key == "m_Limit" ? kSecMatchLimitOne : Data(count: 20)
            #expect(add(genericPassword() + [key as CFString: value]) == errSecParam)
            #expect(count([kSecClass: kSecClassGenericPassword]) == 0)
        }
    }

    @Test(
        "a protection class and an access control together are refused, also when they agree",
        .rule("access-control.item.both"))
    func protectionTwice() throws {
        try withKeychain { _ in
            let control = try #require(accessControl(kSecAttrAccessibleWhenUnlocked))
            let item =
                genericPassword() + [
                    kSecAttrAccessControl: control, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked,
                ]
            #expect(add(item) == errSecParam)
            #expect(SecCopyLastItemError()?.rule == "query.contradiction")
            #expect(add(item - kSecAttrAccessible) == errSecSuccess)
        }
    }

    @Test(
        "A protection class that is none, and an access control that is none, are refused",
        .rule("protection.class.invalid", "access-control.item.wrong-type"),
        arguments: ["", "AK", "f", "akp", "kSecAttrAccessibleWhenUnlocked"])
    func unknownProtection(code: String) throws {
        try withKeychain { _ in
            #expect(add(genericPassword() + [kSecAttrAccessible: code]) == errSecParam)
            #expect(add(genericPassword() + [kSecAttrAccessControl: code]) == errSecParam)
            #expect(add(genericPassword() + [kSecAttrAccessControl: Data(code)]) == errSecParam)
            #expect(count([kSecClass: kSecClassGenericPassword]) == 0)
        }
    }

    @Test("A value that is not data is refused", .rule("items.value.data"))
    func valueOfAnotherType() throws {
        try withKeychain { _ in
            for value: Any in ["text", 5, true, NSNull(), Date(), ["a"]] {
                #expect(add(genericPassword() + [kSecValueData: value]) == errSecParam)
            }
        }
    }

    @Test("An identity is added as its certificate and its key, not as attributes", .rule("items.identity.add"))
    func identity() throws {
        try withKeychain { _ in
            #expect(add([kSecClass: kSecClassIdentity, kSecAttrLabel: "identity"]) == errSecParam)
        }
    }

    @Test(
        "Skipping items that need the user is for searching; elsewhere it is refused",
        .rule("authentication.query.skip"))
    func skip() throws {
        try withKeychain { _ in
            let skip: Attributes = [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]
            #expect(add(genericPassword() + skip) == errSecParam)
            add(genericPassword())
            #expect(update(genericPassword() + skip, [kSecAttrLabel: "l"]) == errSecParam)
            #expect(delete(genericPassword() + skip) == errSecParam)
            #expect(find(genericPassword() + skip).status == errSecSuccess)
        }
    }
}
