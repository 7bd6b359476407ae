import Dispatch
import KeychainTesting
import LinuxSystem
import Security
import TestSupport
import Testing

/// The attributes of the primary keys (rule items.primary-key.attributes).
@Suite("Duplicates and primary keys")
struct DuplicateTests {
    /// An attribute with two of its values.
    struct Difference: Sendable {
        let itemClass: StoredClass
        let code: String
        let values: [any Sendable]

        init(_ itemClass: StoredClass, _ code: String, _ one: any Sendable, _ other: any Sendable) {
            self.itemClass = itemClass
            self.code = code
            values = [one, other]
        }

        func item(_ index: Int) -> Attributes { itemClass.item + [code as CFString: values[index]] }
    }

    static let inTheKey: [Difference] = [
        Difference(.genp, "acct", "a", "b"), Difference(.genp, "svce", "a", "b"), Difference(.genp, "sync", 0, 1),
        Difference(.genp, "vwht", "a", "b"), Difference(.genp, "agrp", "TEAM.program", "TEAM.shared"),
        Difference(.inet, "acct", "a", "b"), Difference(.inet, "sdmn", "a", "b"), Difference(.inet, "srvr", "a", "b"),
        Difference(.inet, "ptcl", "http", "htps"), Difference(.inet, "atyp", "form", "dflt"),
        Difference(.inet, "port", 80, 8080), Difference(.inet, "path", "/a", "/b"), Difference(.inet, "sync", 0, 1),
        Difference(.inet, "agrp", "TEAM.program", "TEAM.shared"),
        Difference(.cert, "ctyp", 1, 3), Difference(.cert, "issr", Data([1]), Data([2])),
        Difference(.cert, "slnr", Data([1]), Data([2])), Difference(.cert, "sync", 0, 1),
        Difference(.keys, "kcls", "0", "1"), Difference(.keys, "klbl", Data([1]), Data([2])),
        Difference(.keys, "atag", "a", "b"), Difference(.keys, "crtr", 1, 2), Difference(.keys, "type", "42", "73"),
        Difference(.keys, "bsiz", 256, 384), Difference(.keys, "esiz", 256, 384),
        Difference(.keys, "sdat", Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2)),
        Difference(.keys, "edat", Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2)),
    ]

    static let outsideTheKey: [Difference] = [
        Difference(.genp, "labl", "a", "b"), Difference(.genp, "gena", Data([1]), Data([2])),
        Difference(.genp, "desc", "a", "b"), Difference(.genp, "icmt", "a", "b"), Difference(.genp, "crtr", 1, 2),
        Difference(.genp, "type", 1, 2), Difference(.genp, "invi", 0, 1), Difference(.genp, "pdmn", "ak", "ck"),
        Difference(.inet, "labl", "a", "b"), Difference(.inet, "icmt", "a", "b"), Difference(.inet, "pdmn", "ak", "ck"),
        Difference(.cert, "labl", "a", "b"), Difference(.cert, "subj", Data([1]), Data([2])),
        Difference(.cert, "pkhh", Data([1]), Data([2])), Difference(.cert, "cenc", 1, 3),
        Difference(.keys, "labl", "a", "b"), Difference(.keys, "perm", 0, 1), Difference(.keys, "sign", 0, 1),
    ]

    @Test(
        "Two items that differ in an attribute of the primary key are two items", .rule("items.primary-key.attributes"),
        arguments: inTheKey)
    func different(difference: Difference) throws {
        try withKeychain(accessGroups: ["TEAM.program", "TEAM.shared"]) { _ in
            #expect(add(difference.item(0)) == errSecSuccess)
            #expect(add(difference.item(1)) == errSecSuccess)
            #expect(add(difference.item(0)) == errSecDuplicateItem)
            #expect(count(difference.itemClass.query + [kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == 2)
        }
    }

    @Test(
        "Two items that differ elsewhere only are one item, and the second is refused",
        .rule("items.primary-key.others", "items.primary-key.duplicate"), arguments: outsideTheKey)
    func same(difference: Difference) throws {
        try withKeychain { _ in
            #expect(add(difference.item(0) + [kSecValueData: Data("first")]) == errSecSuccess)
            #expect(add(difference.item(1) + [kSecValueData: Data("second")]) == errSecDuplicateItem)
            #expect(SecCopyLastItemError()?.rule == "store.duplicate")
            #expect(value(difference.itemClass.query) == Data("first"))
        }
    }

    @Test("An attribute of the primary key that is missing counts as its default", .rule("items.primary-key.default"))
    func defaults() throws {
        try withKeychain { _ in
            add([kSecClass: kSecClassGenericPassword])
            #expect(add([kSecClass: kSecClassGenericPassword, kSecAttrAccount: ""]) == errSecDuplicateItem)
            #expect(add([kSecClass: kSecClassGenericPassword, kSecAttrService: Data()]) == errSecDuplicateItem)
            add(internetPassword())
            let zeros: Attributes = [kSecAttrPort: 0, kSecAttrPath: "", kSecAttrSynchronizable: false]
            #expect(add(internetPassword() + zeros) == errSecDuplicateItem)
            #expect(add(internetPassword() + [kSecAttrPort: "0"]) == errSecDuplicateItem)
        }
    }

    @Test("A string and data with the same bytes are the same key", .rule("items.primary-key.bytes"))
    func stringsAndData() throws {
        try withKeychain { _ in
            add(genericPassword("s", "ä"))
            #expect(add(genericPassword("s") + [kSecAttrAccount: Data("ä")]) == errSecDuplicateItem)
        }
    }

    @Test(
        "Of many threads that add the same item one succeeds, the others are told it exists",
        .rule("items.primary-key.race"))
    func race() throws {
        try withKeychain { keychain in
            let statuses = Lock<[OSStatus]>([])
            DispatchQueue.concurrentPerform(iterations: 16) { index in
                let status = keychain.run { add(genericPassword() + [kSecValueData: Data("\(index)")]) }
                statuses.withLock { $0.append(status) }
            }
            let all = statuses.withLock { $0 }
            #expect(all.count { $0 == errSecSuccess } == 1)
            #expect(all.count { $0 == errSecDuplicateItem } == 15)
        }
    }
}
