import KeychainPolicy
import LinuxSystem

@testable import KeychainEngine
@testable import KeychainModel
@testable import KeychainStore
@testable import KeychainWire
@testable import SecureEnclave

/// Columns of stored rows that somebody has replaced who can write the file: what is found is what was stored or
/// nothing, and what is no more as it was is reported.
///
///     input = *(column:u8 kind:u8 count:u8 value)          ; the column of one of three rows
func fuzzRow(_ bytes: Span<UInt8>) {
    var input = InputReader(bytes)
    let store = FuzzStore.shared
    var changed: Set<String> = []
    for _ in 0..<6 where !input.isAtEnd {
        let (column, kind, value) = (Int(input.byte()), input.byte(), input.run())
        if let name = store.replace(column, with: FuzzStore.literal(kind, value)) { changed.insert(name) }
    }
    store.check()
    store.restore(changed)
}

/// A store with three items, and a copy that says what they were.
///
/// One thread uses it, for inputs come one after the other.
private final class FuzzStore: @unchecked Sendable {
    static let shared = FuzzStore()
    private static let caller = CallerIdentity(user: 0, process: 0, program: "test", groups: ["test"])
    private static let values = ["a": "value of a", "b": "value of b", "c": "value of c"]
    private static let columns = RowCodes.columnNames(of: .genericPassword).filter { $0 != "id" } + [RowCodes.column]

    private let folder = FuzzFolder("row")
    private let engine: KeychainEngine
    private let database: Database

    private init() {
        let path = folder.path
        let enclave = must("an enclave") { () throws(Refusal) in
            try SoftwareEnclave(vault: "\(path)/vault", createIfMissing: true, passcodeCost: .cheapest)
        }
        engine = must("an engine") { () throws(Refusal) in
            try KeychainEngine(
                store: try ItemStore(folder: path, prefersExclusive: false), enclave: enclave, deployment: "fuzz")
        }
        database = must("the file") { () throws(DatabaseError) in
            try Database(path: "\(path)/keychain.db", sharing: .shared)
        }
        for (account, value) in Self.values { add(account, value) }
        // An empty file is an empty database, and none is made here.
        folder.put("kept", [])
        execute("ATTACH '\(path)/kept' AS kept; CREATE TABLE kept.genp AS SELECT * FROM main.genp")
        check()
        require(found() == Self.values, "the store has not what was added")
    }

    private func add(_ account: String, _ value: String) {
        must("an item cannot be added") { () throws(Refusal) in
            var builder = ItemRequestBuilder(.add)
            try builder.set("class", .string("genp"))
            try builder.set("acct", .string(account))
            try builder.set("labl", .string("label of \(account)"))
            try builder.set("v_Data", data: Array(value.utf8).span)
            let write = PendingWrite(try builder.build(), from: Self.caller, id: 1, by: .never)
            engine.write([write])
            require(write.writer.complete().status == 0, "an item was not added")
        }
    }

    private func execute(_ sql: String) {
        must("a statement cannot be executed: \(sql)") { () throws(DatabaseError) in
            try database.execute(sql, "be fuzzed")
        }
    }

    /// An SQL expression of a value.
    static func literal(_ kind: UInt8, _ value: [UInt8]) -> String {
        let digits = value.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        let number = value.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        switch kind % 8 {
        case 0, 1: return "x'\(digits)'"
        case 2: return "CAST(x'\(digits)' AS TEXT)"
        case 3: return "\(number == .min ? 0 : number)"
        case 4: return "NULL"
        // Bytes of the column itself, with others behind or in them, and those of another row.
        case 5: return "CAST(COLUMN || x'\(digits)' AS BLOB)"
        case 6:
            let place = Int(value.first ?? 0)
            let (before, behind) = ("substr(COLUMN, 1, \(place))", "substr(COLUMN, \(place + value.count + 1))")
            return "CAST(\(before) || x'\(digits)' || \(behind) AS BLOB)"
        default: return "(SELECT COLUMN FROM main.genp WHERE id = \((value.first ?? 0) % 3 + 1))"
        }
    }

    /// - Returns: the column; nil where the file takes no such value.
    func replace(_ choice: Int, with literal: String) -> String? {
        let (row, column) = (choice % 3 + 1, Self.columns[choice / 3 % Self.columns.count])
        let value = literal.replacing("COLUMN", with: column)
        do throws(DatabaseError) {
            try database.execute("UPDATE main.genp SET \(column) = \(value) WHERE id = \(row)", "be fuzzed")
        } catch { return nil }
        return column
    }

    func restore(_ columns: Set<String>) {
        for column in columns {
            // First without any two that are the same.
            if column == "uuid" || column == "pk" { execute("UPDATE main.genp SET \(column) = randomblob(40)") }
            execute("UPDATE main.genp SET \(column) = (SELECT \(column) FROM kept.genp WHERE id = main.genp.id)")
        }
    }

    func check() {
        let found = found()
        for (account, value) in found {
            require(Self.values[account] == value, "an item has another value: \(account) \(value)")
        }
        for account in Self.values.keys {
            let looked = items { builder throws(Refusal) in try builder.set("acct", .string(account)) }
            for item in looked {
                require(item.attributes[.account]?.string == account, "another item is found")
                require(item.attributes[.valueData]?.string == Self.values[account], "another value is found")
                require(item.attributes[.label]?.string == "label of \(account)", "another label is found")
            }
        }
        let damaged = verify()
        require(found.count + damaged.count >= Self.values.count, "an item is missing, and nothing says so")
    }

    private func found() -> [String: String] {
        items { _ throws(Refusal) in }.reduce(into: [:]) { values, item in
            let account = item.attributes[.account]?.string ?? "none"
            require(values[account] == nil, "an item is found twice")
            values[account] = item.attributes[.valueData]?.string ?? "none"
        }
    }

    private func items(
        _ narrow: (inout ItemRequestBuilder) throws(Refusal) -> Void
    ) -> [ItemResponse.Item] {
        must("a search") { () throws(Refusal) in
            var builder = ItemRequestBuilder(.copyMatching)
            try builder.set("class", .string("genp"))
            for flag in ["r_Data", "r_Attributes"] { try builder.set(flag, .boolean(true)) }
            try builder.set("m_Limit", .string("m_LimitAll"))
            try narrow(&builder)
            let writer = ResponseWriter()
            try engine.makeItemReader().read(try builder.build(), from: Self.caller, id: 1, by: .never, into: writer)
            let answer = writer.complete()
            guard answer.status != KeychainStatus.itemNotFound.rawValue else { return [] }
            // Rows that say of themselves that they are locked.
            guard let response = try? ItemResponse(status: answer.status, body: answer.body) else { return [] }
            return response.items
        }
    }

    /// The rows that do not open, or are put aside.
    private func verify() -> [Int64] {
        must("a verification") { () throws(Refusal) in
            var (rows, next) = ([Int64](), VerificationCursor.start as VerificationCursor?)
            while let cursor = next {
                let page = try engine.makeItemReader().verify(from: cursor, by: .never)
                rows += page.report.damage.map(\.row)
                // A changed class in a row may make it one that is closed.
                rows += (0..<page.report.locked).map { Int64($0) }
                next = page.next
            }
            return rows
        }
    }
}

extension FuzzSeeds {
    static func ofRow() -> [[UInt8]] {
        let count = RowCodes.columnNames(of: .genericPassword).count
        var seeds: [[UInt8]] = []
        for column in 0..<UInt8(count) {
            for kind in UInt8(0)..<8 { seeds.append([column * 3, kind, 4, 1, 2, 3, 4]) }
            seeds.append([column * 3, 3, 1, 1, column * 3 + 1, 7, 1, 0])
        }
        return seeds
    }
}
