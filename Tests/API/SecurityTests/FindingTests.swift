import Security
import TestSupport
import Testing

/// The items that a query finds (rule queries.match.narrow).
@Suite("Finding")
struct FindingTests {
    @Test("data of one item is found by its attributes; one is the default limit", .rule("queries.limit.default"))
    func one() throws {
        try withKeychain { _ in
            add(genericPassword("mail", "a") + [kSecValueData: Data("1")])
            add(genericPassword("mail", "b") + [kSecValueData: Data("2")])
            let query = genericPassword("mail", "b") + [kSecReturnData: true]
            #expect(find(query).data == Data("2"))
            #expect(find(query + [kSecMatchLimit: kSecMatchLimitOne]).data == Data("2"))
            let any: Attributes = [kSecClass: kSecClassGenericPassword, kSecReturnData: true]
            #expect([Data("1"), Data("2")].contains(find(any).data))
        }
    }

    @Test("all items of a service are found as an array", .rule("results.shape.limit"))
    func all() throws {
        try withKeychain { _ in
            for account in ["a", "b", "c"] { add(genericPassword("mail", account) + [kSecValueData: Data(account)]) }
            add(genericPassword("chat", "a") + [kSecValueData: Data("x")])
            let query: Attributes = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "mail", kSecMatchLimit: kSecMatchLimitAll,
                kSecReturnData: true,
            ]
            #expect(Set(find(query).object as? [Data] ?? []) == [Data("a"), Data("b"), Data("c")])
        }
    }

    @Test(
        "What is not there is errSecItemNotFound, with nothing in the result", .rule("queries.match.not-found"),
        arguments: StoredClass.allCases)
    func nothing(itemClass: StoredClass) throws {
        try withKeychain { _ in
            let found = find(itemClass.query + [kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll])
            #expect(found.status == errSecItemNotFound)
            #expect(found.object == nil)
            add(itemClass.item)
            #expect(find(itemClass.query + [kSecAttrLabel: "another"]).status == errSecItemNotFound)
        }
    }

    @Test(
        "Every attribute in a query narrows it; comparison is by bytes, without folding case or composing characters",
        .rule("queries.match.narrow", "queries.match.bytes"),
        arguments: [("Straße", "strasse"), ("é", "e\u{301}"), ("a", "A"), ("a", "a "), ("a", "")])
    func exactComparison(stored: String, other: String) throws {
        try withKeychain { _ in
            add(genericPassword(stored))
            #expect(count(genericPassword(stored)) == 1)
            #expect(count(genericPassword(other)) == 0)
            #expect(add(genericPassword(other)) == errSecSuccess)
        }
    }

    @Test(
        "An empty string finds primary-key attributes that were never given, but not other missing ones",
        .rule("queries.match.empty"))
    func emptyStrings() throws {
        try withKeychain { _ in
            add([kSecClass: kSecClassGenericPassword, kSecAttrService: "s"])
            let query: Attributes = [kSecClass: kSecClassGenericPassword]
            #expect(count(query + [kSecAttrAccount: ""]) == 1)
            #expect(count(query + [kSecAttrLabel: ""]) == 0)
            #expect(count(query + [kSecAttrGeneric: Data()]) == 0)
            add(query + [kSecAttrService: "t", kSecAttrLabel: ""])
            #expect(count(query + [kSecAttrLabel: ""]) == 1)
        }
    }

    @Test(
        "Each searchable attribute of a password is found by its value",
        arguments: ["labl", "desc", "icmt", "acct", "sdmn", "srvr", "path", "atyp", "alis"])
    func textAttributes(code: String) throws {
        try withKeychain { _ in
            add([kSecClass: kSecClassInternetPassword, code as CFString: "this"])
            #expect(count([kSecClass: kSecClassInternetPassword, code as CFString: "this"]) == 1)
            #expect(count([kSecClass: kSecClassInternetPassword, code as CFString: "that"]) == 0)
        }
    }

    @Test("Dates and numbers are searched for as they are")
    func numbersAndDates() throws {
        try withKeychain { _ in
            let start = Date(timeIntervalSinceReferenceDate: 1000.5)
            add(key() + ["sdat": start, kSecAttrCreator: 77])
            #expect(count([kSecClass: kSecClassKey, "sdat": start]) == 1)
            #expect(count([kSecClass: kSecClassKey, "sdat": start.addingTimeInterval(1)]) == 0)
            #expect(count([kSecClass: kSecClassKey, kSecAttrCreator: 77, kSecAttrKeySizeInBits: 256]) == 1)
            #expect(count([kSecClass: kSecClassKey, kSecAttrCreator: 78]) == 0)
            let created = try #require(attributes([kSecClass: kSecClassKey])?["cdat"] as? Date)
            #expect(count([kSecClass: kSecClassKey, kSecAttrCreationDate: created]) == 1)
        }
    }

    @Test(
        "Items of one class are not found under another", .rule("queries.match.class"), arguments: StoredClass.allCases)
    func classesAreApart(itemClass: StoredClass) throws {
        try withKeychain { _ in
            add(itemClass.item)
            for other in StoredClass.allCases where other != itemClass { #expect(count(other.query) == 0) }
        }
    }

    @Test("A value in a query is no condition", .rule("queries.match.value"))
    func valueInQuery() throws {
        try withKeychain { _ in
            add(genericPassword() + [kSecValueData: Data("one")])
            #expect(value(genericPassword() + [kSecValueData: Data("other")]) == Data("one"))
        }
    }

    @Test(
        "Match keys that Apple's engine ignores are ignored here", .rule("queries.match-keys.ignored"),
        arguments: ["m_SubjectContains", "m_CaseInsensitive", "m_ItemList", "m_Unknown"])
    func ignoredMatchKeys(key: String) throws {
        try withKeychain { _ in
            add(genericPassword())
            #expect(count(genericPassword() + [key as CFString: "x"]) == 1)
            #expect(count(genericPassword("SERVICE") + [key as CFString: true]) == 0)
        }
    }

    @Test(
        "Match keys about certificates are refused for passwords, never silently passed over",
        .rule("queries.match-keys.certificates"),
        arguments: ["m_Issuers", "m_Policy"])
    func certificateMatchKeys(key: String) throws {
        try withKeychain { _ in
            add(genericPassword())
            let value: Any = key == "m_Policy" ? SecPolicyCreateBasicX509() : [Data()]
            #expect(find(genericPassword() + [key as CFString: value]).status == errSecUnimplemented)
        }
    }

    @Test("A host finds its own items and those of its subdomains, and no others", .rule("queries.match-keys.host"))
    func hostOrSubdomain() throws {
        try withKeychain { _ in
            for server in [
                "example.org", "www.example.org", "a.b.Example.ORG", "notexample.org", "example.org.evil", "org",
            ] {
                add(internetPassword(server))
            }
            let query: Attributes = [
                kSecClass: kSecClassInternetPassword, kSecMatchHostOrSubdomainOfHost: "example.org",
            ]
            let found = find(query + [kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll]).list ?? []
            #expect(
                Set(found.compactMap { $0["srvr"] as? String }) == [
                    "example.org", "www.example.org", "a.b.Example.ORG",
                ])
            #expect(find(query + [kSecMatchHostOrSubdomainOfHost: "example.com"]).status == errSecItemNotFound)
            #expect(find(genericPassword() + [kSecMatchHostOrSubdomainOfHost: "h"]).status == errSecUnimplemented)
            #expect(find(query + [kSecMatchHostOrSubdomainOfHost: 5]).status == errSecParam)
        }
    }

    @Test("among thousands of items each is found by its attributes, and all are listed", .rule("queries.match.index"))
    func manyItems() throws {
        try withKeychain { _ in
            let items = full(10_000, gate: 1000)
            for index in 0..<items {
                let item = genericPassword("service \(index % 100)", "account \(index)")
                #expect(add(item + [kSecValueData: Data("\(index)")]) == errSecSuccess)
            }
            for index in stride(from: 0, to: items, by: 97) {
                #expect(value(genericPassword("service \(index % 100)", "account \(index)")) == Data("\(index)"))
            }
            #expect(count([kSecClass: kSecClassGenericPassword, kSecAttrService: "service 7"]) == items / 100)
            #expect(count([kSecClass: kSecClassGenericPassword]) == items)
        }
    }
}
