import Security
import TestSupport
import Testing

/// `SecItemUpdate` (rule items.update.untouched).
@Suite("Updating")
struct UpdatingTests {
    @Test("what is not named stays as it is", .rule("items.update.untouched"), arguments: StoredClass.allCases)
    func untouched(itemClass: StoredClass) throws {
        try withKeychain { _ in
            add(itemClass.item + [kSecAttrLabel: "old", kSecValueData: Data("value")])
            let before = try #require(attributes(itemClass.query))
            #expect(update(itemClass.query, [kSecAttrLabel: "new"]) == errSecSuccess)
            let after = try #require(attributes(itemClass.query))
            #expect(after["labl"] as? String == "new")
            #expect(value(itemClass.query) == Data("value"))
            for (code, value) in before where code != "labl" && code != "mdat" {
                #expect((after[code] as? NSObject) == (value as? NSObject), "\(code)")
            }
        }
    }

    @Test("a new value replaces the old one and nothing else", .rule("items.update.untouched"))
    func newValue() throws {
        try withKeychain { _ in
            add(genericPassword() + [kSecAttrLabel: "label", kSecValueData: Data("old")])
            #expect(update(genericPassword(), [kSecValueData: Data("new")]) == errSecSuccess)
            #expect(value(genericPassword()) == Data("new"))
            #expect(attributes(genericPassword())?["labl"] as? String == "label")
            #expect(count([kSecClass: kSecClassGenericPassword]) == 1)
        }
    }

    @Test("All items that match are changed, one or many", .rule("items.update.all"))
    func allMatches() throws {
        try withKeychain { _ in
            for account in ["a", "b", "c"] { add(genericPassword("mail", account)) }
            add(genericPassword("chat", "a"))
            let mail: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "mail"]
            #expect(update(mail, [kSecAttrComment: "changed"]) == errSecSuccess)
            #expect(count([kSecClass: kSecClassGenericPassword, kSecAttrComment: "changed"]) == 3)
        }
    }

    @Test("What matches nothing is errSecItemNotFound", .rule("items.update.nothing"))
    func nothing() throws {
        try withKeychain { _ in
            #expect(update(genericPassword(), [kSecAttrLabel: "l"]) == errSecItemNotFound)
            add(genericPassword())
            #expect(update(genericPassword("other"), [kSecAttrLabel: "l"]) == errSecItemNotFound)
        }
    }

    @Test("Modification dates only grow, creation dates stay", .rule("items.dates.keychain"))
    func dates() throws {
        try withKeychain { _ in
            add(genericPassword())
            var last = try #require(attributes(genericPassword()))
            let created = try #require(last["cdat"] as? Date)
            for round in 0..<5 {
                #expect(update(genericPassword(), [kSecAttrLabel: "\(round)"]) == errSecSuccess)
                let next = try #require(attributes(genericPassword()))
                let (before, after) = (try #require(last["mdat"] as? Date), try #require(next["mdat"] as? Date))
                #expect(after > before)
                #expect(next["cdat"] as? Date == created)
                last = next
            }
        }
    }

    @Test("An item can be given another name; it is then found under that one only", .rule("items.update.rename"))
    func rename() throws {
        try withKeychain { _ in
            add(genericPassword("a", "x") + [kSecValueData: Data("v")])
            #expect(update(genericPassword("a", "x"), [kSecAttrService: "b", kSecAttrAccount: "y"]) == errSecSuccess)
            #expect(count(genericPassword("a", "x")) == 0)
            #expect(value(genericPassword("b", "y")) == Data("v"))
        }
    }

    @Test("A change that would make two items one is refused as a whole", .rule("items.update.collision"))
    func collision() throws {
        try withKeychain { _ in
            for account in ["a", "b", "c"] { add(genericPassword("s", account)) }
            #expect(update(genericPassword("s", "a"), [kSecAttrAccount: "b"]) == errSecDuplicateItem)
            let all: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s"]
            #expect(update(all, [kSecAttrAccount: "z", kSecAttrLabel: "changed"]) == errSecDuplicateItem)
            for account in ["a", "b", "c"] { #expect(count(genericPassword("s", account)) == 1) }
            #expect(count(all + [kSecAttrLabel: "changed"]) == 0)
        }
    }

    @Test("A change to the values an item has already is a change")
    func sameValues() throws {
        try withKeychain { _ in
            add(genericPassword("a", "x"))
            #expect(update(genericPassword("a", "x"), [kSecAttrService: "a", kSecAttrAccount: "x"]) == errSecSuccess)
        }
    }

    @Test(
        "Keys that are not attributes of the class have no place in the changes", .rule("items.update.keys"),
        arguments: ["class", "r_Data", "m_Limit", "u_AuthUI", "v_PersistentRef", "v_Ref", "srvr", "xxxx"])
    func strayKeys(key: String) throws {
        try withKeychain { _ in
            add(genericPassword())
            #expect(update(genericPassword(), [key as CFString: "genp"]) == errSecNoSuchAttr)
        }
    }

    @Test("a constant's name among the changes is refused with an explanation", .rule("queries.keys.constant-name"))
    func constantName() throws {
        try withKeychain { _ in
            add(genericPassword())
            #expect(update(genericPassword(), ["kSecValueData": Data()]) == errSecParam)
            #expect(SecCopyLastItemError()?.rule == "query.constant-name-as-key")
        }
    }

    @Test("The new value must be data", .rule("items.value.data"))
    func valueOfAnotherType() throws {
        try withKeychain { _ in
            add(genericPassword() + [kSecValueData: Data("old")])
            for value: Any in ["text", NSNull(), 7, true] {
                #expect(update(genericPassword(), [kSecValueData: value]) == errSecParam)
            }
            #expect(value(genericPassword()) == Data("old"))
        }
    }

    @Test(
        "Match and return keys have no place in the query", .rule("items.update.query"),
        arguments: ["m_Limit", "m_CaseInsensitive", "r_Data", "r_Ref"])
    func searchKeys(key: String) throws {
        try withKeychain { _ in
            add(genericPassword())
            let value: Any = key == "m_Limit" ? kSecMatchLimitAll : true
            #expect(update(genericPassword() + [key as CFString: value], [kSecAttrLabel: "l"]) == errSecParam)
        }
    }

    @Test("The user partition among the changes is passed over in silence", .rule("items.update.user-partition"))
    func userPartition() throws {
        try withKeychain { _ in
            add(genericPassword())
            #expect(update(genericPassword(), ["musr": Data([1]), kSecAttrLabel: "l"]) == errSecSuccess)
            #expect(attributes(genericPassword())?["labl"] as? String == "l")
            #expect(attributes(genericPassword())?["musr"] as? Data == Data())
        }
    }

    @Test("The group of people an item is shared with cannot be changed", .rule("items.update.sharing-group"))
    func sharingGroup() throws {
        try withKeychain { _ in
            add(genericPassword())
            #expect(update(genericPassword(), ["ggrp": "people"]) == errSecParam)
        }
    }

    @Test("An item moves to another protection class, by name or by access control")
    func protection() throws {
        try withKeychain { _ in
            add(genericPassword() + [kSecValueData: Data("v")])
            #expect(
                update(genericPassword(), [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]) == errSecSuccess)
            #expect(attributes(genericPassword())?["pdmn"] as? String == "ck")
            let control = try #require(accessControl(kSecAttrAccessibleWhenUnlockedThisDeviceOnly))
            #expect(update(genericPassword(), [kSecAttrAccessControl: control]) == errSecSuccess)
            #expect(attributes(genericPassword())?["pdmn"] as? String == "aku")
            #expect(value(genericPassword()) == Data("v"))
            let both: Attributes = [kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecAttrAccessControl: control]
            #expect(update(genericPassword(), both) == errSecParam)
        }
    }
}
