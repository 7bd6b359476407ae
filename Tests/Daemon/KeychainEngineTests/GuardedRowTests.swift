import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine

/// Rows whose key the user guards, as the engine has to do with them.
@Suite("Guarded rows")
struct GuardedRowTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine
    private static let finger: [String: RawValue] = ["accc": .control(.whenUnlocked, 1 << 1)]

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
    }

    private static func query(_ account: String?, _ more: [String: RawValue] = [:]) throws -> ItemRequest {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        if let account { try builder.set("acct", .string(account)) }
        try builder.set("r_Data", .boolean(true))
        for (key, value) in more { try builder.set(key, value) }
        return try builder.build()
    }

    private func perform(
        _ request: ItemRequest, _ conversation: PromptCancellation = PromptCancellation(),
        by deadline: Deadline = .never
    ) throws(Refusal) -> ItemResponse {
        let writer = ResponseWriter()
        engine.engine.authentication(
            .perform(.item(request), context: nil, prompt: Prompt()), password: nil, from: TestEngine.caller,
            conversation, id: 1, by: deadline, into: writer)
        let answer = writer.complete()
        return try ItemResponse(status: answer.status, body: answer.body)
    }

    @Test("A plain request is refused with the status that says to ask the user, and nobody is asked")
    func plain() throws {
        try engine.add("a", "secret", more: Self.finger)
        let refused = refusal { _ = try engine.read(try Self.query("a")) }
        #expect(refused?.status == .authNeeded && refused?.rule == .needsUser)
        #expect(engine.agent.questions.isEmpty)
        #expect(try perform(Self.query("a")).items.first?.attributes[.valueData]?.string == "secret")
        #expect(engine.agent.questions.map(\.kind) == [.finger])
        #expect(engine.agent.questions.first?.prompt.program == "test (unsigned)")
        #expect(refusal { _ = try engine.read(try Self.query("a")) }?.status == .authNeeded)
    }

    @Test("The bridge alone says for which program it asks", arguments: [true, false])
    func asksForAnother(isBridge: Bool) {
        var prompt = Prompt()
        (prompt.program, prompt.item) = ("/usr/bin/other", "an item")
        let caller = CallerIdentity(user: 1, process: 1, program: "p", groups: [], mayAskForOthers: isBridge)
        #expect(prompt.shown(by: caller).program == (isBridge ? "/usr/bin/other" : "p (unsigned)"))
        #expect(Prompt().shown(by: caller).program == (isBridge ? "p" : "p (unsigned)"))
        #expect(prompt.shown(by: caller).item.isEmpty)
    }

    @Test("What is shown for a request without a context serves that request alone")
    func serves() throws {
        try engine.add("a", "secret", more: Self.finger)
        _ = try perform(Self.query("a"))
        _ = try perform(Self.query("a"))
        #expect(engine.agent.questions.count == 2)
        #expect(engine.agent.questions[0].context != engine.agent.questions[1].context)
    }

    @Test("A guarded row that was damaged hides only itself", arguments: [1, 5, 13, 40, 80])
    func damaged(at byte: Int) throws {
        for account in ["a", "b"] { try engine.add(account, account, more: Self.finger) }
        try engine.tamper(TestEngine.flip("wkey", byte, ofRow: 1))
        let all = try Self.query(nil, ["m_Limit": .string("m_LimitAll")])
        #expect(try perform(all).items.count == 1)
    }

    @Test("More rows than one question names are all opened in the end")
    func many() throws {
        for index in 0..<(AccessControlGate.most + 20) { try engine.add("\(index)", "v", more: Self.finger) }
        let all = try Self.query(nil, ["m_Limit": .string("m_LimitAll")])
        #expect(try perform(all).items.count == AccessControlGate.most + 20)
        #expect(engine.agent.questions.count == 2)
        #expect(engine.agent.questions[0].prompt.item == "service, service, service, …")
    }

    @Test("The prompt of a caller that has gone is withdrawn")
    func hangsUp() throws {
        try engine.add("a", "secret", more: Self.finger)
        engine.agent.become(.waiting)
        let (conversation, outcome) = (PromptCancellation(), Monitor<Refusal?>(nil))
        let request = try Self.query("a")
        let thread = try Thread(named: "asker") {
            let refused = refusal { _ = try perform(request, conversation) }
            outcome.update { $0 = refused }
        }
        #expect(engine.agent.isAsked())
        engine.engine.withdraw(conversation)
        thread.join()
        #expect(outcome.update { $0 }?.rule == .withdrawn)
    }

    @Test("A caller that has gone before anything was begun has nobody asked")
    func goneBefore() throws {
        try engine.add("a", "secret", more: Self.finger)
        let conversation = PromptCancellation()
        engine.engine.withdraw(conversation)
        #expect(refusal { _ = try perform(try Self.query("a"), conversation) }?.rule == .withdrawn)
        #expect(engine.agent.questions.isEmpty)
    }

    @Test("Writes, searches and keys go on while the user is being asked")
    func holdsUpNobody() throws {
        try engine.add("a", "secret", more: Self.finger)
        engine.agent.become(.waiting)
        var builder = ItemRequestBuilder(.update)
        try builder.set("class", .string("genp"))
        try builder.set("acct", .string("a"))
        try builder.change("labl", .string("new"))
        let (conversation, request) = (PromptCancellation(), try builder.build())
        let thread = try Thread(named: "asker") { _ = refusal { _ = try perform(request, conversation) } }
        #expect(engine.agent.isAsked())
        try engine.add("b", "open")
        #expect(try engine.read(Self.query("b")).items.count == 1)
        engine.engine.withdraw(conversation)
        thread.join()
    }

    @Test("Two callers, or two programs of one, are not the same caller to the enclave")
    func digests() throws {
        let caller = TestEngine.caller
        let others = [
            CallerIdentity(user: 1, process: 0, program: "test", groups: []),
            CallerIdentity(user: 0, process: 1, program: "test", groups: []),
            CallerIdentity(user: 0, process: 0, program: "tes", groups: []),
            CallerIdentity(user: 0, process: 0, program: "test", isAnchored: true, groups: []),
            CallerIdentity(
                user: 0, process: 0, program: "test", provenance: .signed(team: "T", identifier: "test"), groups: []),
            CallerIdentity(
                user: 0, process: 0, program: "test", provenance: .signed(team: "U", identifier: "test"), groups: []),
        ]
        let digests = try Set(([caller] + others).map { try $0.digest() })
        #expect(digests.count == 7 && digests.allSatisfy { $0.count == AuthenticationContext.callerBytes })
        let again = CallerIdentity(user: 0, process: 0, program: "test", groups: ["other"])
        #expect(try again.digest() == caller.digest())
    }
}
