import KeychainTesting
import Security
import Testing

/// `kSecUseUpdateExisting`: adding or changing in one step.
@Suite("Adding or changing")
struct UpdateExistingTests {
    private let upsert: Attributes = [kSecUseUpdateExisting: true]

    @Test("An item that is not there yet is added", arguments: StoredClass.allCases)
    func adds(itemClass: StoredClass) throws {
        try withKeychain { _ in
            add(itemClass.item + upsert + [kSecValueData: Data("value")])
            #expect(value(itemClass.query) == Data("value"))
            #expect(count(itemClass.query) == 1)
        }
    }

    @Test("One that is there gets what is named and keeps the rest", arguments: StoredClass.allCases)
    func changes(itemClass: StoredClass) throws {
        try withKeychain { _ in
            add(itemClass.item + [kSecAttrLabel: "old", kSecValueData: Data("old")])
            let before = try #require(attributes(itemClass.query))
            add(itemClass.item + upsert + [kSecValueData: Data("new")])
            let after = try #require(attributes(itemClass.query))
            #expect(value(itemClass.query) == Data("new"))
            #expect(count(itemClass.query) == 1)
            for (code, value) in before where code != "mdat" && itemClass.item[code as NSString] == nil {
                #expect((after[code] as? NSObject) == (value as? NSObject), "\(code)")
            }
        }
    }

    @Test("Its persistent reference stays, and comes back as from an add")
    func keepsReference() throws {
        try withKeychain { _ in
            let item = genericPassword() + upsert + [kSecReturnPersistentRef: true]
            let first = addReturning(item + [kSecValueData: Data("1")])
            let second = addReturning(item + [kSecValueData: Data("2")])
            #expect(first.status == errSecSuccess && second.status == errSecSuccess)
            #expect(first.data != nil && first.data == second.data)
        }
    }

    @Test("Without it a second add is errSecDuplicateItem, and with false it is")
    func withoutIt() throws {
        try withKeychain { _ in
            add(genericPassword())
            #expect(add(genericPassword()) == errSecDuplicateItem)
            #expect(add(genericPassword() + [kSecUseUpdateExisting: false]) == errSecDuplicateItem)
        }
    }

    @Test("Another group's item is another item")
    func otherGroup() throws {
        try withKeychain(accessGroups: ["A", "B"]) { _ in
            add(genericPassword() + [kSecAttrAccessGroup: "B", kSecValueData: Data("B")])
            #expect(add(genericPassword() + upsert + [kSecValueData: Data("A")]) == errSecSuccess)
            #expect(count(genericPassword()) == 2)
            #expect(value(genericPassword() + [kSecAttrAccessGroup: "B"]) == Data("B"))
        }
    }

    @Test("A locked item is not changed, and stays")
    func locked() throws {
        try withKeychain { keychain in
            add(genericPassword() + [kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: Data("old")])
            try keychain.device.setPasscode("1")
            try keychain.device.lock()
            let item = genericPassword() + upsert + [kSecValueData: Data("new")]
            #expect(add(item) == errSecInteractionNotAllowed)
            try keychain.device.unlock(passcode: "1")
            #expect(value(genericPassword()) == Data("old"))
        }
    }

    @Test("In a search, an update and a deletion it has no place")
    func misplaced() throws {
        try withKeychain { _ in
            add(genericPassword())
            let query = genericPassword() + upsert
            #expect(find(query).status == errSecParam)
            #expect(update(query, [kSecAttrLabel: "l"]) == errSecParam)
            #expect(delete(query) == errSecParam)
            #expect(SecCopyLastItemError()?.subject == "u_UpdateExisting")
            #expect(count(genericPassword()) == 1)
        }
    }
}
