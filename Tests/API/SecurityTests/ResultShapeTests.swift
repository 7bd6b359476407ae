import Security
import TestSupport
import Testing

/// The results of the return keys (rule results.shape.object).
@Suite("Result shapes")
struct ResultShapeTests {
    enum Object: Sendable {
        case nothing
        case value
        case reference
        /// Whether the dictionary has exactly these of the keys that depend on the return keys.
        case dictionary(Set<String>)
    }

    struct Row: Sendable {
        let returns: [String]
        let object: Object

        var flags: Attributes { Dictionary(uniqueKeysWithValues: returns.map { ($0 as CFString, true) }) }
    }

    /// Every combination of the four return keys, for passwords; "acct" stands for the attributes.
    static let matrix: [Row] = [
        Row(returns: [], object: .nothing),
        Row(returns: ["r_Data"], object: .value),
        Row(returns: ["r_PersistentRef"], object: .reference),
        Row(returns: ["r_Ref"], object: .nothing),
        Row(returns: ["r_Attributes"], object: .dictionary(["acct"])),
        Row(returns: ["r_Attributes", "r_Data"], object: .dictionary(["acct", "v_Data"])),
        Row(returns: ["r_Attributes", "r_PersistentRef"], object: .dictionary(["acct", "v_PersistentRef"])),
        Row(
            returns: ["r_Attributes", "r_Data", "r_PersistentRef"],
            object: .dictionary(["acct", "v_Data", "v_PersistentRef"])),
        Row(returns: ["r_Data", "r_PersistentRef"], object: .dictionary(["v_Data", "v_PersistentRef"])),
        Row(returns: ["r_Ref", "r_Data"], object: .dictionary(["acct", "v_Data", "class"])),
        Row(returns: ["r_Ref", "r_Attributes"], object: .dictionary(["acct", "class"])),
        Row(returns: ["r_Ref", "r_PersistentRef"], object: .dictionary(["acct", "v_PersistentRef", "class"])),
        Row(returns: ["r_Ref", "r_Attributes", "r_Data"], object: .dictionary(["acct", "v_Data", "class"])),
        Row(
            returns: ["r_Ref", "r_Attributes", "r_PersistentRef"],
            object: .dictionary(["acct", "v_PersistentRef", "class"])),
        Row(
            returns: ["r_Ref", "r_Data", "r_PersistentRef"],
            object: .dictionary(["acct", "v_Data", "v_PersistentRef", "class"])),
        Row(
            returns: ["r_Ref", "r_Attributes", "r_Data", "r_PersistentRef"],
            object: .dictionary(["acct", "v_Data", "v_PersistentRef", "class"])),
    ]

    private let item = genericPassword() + [kSecValueData: Data("value")]

    private func check(_ object: CFTypeRef?, is expected: Object) {
        switch expected {
        case .nothing: #expect(object == nil)
        case .value: #expect(object as? Data == Data("value"))
        case .reference: #expect((object as? Data)?.count == 20)
        case .dictionary(let keys):
            let found = Set((object as? [String: Any] ?? [:]).keys)
            #expect(found.intersection(["acct", "v_Data", "v_PersistentRef", "class"]) == keys)
            #expect(found.isDisjoint(with: ["sha1", "UUID", "persistref", "v_Ref"]))
            #expect(object.map { type(of: $0) == NSDictionary.self } == true)
        }
    }

    @Test("a query for one item gives the object itself", .rule("results.shape.limit"), arguments: matrix)
    func single(row: Row) throws {
        try withKeychain { _ in
            add(item)
            for limit: Attributes in [[:], [kSecMatchLimit: kSecMatchLimitOne], [kSecMatchLimit: 1]] {
                let found = find(genericPassword() + row.flags + limit)
                #expect(found.status == errSecSuccess)
                check(found.object, is: row.object)
            }
        }
    }

    @Test("every other limit gives an array, even of one", .rule("results.shape.limit"), arguments: matrix)
    func several(row: Row) throws {
        try withKeychain { _ in
            add(item)
            for limit: Any in [kSecMatchLimitAll, 2, 1000] {
                let found = find(genericPassword() + row.flags + [kSecMatchLimit: limit])
                #expect(found.status == errSecSuccess)
                guard !row.returns.isEmpty else { return check(found.object, is: .nothing) }
                let array = try #require(found.object as? NSArray)
                if case .nothing = row.object { return #expect(array.count == 0) }
                #expect(array.count == 1)
                check(array.firstObject as CFTypeRef?, is: row.object)
            }
        }
    }

    @Test("an add gives the same objects for the same return keys", .rule("results.shape.add"), arguments: matrix)
    func added(row: Row) throws {
        try withKeychain { _ in
            let found = addReturning(item + row.flags)
            #expect(found.status == errSecSuccess)
            check(found.object, is: row.object)
        }
    }

    @Test(
        "reference and data of a password give its account, service and value in one dictionary",
        .rule("results.reference.password"))
    func wholeItem() throws {
        try withKeychain { _ in
            add(item)
            let found = find(genericPassword() + [kSecReturnRef: true, kSecReturnData: true]).attributes
            #expect(found?[kSecAttrAccount as String] as? String == "account")
            #expect(found?[kSecAttrService as String] as? String == "service")
            #expect(found?[kSecValueData as String] as? Data == Data("value"))
        }
    }

    @Test("A return key that is false counts as absent", .rule("results.shape.false"), arguments: matrix)
    func falseKeys(row: Row) throws {
        try withKeychain { _ in
            add(item)
            let others = ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"].filter { !row.returns.contains($0) }
            let off = Dictionary(uniqueKeysWithValues: others.map { ($0 as CFString, false as Any) })
            check(find(genericPassword() + row.flags + off).object, is: row.object)
        }
    }

    @Test(
        "A limit gives at most that many items", .rule("queries.limit.number"),
        arguments: [(2, 2), (4, 4), (5, 5), (6, 5), (100_000, 5)])
    func limits(limit: Int, expected: Int) throws {
        try withKeychain { _ in
            for index in 0..<5 { add(genericPassword("s", "\(index)") + [kSecValueData: Data()]) }
            let query: Attributes = [kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: limit]
            #expect(find(query).count == expected)
        }
    }

    @Test(
        "A limit that is none is refused", .rule("queries.limit.number"),
        arguments: ["", "m_LimitTwo", "1", "kSecMatchLimitAll"])
    func wrongLimits(text: String) throws {
        try withKeychain { _ in
            add(item)
            for limit: Any in [text, 0, -1, true, NSNull(), Data()] {
                #expect(find(genericPassword() + [kSecReturnData: true, kSecMatchLimit: limit]).status == errSecParam)
            }
        }
    }

    @Test(
        "A return key takes a boolean only", .rule("results.shape.false"),
        arguments: ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"])
    func returnKeysAreBooleans(key: String) throws {
        try withKeychain { _ in
            add(item)
            for value: Any in [1, 0, "true", NSNull(), Data([1])] {
                #expect(find(genericPassword() + [key as CFString: value]).status == errSecParam)
            }
        }
    }

    @Test("Something to return needs a place for it", .rule("results.shape.place"))
    func missingPointer() throws {
        try withKeychain { _ in
            #expect(add(item + [kSecReturnData: true]) == errSecParam)
            #expect(count(genericPassword()) == 0)
            add(item)
            let query = genericPassword() + [kSecReturnAttributes: true]
            #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecParam)
            #expect(SecItemCopyMatching(genericPassword() as CFDictionary, nil) == errSecSuccess)
        }
    }

    @Test("An item without a value gives empty data when added, and none when found", .rule("results.shape.no-value"))
    func withoutValue() throws {
        try withKeychain { _ in
            #expect(addReturning(genericPassword() + [kSecReturnData: true]).data == Data())
            let query = genericPassword() + [kSecReturnData: true]
            let found = find(query)
            #expect(found.status == errSecSuccess)
            #expect(found.object == nil)
            #expect(find(query + [kSecMatchLimit: kSecMatchLimitAll]).count == 0)
            let attributes = find(query + [kSecReturnAttributes: true]).attributes
            #expect(attributes?["acct"] as? String == "account")
            #expect(attributes?["v_Data"] == nil)
        }
    }

    @Test("An empty value is a value", .rule("items.value.optional"))
    func emptyValue() throws {
        try withKeychain { _ in
            add(genericPassword() + [kSecValueData: Data()])
            #expect(value(genericPassword()) == Data())
        }
    }
}
