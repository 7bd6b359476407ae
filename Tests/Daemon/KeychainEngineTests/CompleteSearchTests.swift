import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

@Suite("A search that must miss nothing")
struct CompleteSearchTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
        try engine.add("whole", "v", more: Self.pairs("2"))
        try engine.add("damaged", "v", more: Self.pairs("1"))
    }

    private static func pairs(_ value: ExactText) -> [String: RawValue] {
        [
            "satt": .data(LookupAttributes(pairs: ["n": value]).encoded), "pdmn": .string("ck"),
            "labl": .string("a label"),
        ]
    }

    private func search(
        _ value: ExactText? = nil, returning keys: [String] = ["r_Attributes"], misses: Bool = false
    ) throws(Refusal) -> Int {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        try builder.set("svce", .string("service"))
        if let value { try builder.set("satt", .data(LookupAttributes(pairs: ["n": value]).encoded)) }
        for key in keys { try builder.set(key, .boolean(true)) }
        try builder.set("m_Limit", .string("m_LimitAll"))
        if !misses { builder.missNothing() }
        return try engine.read(try builder.build()).items.count
    }

    private func find(_ reference: [UInt8]) throws(Refusal) -> Int {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("v_PersistentRef", .data(reference))
        try builder.set("r_Data", .boolean(true))
        builder.missNothing()
        return try engine.read(try builder.build()).items.count
    }

    private func reference(_ value: ExactText) throws -> [UInt8] {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        try builder.set("satt", .data(LookupAttributes(pairs: ["n": value]).encoded))
        try builder.set("r_PersistentRef", .boolean(true))
        let item = try #require(try engine.read(try builder.build()).items.first)
        return try #require(item.attributes[.persistentReference]?.bytes)
    }

    private static let changes =
        ["pdmn = 8 - pdmn", "sync = 1 - sync", "tomb = 1 - tomb"]
        + Schema.rowColumns(of: .genericPassword).split(separator: ", ")
        .filter { !["id", "pdmn", "sync", "tomb"].contains($0) }
        .map { "\($0) = CAST(substr(\($0), 1, length(\($0)) - 1) || x'00ff' AS BLOB)" }

    @Test("a damaged match refuses the request, whichever column it is", arguments: changes)
    func damaged(change: String) throws {
        let whole = try reference("2")
        let named = try reference("1")
        try engine.tamper("UPDATE genp SET \(change) WHERE id = 2")
        let ways: [() throws -> Void] = [
            { _ = try search("1") }, { _ = try search("1", returning: ["r_PersistentRef"]) },
            { _ = try search(returning: ["r_PersistentRef"]) }, { _ = try find(named) },
        ]
        for way in ways { #expect(refusal(way)?.rule == .damaged) }
        #expect(try search("2") == 1)
        #expect(try find(whole) == 1)
        #expect(refusal { _ = try search("1", misses: true) }?.rule == .notFound)
    }

    @Test("an addition that may replace a damaged item is refused; any other takes its place")
    func replacing() throws {
        try engine.tamper(TestEngine.flip("data", 30, ofRow: 2))
        func add(missing: Bool) throws(Refusal) {
            var builder = ItemRequestBuilder(.add)
            try builder.set("class", .string("genp"))
            try builder.set("svce", .string("service"))
            try builder.set("acct", .string("damaged"))
            try builder.set("u_UpdateExisting", .boolean(true))
            try builder.set("v_Data", data: Array("new".utf8).span)
            if !missing { builder.missNothing() }
            _ = try engine.write(try builder.build())
        }
        #expect(refusal { try add(missing: false) }?.rule == .damaged)
        try add(missing: true)
        #expect(try engine.values()["damaged"] == "new")
    }

    @Test("an update and a deletion have no such option")
    func otherOperations() throws {
        for operation in [ItemRequest.Operation.update, .delete, .add] {
            var builder = ItemRequestBuilder(operation)
            try builder.set("class", .string("genp"))
            builder.missNothing()
            let request = try builder.build()
            #expect(refusal { try request.check() }?.rule == .notAllowedHere)
        }
    }

    @Test("what nobody has is not there")
    func nothing() throws {
        #expect(refusal { _ = try search("3") }?.rule == .notFound)
        let stranger = Array("genp".utf8) + [UInt8](repeating: 7, count: 16)
        #expect(refusal { _ = try find(stranger) }?.rule == .notFound)
    }
}
