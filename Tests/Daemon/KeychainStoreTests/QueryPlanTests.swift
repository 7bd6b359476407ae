import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

@Suite("Common lookups use an index")
struct QueryPlanTests {
    private typealias Case = QueryCompilerTests.Case

    static let lookups: [(QueryCompilerTests.Case, String)] = [
        (
            .init(
                description: "service and account", itemClass: "genp",
                attributes: ["svce": .string("s"), "acct": .string("a")], sql: ""), "genp_svce_acct (svce=? AND acct=?)"
        ),
        (
            .init(description: "service", itemClass: "genp", attributes: ["svce": .string("s")], sql: ""),
            "genp_svce_acct (svce=?)"
        ),
        (
            .init(description: "account", itemClass: "genp", attributes: ["acct": .string("s")], sql: ""),
            "genp_acct (acct=?)"
        ),
        (
            .init(description: "label", itemClass: "genp", attributes: ["labl": .string("s")], sql: ""),
            "genp_labl (labl=?)"
        ),
        (
            .init(description: "server", itemClass: "inet", attributes: ["srvr": .string("s")], sql: ""),
            "inet_srvr_acct (srvr=?)"
        ),
        (
            .init(
                description: "server and account", itemClass: "inet",
                attributes: ["srvr": .string("s"), "acct": .string("a"), "port": .number(1)], sql: ""),
            "inet_srvr_acct (srvr=? AND acct=?)"
        ),
        (.init(description: "tag", itemClass: "keys", attributes: ["atag": .data([1])], sql: ""), "keys_atag (atag=?)"),
        (
            .init(description: "application label", itemClass: "keys", attributes: ["klbl": .data([1])], sql: ""),
            "keys_klbl_kcls (klbl=?)"
        ),
        (
            .init(
                description: "issuer and serial", itemClass: "cert",
                attributes: ["issr": .data([1]), "slnr": .data([1])], sql: ""), "cert_issr_slnr (issr=? AND slnr=?)"
        ),
        (
            .init(
                description: "all of a service", itemClass: "genp", attributes: ["svce": .string("s")],
                keys: ["m_Limit": .string("m_LimitAll")], sql: ""), "genp_svce_acct (svce=?)"
        ),
    ]

    @Test("the plan of a lookup names the index", .rule("queries.match.index"), arguments: lookups)
    func usesIndex(_ testCase: QueryCompilerTests.Case, _ index: String) throws {
        let plan = try Self.plan(of: testCase)
        #expect(plan.contains(index))
    }

    static let groups = [
        (["A"], "genp_agrp (agrp=? AND rowid>?)"), (["A", "B"], "genp_agrp (agrp=? AND rowid>?)"),
        ((0..<64).map { "\($0)" }, "genp_agrp (agrp=? AND rowid>?)"), ((0..<65).map { "\($0)" }, "PRIMARY KEY"),
        (["*"], "PRIMARY KEY"),
    ]

    @Test("An enumeration goes by row number, in a few groups by their index, without sorting", arguments: groups)
    func enumeration(_ groups: [String], _ index: String) throws {
        let all = QueryCompilerTests.Case(
            description: "all", itemClass: "genp", keys: ["m_Limit": .string("m_LimitAll")], groups: groups, sql: "")
        let plan = try Self.plan(of: all)
        #expect(plan.contains(index), "\(plan)")
        #expect(!plan.contains("TEMP B-TREE"))
    }

    @Test("Of several groups each is looked into by the index of what is asked")
    func groupByGroup() throws {
        let names = QueryCompilerTests.Case(
            description: "names", itemClass: "genp", attributes: ["svce": .string("s"), "acct": .string("a")],
            groups: ["A", "B", "C"], sql: "")
        let plan = try Self.plan(of: names)
        #expect(plan.contains("SEARCH genp USING INDEX genp_svce_acct (svce=? AND acct=?)"), "\(plan)")
        #expect(plan.contains("SCAN asked"))
    }

    @Test("The groups that there are come from an index alone")
    func allGroups() throws {
        let plan = try Self.explain(QueryCompiler.groups(of: .key), in: Self.emptyStore())
        #expect(plan.contains("COVERING INDEX keys_agrp"), "\(plan)")
    }

    @Test("Adding finds the primary key through its unique index")
    func primaryKey() throws {
        let database = try Self.emptyStore()
        let plan = try Self.explain("SELECT id FROM genp WHERE pk = ?", in: database)
        #expect(plan.contains("sqlite_autoindex_genp") && plan.contains("pk=?"))
    }

    static func plan(of testCase: QueryCompilerTests.Case) throws -> String {
        try explain(QueryCompiler.select(testCase.shape()), in: emptyStore())
    }

    static func emptyStore() throws -> Database {
        let database = try Database(path: ":memory:", sharing: .shared)
        for statement in Schema.creation { try database.execute(statement, "be made") }
        return database
    }

    static func explain(_ sql: String, in database: Database) throws -> String {
        let statement = try database.prepare("EXPLAIN QUERY PLAN \(sql)", "explain")
        var lines: [String] = []
        while try statement.step() { lines.append(statement.text(3)) }
        return lines.joined(separator: "\n")
    }
}
