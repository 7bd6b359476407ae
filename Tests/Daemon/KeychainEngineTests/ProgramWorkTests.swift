import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine

@Suite("The keychain's own command works for a program that its path alone names")
struct ProgramWorkTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine
    private static let group = "program:/bin/app"
    private static let app = CallerIdentity(user: user, process: 1, program: "/bin/app", groups: [group])
    private static let command = CallerIdentity(
        user: user, process: 3, program: "/usr/bin/security", groups: ["program:/usr/bin/security"],
        mayInspectAllGroups: true)
    private static let user = CurrentProcess.user == 0 ? 1000 : CurrentProcess.user

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory, anchoredGroups: AnchoredGroups { $0 == "program:/bin/anchored" })
    }

    private func item(
        _ operation: ItemRequest.Operation, _ account: String = "ada", value: String? = nil, group: String? = nil
    ) throws(Refusal) -> ItemRequest {
        var builder = ItemRequestBuilder(operation)
        try builder.set("class", .string("genp"))
        try builder.set("svce", .string("service"))
        try builder.set("acct", .string(account))
        if let group { try builder.set("agrp", .string(group)) }
        if let value { try builder.set("v_Data", data: Array(value.utf8).span) }
        if operation == .copyMatching { try builder.set("r_Data", .boolean(true)) }
        return try builder.build()
    }

    private func work(
        _ requests: [ItemRequest], for group: String = group, as caller: CallerIdentity = command,
        _ passcode: String? = nil
    ) throws(Refusal) -> [ProgramAnswer] {
        let work = AccessRequest.work(ProgramWork(group, requests))
        guard case .worked(let answers) = try engine.access(work, from: caller, passcode) else {
            throw .malformed("the answers")
        }
        return answers
    }

    @Test("What it adds is the program's, and the program alone finds it")
    func adds() throws {
        let answers = try work([try item(.add, "ada", value: "1"), try item(.add, "bob", value: "2")])
        #expect(try answers.map { try $0.get().items.count } == [1, 1])
        let found = try engine.perform(try item(.copyMatching, "bob"), from: Self.app)
        #expect(found.items.first?.attributes[.valueData]?.string == "2")
        #expect(
            refusal { _ = try engine.perform(try item(.copyMatching, "bob"), from: Self.command) }?.status
                == .itemNotFound)
    }

    @Test("An item that is there is not overwritten, and the others are added")
    func keepsWhatIsThere() throws {
        _ = try engine.perform(try item(.add, "ada", value: "own"), from: Self.app)
        let answers = try work([try item(.add, "ada", value: "forged"), try item(.add, "bob", value: "2")])
        #expect(refusal { _ = try answers[0].get() }?.rule == .duplicate)
        #expect(refusal { _ = try answers[1].get() } == nil)
        let found = try engine.perform(try item(.copyMatching, "ada"), from: Self.app)
        #expect(found.items.first?.attributes[.valueData]?.string == "own")
    }

    @Test(
        "Groups of signed, entitled, sandboxed and anchored programs and of units are refused",
        arguments: [
            "TEAM.app", "unit:cron.service", "flatpak:org.example.App", "snap:app", "program:/bin/anchored", "program:",
            "program:relative", "*", "com.apple.token", "",
        ])
    func refusesOthers(group: String) throws {
        let adding = try item(.add, value: "1")
        #expect(refusal { _ = try work([adding], for: group) }?.status == .missingEntitlement)
        let root = CallerIdentity(user: 0, process: 1, program: "/bin/x", groups: [])
        #expect(refusal { _ = try work([adding], for: group, as: root) }?.status == .missingEntitlement)
    }

    @Test("A request that names another group than the program's is refused as the program's own would be")
    func staysInTheGroup() throws {
        let answers = try work([try item(.add, value: "1", group: "TEAM.app")])
        #expect(refusal { _ = try answers[0].get() }?.status == .missingEntitlement)
    }

    @Test("Another program than the keychain's command works for nobody")
    func needsTheCommand() throws {
        let other = CallerIdentity(user: Self.user, process: 1, program: "/bin/evil", groups: ["program:/bin/evil"])
        #expect(refusal { _ = try work([try item(.add, value: "1")], as: other) }?.rule == .foreignGroups)
        #expect(refusal { _ = try work([try item(.copyMatching)], as: other) }?.rule == .foreignGroups)
    }

    @Test("Where a password is set it is asked for, and a wrong one is counted")
    func wantsThePasscode() throws {
        try engine.device(.setPasscode, "right")
        let adding = try item(.add, value: "1")
        #expect(refusal { _ = try work([adding]) }?.rule == .wrongPasscode)
        #expect(try engine.engine.status().failedAttempts == 0)
        #expect(refusal { _ = try work([adding], "wrong") }?.rule == .wrongPasscode)
        #expect(try engine.engine.status().failedAttempts == 1)
        #expect(try work([adding], "right").count == 1)
    }

    @Test("What belongs to somebody else's daemon is taken from a program only with a password")
    func takesWithPasscodeAlone() throws {
        _ = try engine.perform(try item(.add, value: "1"), from: Self.app)
        let stranger = CallerIdentity(
            user: CurrentProcess.user + 1, process: 3, program: "/usr/bin/security", groups: ["s"],
            mayInspectAllGroups: true)
        for operation in [ItemRequest.Operation.copyMatching, .delete] {
            #expect(refusal { _ = try work([try item(operation)], as: stranger) }?.rule == .foreignGroups)
        }
        // One that only adds may go on; one with anything else in it may not.
        #expect(try work([try item(.add, "bob", value: "2")], as: stranger).count == 1)
        let mixed = [try item(.add, "eve", value: "3"), try item(.copyMatching)]
        #expect(refusal { _ = try work(mixed, as: stranger) }?.rule == .foreignGroups)
    }

    @Test("Nothing but finding, adding and deleting is done for a program")
    func doesNothingElse() throws {
        try engine.device(.setPasscode, "p")
        for operation in [ItemRequest.Operation.update, .history, .restore, .forget] {
            var request = try item(.delete)
            request.operation = operation
            let answers = try work([request], "p")
            #expect(refusal { _ = try answers[0].get() }?.status == .param)
        }
    }

    @Test("A deletion that names the date of an item's last change leaves an item that was changed since")
    func deletesAsRead() throws {
        try engine.device(.setPasscode, "p")
        _ = try engine.perform(try item(.add, value: "1"), from: Self.app)
        var listing = ItemRequestBuilder(.copyMatching)
        try listing.set("class", .string("genp"))
        try listing.set("r_Attributes", .boolean(true))
        let date = try #require(
            try work([try listing.build()], "p")[0].get().items.first?.attributes[.modificationDate])
        func deletion(_ date: AttributeValue) throws(Refusal) -> ItemRequest {
            var builder = ItemRequestBuilder(.delete)
            try builder.set("class", .string("genp"))
            for (code, text) in [("svce", "service"), ("acct", "ada")] {
                try builder.set(DictionaryKey(code), .string(text))
            }
            builder.fill(.modificationDate, date)
            return try builder.build()
        }
        let earlier = try work([try deletion(.date(1))], "p")
        #expect(refusal { _ = try earlier[0].get() }?.status == .itemNotFound)
        let asRead = try work([try deletion(date)], "p")
        #expect(refusal { _ = try asRead[0].get() } == nil)
        #expect(
            refusal { _ = try engine.perform(try item(.copyMatching), from: Self.app) }?.status == .itemNotFound)
    }

    @Test("What was added is found as it came before the answer says so, with all its attributes")
    func compares() throws {
        var builder = ItemRequestBuilder(.add)
        try builder.set("class", .string("inet"))
        for (code, text) in [("srvr", "h"), ("acct", "a"), ("path", "/p"), ("labl", "l"), ("icmt", "ä")] {
            try builder.set(DictionaryKey(code), .string(text))
        }
        try builder.set("port", .number(443))
        try builder.set("pdmn", .string("ck"))
        try builder.set("v_Data", data: [0, 255, 10].span)
        let answers = try work([try builder.build()])
        #expect(try answers[0].get().items.count == 1)
    }
}
