import Security
import TestSupport
import Testing

/// The permitted values of attributes, their stored forms, and their comparison (rules items.attributes.kinds,
/// queries.match.bytes).
@Suite("Values of attributes")
struct AttributeValueTests {
    private let anyPassword: Attributes = [kSecClass: kSecClassGenericPassword]

    /// The stored form of an attribute that a password was added with.
    private func roundTrip(_ code: String, _ given: Any, in item: Attributes = [kSecClass: "genp"]) -> Any? {
        guard add(item + [code as CFString: given]) == errSecSuccess else { return nil }
        return attributes([kSecClass: item[kSecClass] as Any])?[code]
    }

    @Test(
        "A string stays a string, data stays data, a number a number", .rule("items.attributes.round-trip"),
        arguments: ["acct", "svce", "labl", "desc", "icmt"])
    func kept(code: String) throws {
        try withKeychain { _ in
            #expect(roundTrip(code, "täxt") as? String == "täxt")
            delete(anyPassword)
            #expect(roundTrip(code, Data([0, 255])) as? Data == Data([0, 255]))
            delete(anyPassword)
            #expect(roundTrip(code, 5) as? Int == 5)
        }
    }

    @Test(
        "A string finds the data with its bytes, and data the string", .rule("queries.match.bytes"),
        arguments: ["acct", "svce", "labl", "desc", "icmt"])
    func foundEitherWay(code: String) throws {
        try withKeychain { _ in
            let key = code as CFString
            add(anyPassword + [key: Data("bytes")])
            #expect(count(anyPassword + [key: "bytes"]) == 1)
            #expect(attributes(anyPassword + [key: "bytes"])?[code] is Data)
            delete(anyPassword)
            add(anyPassword + [key: "bytes"])
            #expect(count(anyPassword + [key: Data("bytes")]) == 1)
            #expect(attributes(anyPassword + [key: Data("bytes")])?[code] is String)
            delete(anyPassword)
            add(anyPassword + [key: 0x0403_0201])
            #expect(count(anyPassword + [key: Data([1, 2, 3, 4])]) == 1)
        }
    }

    @Test("An attribute that is data takes a string's UTF-8 and a number's four bytes", .rule("items.attributes.kinds"))
    func dataKinds() throws {
        try withKeychain { _ in
            #expect(roundTrip("gena", "ä") as? Data == Data("ä"))
            delete(anyPassword)
            #expect(roundTrip("gena", 258) as? Data == Data([2, 1, 0, 0]))
            delete(anyPassword)
            #expect(roundTrip("gena", Data()) as? Data == Data())
        }
    }

    @Test("An attribute that is a string takes UTF-8 data and a UUID")
    func stringKinds() throws {
        try withKeychain { _ in
            #expect(roundTrip("vwht", Data("view")) as? String == "view")
            delete(anyPassword)
            let uuid = UUID()
            #expect(roundTrip("vwht", uuid as NSUUID) as? String == uuid.uuidString)
            #expect(add(anyPassword + ["vwht": Data([0xFF])]) == errSecParam)
            delete(anyPassword)
            #expect(roundTrip("agrp", Data("TEAM.program")) as? String == "TEAM.program")
        }
    }

    @Test("An attribute that is a number takes booleans and decimal strings; another string stays one")
    func numberKinds() throws {
        try withKeychain { _ in
            #expect(roundTrip("invi", true) as? Int == 1)
            #expect(attributes(anyPassword)?["invi"] as? Bool == true)
            let server: Attributes = [kSecClass: kSecClassInternetPassword]
            for (given, expected) in [("htps", "htps"), ("ftp ", "ftp "), ("080", "080"), ("+1", "+1")] {
                delete(server)
                #expect(roundTrip("ptcl", given, in: server) as? String == expected)
                #expect(count(server + ["ptcl": given]) == 1)
            }
            for given: Any in ["8080", 8080] {
                delete(server)
                #expect(roundTrip("port", given, in: server) as? Int == 8080)
                #expect(count(server + [kSecAttrPort: "8080"]) == 1)
                #expect(count(server + [kSecAttrPort: 8080]) == 1)
            }
        }
    }

    @Test("Large and negative numbers come back as they were", arguments: [Int.max, Int.min, -1, 0, 1 << 40])
    func largeNumbers(number: Int) throws {
        try withKeychain { _ in
            #expect(roundTrip("scrp", number) as? Int == number)
            #expect(count(anyPassword + ["scrp": number]) == 1)
        }
    }

    @Test(
        "a creator and a type of 0 that were given come back and are found; what was not given is not there",
        .rule("items.attributes.zero"))
    func zeroCreator() throws {
        try withKeychain { _ in
            for item in [genericPassword(), internetPassword()] {
                add(item + [kSecAttrCreator: 0, kSecAttrType: 0])
                let found = attributes(item)
                #expect(found?["crtr"] as? Int == 0 && found?["type"] as? Int == 0)
                let other = item + [kSecAttrAccount: "other"]
                add(other)
                #expect(attributes(other)?["crtr"] == nil && attributes(other)?["type"] == nil)
                #expect(count([kSecClass: item[kSecClass] as Any, kSecAttrCreator: 0]) == 1)
            }
            add(key())
            #expect(attributes(key())?["crtr"] as? Int == 0)
            #expect(count([kSecClass: kSecClassKey, kSecAttrCreator: 0]) == 1)
        }
    }

    @Test("A date is a date to the microsecond")
    func dates() throws {
        try withKeychain { _ in
            let date = Date(timeIntervalSinceReferenceDate: 123456789.123456)
            #expect(roundTrip("sdat", date, in: [kSecClass: kSecClassKey]) as? Date == date)
        }
    }

    @Test(
        "Any text comes back as it was", arguments: ["", "\u{0}", "a\u{0}b", "😀🇩🇪", "\u{FEFF}", "e\u{301}", "’", "\n"])
    func texts(text: String) throws {
        try withKeychain { _ in
            let found = try #require(roundTrip("acct", text) as? String)
            #expect(Array(found.utf8) == Array(text.utf8))
            #expect(count(anyPassword + [kSecAttrAccount: text]) == 1)
        }
    }

    /// A value of a type, with a name for a test's argument.
    private func object(_ type: String) -> Any {
        switch type {
        case "null": NSNull()
        case "boolean": true
        case "number": 5
        case "string": "text"
        case "data": Data([1])
        case "date": Date()
        case "array": ["a"]
        case "dictionary": ["a": "b"]
        default: NSObject()
        }
    }

    @Test(
        "A value of a type the attribute cannot have is refused in every function",
        .rule("items.attributes.wrong-type"),
        arguments: [
            ("acct", ["null", "boolean", "date", "array", "dictionary", "object"]),
            ("labl", ["null", "boolean", "date", "array"]), ("gena", ["null", "boolean", "date", "array"]),
            ("vwht", ["null", "boolean", "number", "date"]), ("invi", ["null", "data", "date", "array"]),
            ("sync", ["null", "data", "date"]), ("pdmn", ["null", "boolean", "number", "date"]),
            ("cdat", ["null", "boolean", "number", "string", "data"]), ("agrp", ["null", "boolean", "number", "date"]),
            ("accc", ["null", "boolean", "number", "string", "data", "date"]),
        ] as [(String, [String])])
    func inconvertible(code: String, types: [String]) throws {
        try withKeychain { _ in
            add(genericPassword())
            for type in types {
                let bad = [code as CFString: object(type)]
                #expect(add(genericPassword("new") + bad) == errSecParam, "\(type)")
                #expect(find(genericPassword() + bad).status == errSecParam, "\(type)")
                #expect(update(genericPassword(), bad) == errSecParam, "\(type)")
                #expect(delete(genericPassword() + bad) == errSecParam, "\(type)")
            }
            #expect(count(anyPassword) == 1)
        }
    }

    @Test("An empty port is refused", .rule("items.internet.port"))
    func emptyPort() throws {
        try withKeychain { _ in
            #expect(add(internetPassword() + [kSecAttrPort: ""]) == errSecParam)
            #expect(find(internetPassword() + [kSecAttrPort: ""]).status == errSecParam)
        }
    }

    @Test(
        "An attribute the class has not is errSecNoSuchAttr in every function", .rule("items.class.foreign-attribute"),
        arguments: [
            (.genp, ["srvr", "ptcl", "path", "klbl", "atag", "slnr", "xxxx", "äöüß"]),
            (.inet, ["svce", "gena", "kcls", "issr"]), (.cert, ["acct", "svce", "desc", "type", "crtr", "invi"]),
            (.keys, ["acct", "svce", "srvr", "desc", "icmt", "issr", "pkhh"]),
        ] as [(StoredClass, [String])])
    func foreignAttributes(itemClass: StoredClass, codes: [String]) throws {
        try withKeychain { _ in
            add(itemClass.item)
            for code in codes {
                let bad = [code as CFString: "x" as Any]
                #expect(add(itemClass.item + bad) == errSecNoSuchAttr, "\(code)")
                #expect(find(itemClass.query + bad).status == errSecNoSuchAttr, "\(code)")
                #expect(update(itemClass.query, bad) == errSecNoSuchAttr, "\(code)")
                #expect(delete(itemClass.query + bad) == errSecNoSuchAttr, "\(code)")
            }
        }
    }

    @Test(
        "Attributes of Apple's own programs need an entitlement that nobody has", .rule("items.class.protected-names"),
        arguments: ["sha1", "UUID", "persistref", "sysb", "pcss", "dspk", "ggrp"])
    func restricted(code: String) throws {
        try withKeychain { _ in
            add(genericPassword())
            let bad = [code as CFString: "x" as Any]
            #expect(add(genericPassword("new") + bad) == errSecMissingEntitlement)
            #expect(find(genericPassword() + bad).status == errSecMissingEntitlement)
            #expect(delete(genericPassword() + bad) == errSecMissingEntitlement)
        }
    }

    @Test("The mark of app clips is a wrong parameter", .rule("items.class.app-clip"))
    func appClip() throws {
        try withKeychain { _ in
            add(genericPassword())
            let bad: Attributes = ["clip" as CFString: true]
            #expect(add(genericPassword("new") + bad) == errSecParam)
            #expect(find(genericPassword() + bad).status == errSecParam)
            #expect(delete(genericPassword() + bad) == errSecParam)
        }
    }
}
