import Security
import TestSupport
import Testing

/// `SecItemDelete` (rule items.delete.all).
@Suite("Deleting")
struct DeletingTests {
    @Test("An item is deleted by its attributes, and is gone", arguments: StoredClass.allCases)
    func one(itemClass: StoredClass) throws {
        try withKeychain { _ in
            add(itemClass.item)
            #expect(delete(itemClass.item) == errSecSuccess)
            #expect(count(itemClass.query) == 0)
            #expect(delete(itemClass.item) == errSecItemNotFound)
            #expect(add(itemClass.item) == errSecSuccess)
        }
    }

    @Test("a query that says little deletes everything it fits, such as all of one service", .rule("items.delete.all"))
    func underSpecified() throws {
        try withKeychain { _ in
            for account in ["a", "b", "c"] { add(genericPassword("mail", account)) }
            add(genericPassword("chat", "a"))
            #expect(delete([kSecClass: kSecClassGenericPassword, kSecAttrService: "mail"]) == errSecSuccess)
            #expect(count([kSecClass: kSecClassGenericPassword]) == 1)
            #expect(count(genericPassword("chat", "a")) == 1)
        }
    }

    @Test(
        "A class alone deletes everything of that class and nothing of others", .rule("items.delete.class"),
        arguments: StoredClass.allCases)
    func wholeClass(itemClass: StoredClass) throws {
        try withKeychain { _ in
            for each in StoredClass.allCases { add(each.item) }
            #expect(delete(itemClass.query) == errSecSuccess)
            for each in StoredClass.allCases { #expect(count(each.query) == (each == itemClass ? 0 : 1)) }
        }
    }

    @Test("Without a class nothing is deleted", .rule("items.delete.nothing"))
    func withoutClass() throws {
        try withKeychain { _ in
            add(genericPassword())
            #expect(delete([:]) == errSecParam)
            #expect(delete([kSecAttrService: "service"]) == errSecParam)
            #expect(count(genericPassword()) == 1)
        }
    }

    @Test("Match keys are refused", arguments: ["m_ItemList", "m_Any"])
    func matchKeys(key: String) throws {
        try withKeychain { _ in
            add(genericPassword())
            #expect(delete(genericPassword() + [key as CFString: kSecMatchLimitAll]) == errSecParam)
            #expect(count(genericPassword()) == 1)
        }
    }

    @Test(
        "That all are meant may be said, as on macOS; a limit is refused: nobody shall believe that it limits",
        .rule("items.delete.limit"))
    func limits() throws {
        try withKeychain { _ in
            for number in 0..<3 { add(genericPassword() + [kSecAttrAccount: "\(number)"]) }
            let all: [CFString: Any] = [kSecClass: kSecClassGenericPassword]
            #expect(delete(all + [kSecMatchLimit: kSecMatchLimitOne]) == errSecParam)
            #expect(delete(all + [kSecMatchLimit: 3]) == errSecParam)
            #expect(count(all) == 3)
            #expect(delete(all + [kSecMatchLimit: kSecMatchLimitAll]) == errSecSuccess)
            #expect(count(all) == 0)
        }
    }

    @Test("Return keys are passed over", arguments: ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"])
    func returnKeys(key: String) throws {
        try withKeychain { _ in
            add(genericPassword())
            #expect(delete(genericPassword() + [key as CFString: true]) == errSecSuccess)
        }
    }

    @Test("An attribute the class has not deletes nothing")
    func strayAttribute() throws {
        try withKeychain { _ in
            add(genericPassword())
            #expect(delete(genericPassword() + [kSecAttrServer: "s"]) == errSecNoSuchAttr)
            #expect(count(genericPassword()) == 1)
        }
    }
}
