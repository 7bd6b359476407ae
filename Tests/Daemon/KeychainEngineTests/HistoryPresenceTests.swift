import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine

/// Deleted and replaced items come back in the user's presence.
@Suite("Earlier versions and the user's presence")
struct HistoryPresenceTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
        try engine.device(.setPasscode, "1")
    }

    private func perform(
        _ request: ItemRequest, in context: [UInt8]? = nil, from caller: CallerIdentity = TestEngine.caller
    ) throws(Refusal) {
        let writer = ResponseWriter()
        engine.engine.authentication(
            .perform(.item(request), context: context, prompt: Prompt()), password: nil, from: caller,
            PromptCancellation(), id: 1, by: .never, into: writer)
        let answer = writer.complete()
        _ = try ItemResponse(status: answer.status, body: answer.body)
    }

    private func deleted(_ accounts: String...) throws {
        for account in accounts {
            try engine.add(account, "value of \(account)")
            _ = try engine.write(try HistoryTests.request(.delete, account))
        }
    }

    @Test("A deleted item comes back after the user was asked for it by name, and not before")
    func undelete() throws {
        try deleted("a")
        let request = try HistoryTests.request(.restore, "a")
        let refused = refusal { _ = try engine.write(request) }
        #expect(refused?.status == .authNeeded && refused?.rule == .needsUser)
        #expect(try engine.values() == [:])
        #expect(engine.agent.questions.isEmpty)
        try perform(request)
        #expect(try engine.values() == ["a": "value of a"])
        #expect(engine.agent.questions.map(\.prompt.item) == ["service"])
    }

    @Test("The user is asked for each item and request again, whatever the program's context has shown")
    func eachTime() throws {
        try deleted("a", "b")
        let context = Randomness.bytes(16)
        let writer = ResponseWriter()
        engine.engine.authentication(
            .evaluate(.policy(2), context: context, prompt: Prompt()), password: nil, from: TestEngine.caller,
            PromptCancellation(), id: 1, by: .never, into: writer)
        #expect(writer.complete().status == 0)
        try perform(try HistoryTests.request(.restore, "a"), in: context)
        try perform(try HistoryTests.request(.restore, "b"), in: context)
        #expect(engine.agent.questions.count == 3)
        #expect(Set(engine.agent.questions.map(\.context)).count == 3)
        #expect(try engine.values().count == 2)
    }

    @Test("An earlier value comes back only after the user was asked")
    func earlierValue() throws {
        try engine.add("a", "one")
        let moment = Clock.secondsSinceReferenceDate
        _ = try engine.write(try HistoryTests.request(.update, "a", changing: "two"))
        let request = try HistoryTests.request(.restore, "a", asOf: moment)
        #expect(refusal { _ = try engine.write(request) }?.status == .authNeeded)
        #expect(try engine.values() == ["a": "two"])
        try perform(request)
        #expect(try engine.values() == ["a": "one"])
        #expect(engine.agent.questions.count == 1)
    }

    @Test("More items than one question names are all restored in the end, each asked for once")
    func many() throws {
        let accounts = (0..<(AccessControlGate.most + 20)).map { "\($0)" }
        for account in accounts { try engine.add(account, "one") }
        let moment = Clock.secondsSinceReferenceDate
        _ = try engine.write(try HistoryTests.request(.update, nil, changing: "two"))
        try perform(try HistoryTests.request(.restore, nil, asOf: moment))
        #expect(Set(try engine.values().values) == ["one"])
        #expect(engine.agent.questions.count == 2)
    }

    @Test("A request that forbids asking, and one whose user cannot be asked, bring nothing back")
    func nobody() throws {
        try deleted("a")
        var silent = try HistoryTests.request(.restore, "a")
        silent.authenticationUI = .fail
        #expect(refusal { _ = try engine.write(silent) }?.status == .interactionNotAllowed)
        #expect(refusal { try perform(silent) }?.status == .interactionNotAllowed)
        engine.agent.become(.absent)
        let refused = refusal { try perform(try HistoryTests.request(.restore, "a")) }
        #expect(refused?.status == .interactionNotAllowed)
        #expect(refused?.remedy.isEmpty == false)
        #expect(try engine.values() == [:])
    }

    @Test("No presence brings back what is in a group that the caller has not, nor shows that it was there")
    func otherGroup() throws {
        try deleted("a")
        let stranger = CallerIdentity(
            user: 1, process: 1, program: "security", groups: ["other"], mayInspectAllGroups: true)
        let refused = refusal { try perform(try HistoryTests.request(.restore, "a"), from: stranger) }
        #expect(refused?.status == .itemNotFound)
        #expect(engine.agent.questions.isEmpty)
        var everything = try HistoryTests.request(.history)
        everything.inspectsAllGroups = true
        #expect(refusal { try perform(everything, from: stranger) }?.rule == .inspection)
    }

    @Test("No request gives the value of an earlier version", arguments: [ReturnFlags.data, .reference])
    func values(flag: ReturnFlags) throws {
        try deleted("a")
        for operation in [ItemRequest.Operation.history, .restore] {
            var request = try HistoryTests.request(operation, "a")
            request.returns.insert(flag)
            #expect(refusal { try perform(request) }?.status == .param)
        }
        #expect(engine.agent.questions.isEmpty)
    }
}
