import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

/// The row of rule access-groups.foreign.invisible on items that exist in a group which is not the caller's.
@Suite("An item in a foreign group is not there")
struct GroupBorderTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine
    private static let stranger = CallerIdentity(user: 0, process: 1, program: "stranger", groups: ["OTHER.app"])

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
        try engine.add("a", "secret")
    }

    private func request(_ operation: ItemRequest.Operation) throws -> ItemRequest {
        var builder = ItemRequestBuilder(operation)
        try builder.set("class", .string("genp"))
        try builder.set("svce", .string("service"))
        try builder.set("acct", .string("a"))
        if operation == .copyMatching { try builder.set("r_Data", .boolean(true)) }
        if operation == .update { try builder.change("labl", .string("mine")) }
        return try builder.build()
    }

    @Test(
        "it is neither found, nor updated, nor deleted (-25300)", .rule("access-groups.foreign.invisible"),
        arguments: [ItemRequest.Operation.copyMatching, .update, .delete])
    func hidden(operation: ItemRequest.Operation) throws {
        let request = try request(operation)
        #expect(refusal { _ = try engine.perform(request, from: Self.stranger) }?.status == .itemNotFound)
        #expect(try engine.values() == ["a": "secret"])
    }

    @Test(
        "it is no duplicate of one that is added, which belongs to the caller's group",
        .rule("access-groups.foreign.invisible"))
    func noDuplicate() throws {
        _ = try engine.perform(try request(.add), from: Self.stranger)
        let found = try engine.perform(try request(.copyMatching), from: Self.stranger)
        #expect(found.items.first?.attributes[.valueData]?.string ?? "" == "")
        #expect(try engine.values() == ["a": "secret"])
    }
}

extension TestEngine {
    /// Performs an item request for anybody.
    func perform(_ request: ItemRequest, from caller: CallerIdentity) throws(Refusal) -> ItemResponse {
        let writer: ResponseWriter
        if request.isSearch {
            writer = ResponseWriter()
            try engine.makeItemReader().read(request, from: caller, id: 1, by: .never, into: writer)
        } else {
            let write = PendingWrite(request, from: caller, id: 1, by: .never)
            engine.write([write])
            writer = write.writer
        }
        let answer = writer.complete()
        return try ItemResponse(status: answer.status, body: answer.body)
    }
}
