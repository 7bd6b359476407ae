import Glibc
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

@Suite("Searching by any of an item's lookup attributes")
struct LookupTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
    }

    private func add(_ account: String, _ pairs: LookupAttributes.Pairs) throws(Refusal) {
        try engine.add(account, account, more: ["satt": .data(LookupAttributes(pairs: pairs).encoded)])
    }

    /// The accounts of the items that are found.
    private func find(
        _ pairs: LookupAttributes.Pairs, from caller: CallerIdentity = TestEngine.caller
    ) throws(Refusal) -> [String] {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        try builder.set("satt", .data(LookupAttributes(pairs: pairs).encoded))
        try builder.set("r_Attributes", .boolean(true))
        try builder.set("m_Limit", .string("m_LimitAll"))
        do throws(Refusal) {
            return try engine.perform(try builder.build(), from: caller).items
                .compactMap { $0.attributes[.account]?.string }.sorted()
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }

    private func count(_ sql: String) throws -> Int64? {
        try Database(path: "\(engine.folder)/keychain.db", sharing: .shared).integer(sql, "be counted")
    }

    @Test("Any subset of the pairs finds the item, in its own group alone")
    func subsets() throws {
        try add("a", ["app": "x", "user": "anna"])
        try add("b", ["app": "x", "user": "bert", "more": ""])
        try engine.add("c", "none")
        #expect(try find(["app": "x"]) == ["a", "b"])
        #expect(try find(["user": "anna", "app": "x"]) == ["a"])
        #expect(try find(["more": ""]) == ["b"])
        #expect(try find(["user": "carla"]) == [])
        #expect(try find(["user": "anna", "more": ""]) == [])
        #expect(try find([LookupAttributes.schema: ExactText(LookupAttributes.generic)]) == ["a", "b"])
        let stranger = CallerIdentity(user: 0, process: 0, program: "other", groups: ["other"])
        #expect(try find(["app": "x"], from: stranger) == [])
    }

    @Test("A caller with several groups, whose pairs have several digests, finds the same")
    func severalGroups() throws {
        try add("a", ["app": "x"])
        let caller = CallerIdentity(user: 0, process: 0, program: "both", groups: ["other", "test"])
        #expect(try find(["app": "x"], from: caller) == ["a"])
    }

    @Test("A changed item is found by its new pairs and no longer by its old ones; a deleted one by none")
    func changes() throws {
        try add("a", ["app": "x", "old": "1"])
        var builder = ItemRequestBuilder(.update)
        try builder.set("class", .string("genp"))
        try builder.set("acct", .string("a"))
        try builder.change("satt", .data(LookupAttributes(pairs: ["app": "x", "new": "2"]).encoded))
        _ = try engine.write(try builder.build())
        #expect(try find(["old": "1"]) == [])
        #expect(try find(["new": "2", "app": "x"]) == ["a"])
        // Two pairs, and the kind.
        #expect(try count("SELECT count(*) FROM lookup") == 3)
        var deletion = ItemRequestBuilder(.delete)
        try deletion.set("class", .string("genp"))
        try deletion.set("acct", .string("a"))
        _ = try engine.write(try deletion.build())
        #expect(try count("SELECT count(*) FROM lookup") == 0)
    }

    @Test("A store without such items has no table for them, and a search in it finds nothing")
    func noTable() throws {
        try engine.add("a", "value")
        #expect(try find(["app": "x"]) == [])
        #expect(try count("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'lookup%'") == 0)
    }

    @Test("What is no list of pairs is refused, in an item and in a search")
    func noList() throws {
        let pairs = (0...LookupAttributes.mostPairs).map { (ExactText("\($0)"), ExactText("")) }
        let tooMany = LookupAttributes(pairs: Dictionary(uniqueKeysWithValues: pairs)).encoded
        for bytes in [[7, 7], tooMany] {
            let refusal = #expect(throws: Refusal.self) {
                try engine.add("a", "value", more: ["satt": .data(bytes)])
            }
            #expect(refusal?.status == .param && refusal?.subject == "satt")
        }
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        try builder.set("satt", .data([7, 7]))
        let search = try builder.build()
        #expect(throws: Refusal.self) { try engine.perform(search, from: TestEngine.caller) }
    }

    @Test("Pairs that were taken away or exchanged behind the store's back are reported, and hide no item")
    func tampering() throws {
        try add("a", ["app": "x"])
        try add("b", ["app": "y"])
        #expect(try engine.verify().damage.isEmpty)
        try engine.tamper("UPDATE OR REPLACE lookup SET item = 3 - item")
        #expect(try find(["app": "x"]) == ["a"])
        #expect(try engine.verify().damage.map(\.row) == [1, 2])
        try engine.tamper("DELETE FROM lookup")
        #expect(try engine.verify().damage.count == 2)
        #expect(try find(["app": "y"]) == ["b"])
        #expect(try find(["app": "z"]) == [])
    }

    @Test(
        "A damaged pair hides no item from any search: by one pair or two, of one or all, by reference or attributes",
        arguments: [
            "UPDATE lookup SET digest = CAST(substr(digest, 1, 15) || x'ff' AS BLOB) WHERE item = 2",
            "UPDATE lookup SET item = 7 WHERE item = 2", "DELETE FROM lookup WHERE item = 2", "DROP TABLE lookup",
        ])
    func damagedPair(change: String) throws {
        try add("a", ["app": "x", "user": "anna"])
        try add("b", ["app": "x", "user": "bert"])
        try engine.tamper(change)
        for pairs in [["app": "x", "user": "bert"], ["user": "bert"]] as [LookupAttributes.Pairs] {
            for (key, limit) in [("r_Attributes", "m_LimitOne"), ("r_PersistentRef", "m_LimitAll")] {
                for missesNothing in [true, false] {
                    #expect(try count(pairs, key, limit, missesNothing) == 1)
                }
            }
        }
        #expect(try find(["app": "x"]) == ["a", "b"])
        #expect(try find(["user": "carla"]) == [])
    }

    @Test("A pair that is damaged while the store is in use hides no item", arguments: [true, false])
    func damagedInUse(isOwned: Bool) throws {
        let place = try TemporaryDirectory()
        let engine = try TestEngine(in: place, exclusive: isOwned)
        for name in ["a", "b"] {
            let pairs = LookupAttributes(pairs: ["app": "x", "user": ExactText(name)])
            try engine.add(name, name, more: ["satt": .data(pairs.encoded)])
        }
        func find() throws(Refusal) -> Int {
            var builder = ItemRequestBuilder(.copyMatching)
            try builder.set("class", .string("genp"))
            try builder.set("satt", .data(LookupAttributes(pairs: ["user": "b"]).encoded))
            try builder.set("r_Attributes", .boolean(true))
            try builder.set("m_Limit", .string("m_LimitAll"))
            return try engine.read(try builder.build()).items.count
        }
        let path = "\(engine.folder)/keychain.db"
        engine.engine.maintain()
        // A finding right after a change is not kept.
        #expect(eventually { StoreState(of: path, isShared: !isOwned, now: Clock.realtimeNanoseconds) != nil })
        #expect(try find() == 1)
        if isOwned {
            try damagePairs(in: path, of: 2)
            // A commit has the readers look at the file.
            try engine.add("c", "c")
        } else {
            try engine.tamper("UPDATE lookup SET item = 7 WHERE item = 2")
        }
        #expect(try find() == 1)
    }

    /// Changes all digests of an item's pairs in the file itself, which another program may do at any time.
    private func damagePairs(in path: String, of item: Int64) throws {
        let copy = try TemporaryDirectory()
        let bytes = try AtomicFile.read(path, limit: 1 << 24)
        try AtomicFile.replace(copy.file("db"), with: bytes.span)
        let statement = try Database(path: copy.file("db"), sharing: .shared)
            .prepare("SELECT digest FROM lookup WHERE item = \(item)", "be damaged")
        let file = try FileDescriptor.open(path, O_RDWR)
        while try statement.step() {
            let digest = statement.withBlob(0) { $0.array(0, $0.count) }
            for place in bytes.indices where bytes[place...].starts(with: digest) {
                #expect(unsafe pwrite(file.number, [UInt8(0xFF) ^ digest[8]], 1, off_t(place + 8)) == 1)
            }
        }
    }

    private func count(
        _ pairs: LookupAttributes.Pairs, _ key: String, _ limit: String, _ missesNothing: Bool
    ) throws(Refusal) -> Int {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        try builder.set("satt", .data(LookupAttributes(pairs: pairs).encoded))
        try builder.set(key, .boolean(true))
        try builder.set("m_Limit", .string(limit))
        if missesNothing { builder.missNothing() }
        return try engine.read(try builder.build()).items.count
    }

    @Test("The rows that are looked at are those with the rarest pair, whatever the order of the pairs")
    func plan() throws {
        for index in 0..<200 { try add("\(index)", ["app": "x", "number": ExactText("\(index)")]) }
        let shape = QueryShape(
            itemClass: .genericPassword, groups: 1, attributes: AttributeID.service.bit, synchronizable: 0,
            tombstone: 0, reference: .none, isPaged: true, lookups: 2)
        let database = try Database(path: "\(engine.folder)/keychain.db", sharing: .shared)
        let statement = try database.prepare("EXPLAIN QUERY PLAN \(QueryCompiler.select(shape))", "be explained")
        var plan: [String] = []
        while try statement.step() { plan.append(statement.text(3)) }
        #expect(plan.contains { $0.hasPrefix("SEARCH genp USING INTEGER PRIMARY KEY (rowid=?)") }, "\(plan)")
        #expect(plan.allSatisfy { !$0.hasPrefix("SCAN") }, "\(plan)")
        #expect(try find(["app": "x", "number": "77"]) == ["77"])
    }
}
