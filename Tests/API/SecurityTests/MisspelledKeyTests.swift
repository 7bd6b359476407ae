import KeychainModel
import Security
import TestSupport
import Testing

/// Unknown keys: the meaning of one cannot be guessed, and a query without it finds more than intended.
@Suite("Misspelled keys")
struct MisspelledKeyTests {
    private static let documented = AttributeTable.rows.map(\.code) + QueryKey.rows.map(\.code)
    private static let known = Set(documented + ["nleg"])

    /// The outcome of a function with a misspelled key, by the rules alone.
    private enum Outcome: Equatable {
        case refused(OSStatus)
        /// The call does what it would do without the key.
        case ignored
    }

    private static func outcome(_ key: String, isSearch: Bool) -> Outcome {
        if key.utf16.count == 4 { return .refused(errSecNoSuchAttr) }
        if key.hasPrefix("f") || (key.hasPrefix("m") && isSearch) { return .ignored }
        return .refused(errSecParam)
    }

    /// At each place: another letter, another case, a missing letter, an extra letter, a double letter, two exchanged.
    private static func misspellings(of key: String) -> Set<String> {
        let letters = Array(key)
        var found: Set<String> = []
        for place in letters.indices {
            let (before, letter, after) = (letters[..<place], letters[place], letters[(place + 1)...])
            for other in ["x", "c", "f", "m", letter.uppercased(), letter.lowercased(), "", "\(letter)\(letter)"] {
                found.insert(String(before) + other + String(after))
            }
            found.insert(String(before) + "x\(letter)" + String(after))
            if let next = after.first { found.insert(String(before) + "\(next)\(letter)" + String(after.dropFirst())) }
        }
        found.insert(key + "x")
        return found.subtracting(known)
    }

    /// All stored items, as far as a program can see them.
    private static func snapshot() -> [Any] {
        let all: Attributes = [kSecReturnAttributes: true, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]
        return StoredClass.allCases.flatMap { itemClass -> [Any] in find(itemClass.query + all).list ?? [] }
    }

    private static func store() {
        for each in StoredClass.allCases { add(each.item + [kSecValueData: Data("value")]) }
        add(genericPassword("another") + [kSecValueData: Data("another")])
    }

    @Test(
        "Every documented key, misspelled at every place, is refused by all four functions, and nothing is changed",
        .rule("queries.keys.unknown"))
    func everyKey() throws {
        // The value makes no difference to a key that nobody knows, so each key has one of the three.
        let values: [Any] = ["x", true, Data("x")]
        try withKeychain { _ in
            Self.store()
            let before = Self.snapshot() as NSArray
            #expect(before.count == StoredClass.allCases.count + 1)
            for documented in Self.documented {
                for (number, key) in Self.misspellings(of: documented).sorted().enumerated()
                where number % full(1, gate: 4) == 0 {
                    Self.expectNothing(of: key, values[number % values.count])
                }
                #expect(Self.snapshot() as NSArray == before, "\(documented)")
            }
        }
    }

    private static func expectNothing(of key: String, _ value: Any) {
        // A query that finds all items. With the key ignored, it would find none.
        let all: Attributes = [kSecClass: kSecClassGenericPassword], none = genericPassword("none")
        let entry: Attributes = [key as CFString: value]
        switch outcome(key, isSearch: true) {
        case .refused(let status): #expect(find(all + entry).status == status, "find \(key)")
        case .ignored: #expect(find(none + entry).status == errSecItemNotFound, "find \(key)")
        }
        switch outcome(key, isSearch: false) {
        case .refused(let status):
            #expect(add(genericPassword("new") + entry) == status, "add \(key)")
            #expect(update(all + entry, [kSecAttrComment: "changed"]) == status, "update \(key)")
            #expect(delete(all + entry) == status, "delete \(key)")
        case .ignored:
            #expect(add(genericPassword() + entry) == errSecDuplicateItem, "add \(key)")
            #expect(update(none + entry, [kSecAttrComment: "changed"]) == errSecItemNotFound, "update \(key)")
            #expect(delete(none + entry) == errSecItemNotFound, "delete \(key)")
        }
        // The second dictionary has attributes and the value, and no other key is ignored.
        #expect(update(all, [kSecAttrComment: "changed"] + entry) == errSecNoSuchAttr, "change \(key)")
    }

    @Test(
        "What begins with a c is not the class unless it is",
        arguments: ["comment", "c", "cl", "classs", "Class", "class ", "class\u{0}", "cdatum", "\u{63}\u{301}lass"])
    func notTheClass(key: String) throws {
        try withKeychain { _ in
            Self.store()
            let before = Self.snapshot() as NSArray
            // Read as a class, it would name the primary key of other items.
            let entry: Attributes = [key as CFString: kSecClassInternetPassword]
            for query in [genericPassword() + entry, entry] {
                #expect(delete(query) == errSecParam)
                #expect(find(query).status == errSecParam)
                #expect(update(query, [kSecAttrComment: "changed"]) == errSecParam)
                #expect(add(query) == errSecParam)
            }
            #expect(Self.snapshot() as NSArray == before)
        }
    }

    @Test("A refused key is named in the explanation")
    func explanation() throws {
        try withKeychain { _ in
            #expect(delete([kSecClass: kSecClassGenericPassword, "comment": "x"]) == errSecParam)
            #expect(SecCopyLastItemError()?.subject == "comment")
            #expect(delete([kSecClass: kSecClassGenericPassword, "acnt": "x"]) == errSecNoSuchAttr)
            #expect(SecCopyLastItemError()?.subject == "acnt")
        }
    }

    @Test("A value that is null is refused, and nothing is changed", .rule("queries.keys.null"))
    func nullValues() throws {
        try withKeychain { _ in
            Self.store()
            let before = Self.snapshot() as NSArray
            for attribute in AttributeTable.rows where attribute.id != .restricted {
                for itemClass in StoredClass.allCases { Self.expectRefused(attribute, itemClass) }
                #expect(Self.snapshot() as NSArray == before, "\(attribute.code)")
            }
        }
    }

    private static func expectRefused(_ attribute: ItemAttribute, _ itemClass: StoredClass) {
        let null: Attributes = [attribute.code as CFString: NSNull()], change: Attributes = [kSecAttrLabel: "changed"]
        #expect(find(itemClass.query + null).status == errSecParam, "\(attribute.code)")
        #expect(delete(itemClass.query + null) == errSecParam, "\(attribute.code)")
        #expect(add(itemClass.item + null) == errSecParam, "\(attribute.code)")
        #expect(update(itemClass.query + null, change) == errSecParam, "\(attribute.code)")
        // A change ignores only the user partition, with any value.
        guard attribute.id != .multiUser else { return }
        #expect(update(itemClass.query, change + null) == errSecParam, "\(attribute.code)")
    }
}
