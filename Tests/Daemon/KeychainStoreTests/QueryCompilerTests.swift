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
            sql: "genp WHERE acct = ? AND svce = ? AND +agrp = ? AND tomb = 0 AND sync = 0"),
        Case(
            description: "two groups", itemClass: "genp", attributes: ["pdmn": .string("ck")], groups: ["A", "B"],
            sql: "genp WHERE pdmn = ?1 AND agrp = ?2 AND tomb = 0 AND sync = 0 UNION ALL "
                + "SELECT \(Schema.rowColumns(of: .genericPassword)) "
                + "FROM genp WHERE pdmn = ?1 AND agrp = ?3 AND tomb = 0 AND sync = 0"),
        Case(
            description: "a label that is no other in another group", itemClass: "keys",
            attributes: ["klbl": .data([1])], groups: ["A", "B"],
            sql: "keys WHERE klbl = ? AND +agrp IN (?, ?) AND tomb = 0 AND sync = 0"),
        Case(
            description: "what has no column", itemClass: "inet",
            attributes: ["srvr": .string("s"), "port": .number(1), "cdat": .date(1)],
            sql: "inet WHERE srvr = ? AND +agrp = ? AND tomb = 0 AND sync = 0"),
        Case(
            description: "synchronised only", itemClass: "genp",
            attributes: ["acct": .string("a"), "sync": .boolean(true)],
            sql: "genp WHERE acct = ? AND +agrp = ? AND tomb = 0 AND sync = 1"),
        Case(
            description: "synchronised or not", itemClass: "genp",
            attributes: ["acct": .string("a"), "sync": .string("syna")],
            sql: "genp WHERE acct = ? AND +agrp = ? AND tomb = 0"),
        Case(
            description: "all of a class", itemClass: "inet", keys: ["m_Limit": .string("m_LimitAll")],
            sql: "inet WHERE agrp = ? AND tomb = 0 AND sync = 0 AND id > ? ORDER BY id"),
        Case(
            description: "every group", itemClass: "keys", attributes: ["klbl": .data([1])], groups: ["*"],
            sql: "keys WHERE klbl = ? AND tomb = 0 AND sync = 0"),
        Case(
            description: "a persistent reference", itemClass: "cert",
            keys: ["v_PersistentRef": .data(Array("cert".utf8) + Array(repeating: 7, count: 16))],
            sql: "cert WHERE uuid = ? AND +agrp = ? AND tomb = 0"),
        Case(
            description: "a protection class", itemClass: "genp", attributes: ["pdmn": .string("ck")],
            sql: "genp WHERE pdmn = ? AND agrp = ? AND tomb = 0 AND sync = 0"),
    ]

    @Test("A query becomes exactly this SQL", arguments: cases)
    func exactSQL(_ testCase: Case) throws {
        let shape = try testCase.shape()
        #expect(QueryCompiler.select(shape) == "SELECT \(Schema.rowColumns(of: shape.itemClass)) FROM \(testCase.sql)")
    }

    @Test("What is salted is asked group by group")
    func groupByGroup() throws {
        let asked = Case(
            description: "", itemClass: "keys",
            attributes: ["labl": .string("l"), "klbl": .data([1]), "atag": .data([2]), "bsiz": .number(1)],
            keys: ["m_Limit": .string("m_LimitAll")], groups: ["A", "B"], sql: "")
        #expect(
            QueryCompiler.select(try asked.shape())
                == "WITH asked (agrp, labl, atag) AS (VALUES (?, ?, ?), (?, ?, ?)) "
                + "SELECT \(Schema.rowColumns(of: .key, in: "keys")) FROM asked CROSS JOIN keys "
                + "ON keys.labl = asked.labl AND keys.atag = asked.atag AND +keys.agrp = asked.agrp "
                + "WHERE klbl = ? AND tomb = 0 AND sync = 0 AND id > ? ORDER BY id")
    }

    @Test("What has no column is left open, and what is salted where the groups are not known")
    func leavesOpen() throws {
        let names = Case(description: "", itemClass: "genp", attributes: ["svce": .string("s")], groups: ["*"], sql: "")
        #expect(try names.shape().leavesOpen(names.request()))
        let known = Case(description: "", itemClass: "genp", attributes: ["svce": .string("s")], sql: "")
        #expect(try !known.shape().leavesOpen(known.request()))
        let comment = Case(
            description: "", itemClass: "genp", attributes: ["svce": .string("s"), "icmt": .string("c")], sql: "")
        #expect(try comment.shape().leavesOpen(comment.request()))
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
    func request() throws -> ItemRequest {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string(itemClass))
        for (key, value) in attributes.merging(keys, uniquingKeysWith: { first, _ in first }) {
            try builder.set(key, value)
        }
        return try builder.build()
    }

    func shape() throws -> QueryShape {
        QueryShape(try request(), as: ItemClass(code: itemClass)!, groups: groups == ["*"] ? nil : groups.count)
    }
}
