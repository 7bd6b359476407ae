import KeychainTesting
import Security
import TestSupport
import Testing

/// Values and results as programs cast them, and results as queries (rule items.attributes.round-trip).
@Suite("Round trips")
struct RoundTripTests {
    @Test("Any bytes come back as they were", arguments: [0, 1, 15, 16, 17, 255, 256, 4096, 65_537, 300_000, 1 << 20])
    func sizes(size: Int) throws {
        try withKeychain { _ in
            var generator = SplitMix64(seed: UInt64(size))
            let bytes = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) })
            #expect(add(genericPassword() + [kSecValueData: bytes]) == errSecSuccess)
            #expect(value(genericPassword()) == bytes)
            #expect(update(genericPassword(), [kSecValueData: Data(bytes.reversed())]) == errSecSuccess)
            #expect(value(genericPassword()) == Data(bytes.reversed()))
        }
    }

    @Test("Each byte value comes back", arguments: [UInt8.min, 0x0A, 0x20, 0x7F, 0x80, 0xC3, UInt8.max])
    func byteValues(byte: UInt8) throws {
        try withKeychain { _ in
            add(genericPassword() + [kSecValueData: Data([byte])])
            #expect(value(genericPassword()) == Data([byte]))
        }
    }

    @Test("a value of more than 1 MiB is refused, never cut off", .rule("items.value.size"))
    func tooLarge() throws {
        try withKeychain { _ in
            let item = genericPassword() + [kSecValueData: Data(count: (1 << 20) + 1)]
            #expect(add(item) == errSecParam)
            #expect(SecCopyLastItemError()?.rule == "query.too-large")
            #expect(count(genericPassword()) == 0)
            add(genericPassword() + [kSecValueData: Data("small")])
            #expect(update(genericPassword(), [kSecValueData: Data(count: (1 << 20) + 1)]) == errSecParam)
            #expect(value(genericPassword()) == Data("small"))
        }
    }

    @Test("An attribute takes 64 KiB and no more", .rule("items.attributes.size"))
    func largeAttributes() throws {
        try withKeychain { _ in
            let (largest, tooLarge) = (String(repeating: "x", count: 65_536), String(repeating: "x", count: 65_537))
            #expect(add(genericPassword() + [kSecAttrComment: largest]) == errSecSuccess)
            #expect(attributes(genericPassword())?["icmt"] as? String == largest)
            #expect(count(genericPassword() + [kSecAttrComment: largest]) == 1)
            #expect(add(genericPassword("other") + [kSecAttrComment: tooLarge]) == errSecParam)
            #expect(find(genericPassword() + [kSecAttrComment: tooLarge]).status == errSecParam)
        }
    }

    @Test("A dictionary has at most 128 keys", .rule("queries.keys.count"))
    func keys() throws {
        try withKeychain { _ in
            add(genericPassword())
            func query(_ keys: Int) -> Attributes {
                genericPassword()
                    + Dictionary(uniqueKeysWithValues: (0..<keys - 3).map { ("m_Key\($0)" as CFString, true as Any) })
            }
            #expect(find(query(128)).status == errSecSuccess)
            #expect(find(query(129)).status == errSecParam)
        }
    }

    @Test("Many large items are all listed")
    func manyLarge() throws {
        try withKeychain { _ in
            for index in 0..<8 {
                add(genericPassword("\(index)") + [kSecValueData: Data(repeating: UInt8(index), count: 1 << 20)])
            }
            let all: Attributes = [kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll]
            let values = find(all + [kSecReturnData: true]).object as? [Data] ?? []
            #expect(Set(values.map(\.count)) == [1 << 20])
            #expect(Set(values.compactMap(\.first)) == Set(0..<8))
            #expect(find(all + [kSecReturnData: true, kSecMatchLimit: 3]).count == 3)
        }
    }

    @Test(
        "The attributes of an item are a query that finds it", .rule("items.attributes.round-trip"),
        arguments: StoredClass.allCases)
    func resultAsQuery(itemClass: StoredClass) throws {
        try withKeychain { _ in
            add(itemClass.item + [kSecAttrLabel: "this", kSecValueData: Data("v")])
            let result = try #require(find(itemClass.query + [kSecReturnAttributes: true]).object as? NSDictionary)
            let other: Attributes =
                itemClass == .cert ? certificate(9) : itemClass.item + [kSecAttrLabel: "other", "vwht": "x"]
            #expect(add(other) == errSecSuccess)
            let query = try #require(result.mutableCopy() as? NSMutableDictionary)
            query[kSecClass] = itemClass.rawValue
            query[kSecReturnData] = true
            #expect(find(query as CFDictionary).data == Data("v"))
            query[kSecMatchLimit] = kSecMatchLimitAll
            #expect(find(query as CFDictionary).count == 1)
            for key in [kSecMatchLimit, kSecReturnData] { query.removeObject(forKey: key) }
            #expect(SecItemUpdate(query, [kSecValueData: Data("w")] as CFDictionary) == errSecSuccess)
        }
    }

    @Test(
        "A result that came with a reference names its class and is a query as it is",
        .rule("results.attributes.dictionary"))
    func resultWithClass() throws {
        try withKeychain { _ in
            add(genericPassword() + [kSecValueData: Data("v")])
            let result = try #require(
                find(genericPassword() + [kSecReturnRef: true, kSecReturnAttributes: true]).object as? NSDictionary)
            #expect(find(result).status == errSecSuccess)
            #expect(SecItemDelete(result) == errSecSuccess)
            #expect(count(genericPassword()) == 0)
        }
    }

    @Test("Data can be cast to Data and NSData, and outlives the keychain", .rule("results.shape.cast"))
    func dataCasts() throws {
        var kept: CFTypeRef?
        try withKeychain { _ in
            add(genericPassword() + [kSecValueData: Data("value")])
            let object = find(genericPassword() + [kSecReturnData: true]).object
            #expect(object as? Data == Data("value"))
            #expect(object as? NSData == NSData(data: Data("value")))
            #expect((object as? NSData)?.copy() as? Data == Data("value"))
            #expect((object as? NSData)?.hash == NSData(data: Data("value")).hash)
            kept = object
        }
        #expect(kept as? Data == Data("value"))
    }

    @Test("Dictionaries can be cast every way programs cast them", .rule("results.shape.cast"))
    func dictionaryCasts() throws {
        try withKeychain { _ in
            add(genericPassword() + [kSecValueData: Data("value")])
            let query = genericPassword() + [kSecReturnAttributes: true, kSecReturnData: true]
            let object = find(query).object
            #expect((object as? [String: Any])?["v_Data"] as? Data == Data("value"))
            #expect((object as? [CFString: Any])?[kSecValueData] as? Data == Data("value"))
            #expect((object as? [AnyHashable: Any])?["acct"] as? String == "account")
            #expect((object as? NSDictionary)?[kSecAttrAccount] as? String == "account")
            #expect((object as? NSDictionary)?.object(forKey: "acct") as? NSString == "account")
            let list = find(query + [kSecMatchLimit: kSecMatchLimitAll]).object
            #expect((list as? [[String: Any]])?.first?["acct"] as? String == "account")
            #expect((list as? NSArray)?.count == 1)
            #expect((list as? [NSDictionary])?.first?["svce"] as? String == "service")
        }
    }

    @Test(
        "An access control comes back as it was given; an item without one says its class and no more",
        .rule("results.attributes.access-control"))
    func accessControls() throws {
        try withKeychain { _ in
            add(genericPassword("plain"))
            let given = try #require(accessControl(kSecAttrAccessibleAfterFirstUnlock))
            #expect(add(genericPassword("given") + [kSecAttrAccessControl: given]) == errSecSuccess)
            func description(_ service: String) -> String? {
                (attributes(genericPassword(service))?["accc"] as? SecAccessControl)?.description
            }
            #expect(description("plain") == "<SecAccessControlRef: ak>")
            #expect(description("given") == "<SecAccessControlRef: ck;dacl(true)>")
            #expect(attributes(genericPassword("given"))?["pdmn"] as? String == "ck")
            #expect(update(genericPassword("given"), [kSecAttrLabel: "l"]) == errSecSuccess)
            #expect(description("given") == "<SecAccessControlRef: ck;dacl(true)>")
            #expect(
                update(genericPassword("given"), [kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]) == errSecSuccess)
            #expect(description("given") == "<SecAccessControlRef: ak>")
            #expect(update(genericPassword("plain"), [kSecAttrAccessControl: given]) == errSecSuccess)
            #expect(description("plain") == "<SecAccessControlRef: ck;dacl(true)>")
        }
    }

    @Test("What was added is there after a restart of the device, value and attributes")
    func restart() throws {
        try withKeychain { keychain in
            add(genericPassword() + [kSecAttrLabel: "label", kSecValueData: Data("value")])
            let before = attributes(genericPassword())
            try keychain.device.restart()
            #expect(value(genericPassword()) == Data("value"))
            #expect(attributes(genericPassword())?["mdat"] as? Date == before?["mdat"] as? Date)
            #expect(try keychain.device.damagedItems() == 0)
        }
    }
}
