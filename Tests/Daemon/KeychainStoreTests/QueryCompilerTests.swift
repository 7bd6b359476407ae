import KeychainModel
import KeychainPolicy
import Testing

@testable import KeychainStore

@Suite("The query compiler")
struct QueryCompilerTests {

    /// A query, and the exact SQL it becomes.
    struct Case: Sendable, CustomStringConvertible {
        let description: String
        let itemClass: String
        var attributes: [String: RawValue] = [:]
        var keys: [String: RawValue] = [:]
        var groups = ["A"]
        let sql: String
    }

    static let cases: [Case] = [
        Case(
            description: "service and account", itemClass: "genp",
            attributes: ["svce": .string("s"), "acct": .string("a")],
            sql: "genp WHERE acct = ? AND svce = ? AND agrp = ? AND tomb = 0 AND sync = 0"),
        Case(
            description: "two groups", itemClass: "genp", attributes: ["svce": .string("s")], groups: ["A", "B"],
            sql: "genp WHERE svce = ? AND agrp IN (?, ?) AND tomb = 0 AND sync = 0"),
        Case(
            description: "synchronised only", itemClass: "genp",
            attributes: ["acct": .string("a"), "sync": .boolean(true)],
            sql: "genp WHERE acct = ? AND agrp = ? AND tomb = 0 AND sync = 1"),
        Case(
            description: "synchronised or not", itemClass: "genp",
            attributes: ["acct": .string("a"), "sync": .string("syna")],
            sql: "genp WHERE acct = ? AND agrp = ? AND tomb = 0"),
        Case(
            description: "all of a class", itemClass: "inet", keys: ["m_Limit": .string("m_LimitAll")],
            sql: "inet WHERE agrp = ? AND tomb = 0 AND sync = 0 AND id > ? ORDER BY id"),
        Case(
            description: "every group", itemClass: "keys", attributes: ["atag": .data([1])], groups: ["*"],
            sql: "keys WHERE atag = ? AND tomb = 0 AND sync = 0"),
        Case(
            description: "a persistent reference", itemClass: "cert",
            keys: ["v_PersistentRef": .data(Array("cert".utf8) + Array(repeating: 7, count: 16))],
            sql: "cert WHERE uuid = ? AND agrp = ? AND tomb = 0"),
        Case(
            description: "a protection class", itemClass: "genp", attributes: ["pdmn": .string("ck")],
            sql: "genp WHERE pdmn = ? AND agrp = ? AND tomb = 0 AND sync = 0"),
    ]

    @Test("A query becomes exactly this SQL", arguments: cases)
    func exactSQL(_ testCase: Case) throws {
        let shape = try testCase.shape()
        #expect(QueryCompiler.select(shape) == "SELECT \(Schema.rowColumns(of: shape.itemClass)) FROM \(testCase.sql)")
    }

    @Test("Values never reach the text: queries of one shape share their statement")
    func sameShape() throws {
        let first = Case(
            description: "", itemClass: "genp", attributes: ["svce": .string("'; DROP TABLE genp --")], sql: "")
        let second = Case(description: "", itemClass: "genp", attributes: ["svce": .string("x")], sql: "")
        #expect(try first.shape() == second.shape())
    }
}

extension QueryCompilerTests.Case {
    func shape() throws -> QueryShape {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string(itemClass))
        for (key, value) in attributes.merging(keys, uniquingKeysWith: { first, _ in first }) {
            try builder.set(key, value)
        }
        let request = try builder.build()
        let caller = CallerIdentity(user: 1, process: 1, program: "test", groups: groups)
        return QueryShape(try AccessPolicy.authorize(request, from: caller), as: ItemClass(code: itemClass)!)
    }
}
