import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine

@Suite("What applications in sandboxes have given to the bridge to the desktop")
struct SandboxedSecretsTests {
    private static let bridge = CallerIdentity(
        user: 1, process: 1, program: "/x/keychain-secrets",
        groups: [AccessGroup.secretService, "program:/x/keychain-secrets"])
    private static let (mail, chat) = (
        "secret-service:flatpak:org.example.Mail", "secret-service:flatpak:org.example.Chat"
    )
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func add(_ account: String, _ group: String?, to engine: TestEngine) throws -> [UInt8] {
        var builder = ItemRequestBuilder(.add)
        try builder.set("class", .string("genp"))
        if let group { try builder.set("agrp", .string(group)) }
        try builder.set("acct", .string(account))
        try builder.set("satt", .data(LookupAttributes(pairs: ["a": "b"]).encoded))
        try builder.set("v_Data", data: Array("value".utf8).span)
        try builder.set("r_PersistentRef", .boolean(true))
        let answer = try engine.perform(try builder.build(), from: Self.bridge)
        return try #require(answer.items.first?.attributes[.persistentReference]?.bytes)
    }

    private func named(
        _ reference: [UInt8], _ operation: ItemRequest.Operation, _ group: String?
    ) throws -> ItemRequest {
        var builder = ItemRequestBuilder(operation)
        try builder.set("v_PersistentRef", .data(reference))
        if let group { try builder.set("agrp", .string(group)) }
        if operation == .update { try builder.change("labl", .string("changed")) }
        return try builder.build()
    }

    private func count(_ group: String?, in engine: TestEngine, byPairs: Bool) throws -> Int {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        if let group { try builder.set("agrp", .string(group)) }
        if byPairs { try builder.set("satt", .data(LookupAttributes(pairs: ["a": "b"]).encoded)) }
        try builder.set("m_Limit", .string("m_LimitAll"))
        try builder.set("r_PersistentRef", .boolean(true))
        builder.missNothing()
        do throws(Refusal) { return try engine.perform(try builder.build(), from: Self.bridge).items.count } catch {
            #expect(error.status == .itemNotFound)
            return 0
        }
    }

    @Test("A request reaches those of the application that it names, and none where it names none")
    func borders() throws {
        let engine = try TestEngine(in: directory)
        let own = try add("m", Self.mail, to: engine)
        _ = try add("c", Self.chat, to: engine)
        let outside = try add("o", nil, to: engine)
        for byPairs in [true, false] {
            for group in [Self.mail, Self.chat, nil] {
                #expect(try count(group, in: engine, byPairs: byPairs) == 1)
            }
        }
        for operation in [ItemRequest.Operation.copyMatching, .update, .delete] {
            for (reference, group) in [(own, nil), (own, Self.chat), (outside, Self.mail)] {
                let request = try named(reference, operation, group)
                #expect(refusal { _ = try engine.perform(request, from: Self.bridge) }?.status == .itemNotFound)
            }
        }
        for operation in [ItemRequest.Operation.copyMatching, .update, .delete] {
            _ = try engine.perform(try named(own, operation, Self.mail), from: Self.bridge)
            _ = try engine.perform(try named(outside, operation, nil), from: Self.bridge)
        }
        #expect(try [Self.mail, Self.chat, nil].map { try count($0, in: engine, byPairs: true) } == [0, 1, 0])
    }

    @Test("An application has a twentieth of a program's quota, and takes nothing of that of others")
    func quotas() throws {
        let engine = try TestEngine(in: directory, quotas: Quotas(programItems: 40))
        for account in ["1", "2"] { _ = try add(account, Self.mail, to: engine) }
        let full = refusal { _ = try add("3", Self.mail, to: engine) }
        #expect(full?.status == .diskFull && full?.rule == .quota)
        for account in ["1", "2"] { _ = try add(account, Self.chat, to: engine) }
        for account in 1...40 { _ = try add("\(account)", nil, to: engine) }
        #expect(refusal { _ = try add("41", nil, to: engine) }?.rule == .quota)
    }
}
