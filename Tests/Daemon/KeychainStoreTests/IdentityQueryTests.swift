import KeychainModel
import KeychainPolicy
import LinuxSystem
import Testing

@testable import KeychainStore

/// Identities are a join of two tables; its text and its plan are as fixed as those of every other query.
@Suite("Queries for identities")
struct IdentityQueryTests {
    private static let columns = [
        Schema.rowColumns(of: .certificate, in: "c"), Schema.rowColumns(of: .key, in: "k"),
    ].joined(separator: ", ")

    static let cases: [QueryCompilerTests.Case] = [
        .init(
            description: "any identity", itemClass: "idnt",
            sql: "+c.agrp = ?1 AND +k.agrp = ?1 AND c.tomb = 0 AND k.tomb = 0 AND c.sync = 0 AND k.kcls = ?2 "
                + "AND k.klbl <> ?3"),
        .init(
            description: "an attribute of both halves, and one of the key", itemClass: "idnt",
            attributes: ["labl": .string("l"), "atag": .data([1])],
            sql: "c.labl = ?1 AND k.atag = ?2 AND +c.agrp = ?3 AND +k.agrp = ?3 AND c.tomb = 0 "
                + "AND k.tomb = 0 AND c.sync = 0 AND k.kcls = ?4 AND k.klbl <> ?5"),
        .init(
            description: "in several groups what is not salted alone", itemClass: "idnt",
            attributes: ["labl": .string("l"), "atag": .data([1]), "pkhh": .data([2])], groups: ["A", "B"],
            sql: "c.pkhh = ?1 AND +c.agrp IN (?2, ?3) AND +k.agrp IN (?2, ?3) AND c.tomb = 0 "
                + "AND k.tomb = 0 AND c.sync = 0 AND k.kcls = ?4 AND k.klbl <> ?5"),
        .init(
            description: "all of them", itemClass: "idnt", keys: ["m_Limit": .string("m_LimitAll")], groups: ["*"],
            sql: "c.tomb = 0 AND k.tomb = 0 AND c.sync = 0 AND c.id >= ?1 AND (c.id > ?1 OR k.id > ?2) "
                + "AND k.kcls = ?3 AND k.klbl <> ?4 ORDER BY c.id, k.id"),
        .init(
            description: "a persistent reference", itemClass: "idnt",
            keys: ["v_PersistentRef": .data(Array("idnt".utf8) + Array(repeating: 7, count: 16))],
            sql: "c.uuid = ?1 AND +c.agrp = ?2 AND +k.agrp = ?2 AND c.tomb = 0 AND k.tomb = 0 AND k.kcls = ?3 "
                + "AND k.klbl <> ?4"),
    ]

    @Test("A query becomes exactly this SQL", arguments: cases)
    func exactSQL(_ testCase: QueryCompilerTests.Case) throws {
        let join = "SELECT \(Self.columns) FROM cert AS c JOIN keys AS k ON k.klbl = c.pkhh WHERE "
        #expect(QueryCompiler.select(try testCase.shape()) == join + testCase.sql)
    }

    static let lookups: [(QueryCompilerTests.Case, [String])] = [
        (
            .init(description: "label", itemClass: "idnt", attributes: ["labl": .string("l")], sql: ""),
            ["cert_labl (labl=?)", "keys_klbl_kcls (klbl=? AND kcls=?)"]
        ),
        (
            .init(
                description: "issuer and serial number", itemClass: "idnt",
                attributes: ["issr": .data([1]), "slnr": .data([1])], sql: ""),
            ["cert_issr_slnr (issr=? AND slnr=?)", "keys_klbl_kcls (klbl=? AND kcls=?)"]
        ),
        (
            .init(description: "key hash", itemClass: "idnt", attributes: ["pkhh": .data([1])], sql: ""),
            ["cert_pkhh (pkhh=?)", "keys_klbl_kcls (klbl=? AND kcls=?)"]
        ),
        (
            .init(description: "tag", itemClass: "idnt", attributes: ["atag": .data([1])], sql: ""),
            ["keys_atag (atag=?)", "cert_pkhh (pkhh=?)"]
        ),
        (
            .init(
                description: "a persistent reference", itemClass: "idnt",
                keys: ["v_PersistentRef": .data(Array("idnt".utf8) + Array(repeating: 7, count: 16))], sql: ""),
            ["sqlite_autoindex_cert_1 (uuid=?)", "keys_klbl_kcls (klbl=? AND kcls=?)"]
        ),
    ]

    @Test("Both tables are looked into by an index", arguments: lookups)
    func usesIndexes(_ testCase: QueryCompilerTests.Case, _ indexes: [String]) throws {
        let plan = try QueryPlanTests.plan(of: testCase)
        for index in indexes { #expect(plan.contains(index), "\(plan)") }
        #expect(!plan.contains("SCAN"))
    }

    @Test("An enumeration goes through the certificates by row number and finds keys by an index, without sorting")
    func enumeration() throws {
        let plan = try QueryPlanTests.plan(of: Self.cases[3])
        #expect(plan.contains("SEARCH c USING INTEGER PRIMARY KEY (rowid>?)"), "\(plan)")
        #expect(plan.contains("keys_klbl_kcls (klbl=? AND kcls=?)"))
        #expect(!plan.contains("TEMP B-TREE"))
    }

    @Test("Whether another certificate refers to a key is found by an index")
    func references() throws {
        let plan = try QueryPlanTests.explain(IdentityQueryCompiler.references, in: try QueryPlanTests.emptyStore())
        #expect(plan.contains("cert_pkhh (pkhh=?)"), "\(plan)")
        #expect(!plan.contains("SCAN cert"))
    }

    @Test("A cursor names a certificate and a key, and one that cannot is refused")
    func cursor() throws {
        let cursor = IdentityCursor(try IdentityCursor(certificate: 5, key: 7).packed())
        #expect((cursor.certificate, cursor.key) == (5, 7))
        let largest = IdentityCursor(certificate: Int64(Int32.max), key: Int64(UInt32.max))
        #expect(try largest.packed() == UInt64(Int64.max))
        for row in [Int64.max, -1, 1 << 32] {
            #expect(throws: Refusal.self) { try IdentityCursor(certificate: row, key: 1).packed() }
            #expect(throws: Refusal.self) { try IdentityCursor(certificate: 1, key: row).packed() }
        }
    }
}
