import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

@testable import KeychainEngine

/// Keys as a program's side makes, adds, finds and uses them.
extension TestEngine {
    static let token = "com.apple.setoken"
    static let usable = AccessControl.privateKeyUsage

    func caller(_ groups: [String]) -> CallerIdentity {
        CallerIdentity(user: 0, process: 0, program: "test", groups: groups)
    }

    func key(_ request: KeyRequest, as groups: [String] = ["test"]) throws(Refusal) -> KeyReply {
        let writer = ResponseWriter()
        engine.key(request, from: caller(groups), id: 1, into: writer)
        let answer = writer.complete()
        return try KeyReply(to: request, status: answer.status, body: answer.body)
    }

    /// Makes a key in the enclave.
    func makeKey(
        group: String = "", _ accessibility: Accessibility = .whenUnlocked, control: UInt64 = usable,
        as groups: [String] = ["test"]
    ) throws(Refusal) -> SealedKey {
        let binding = KeyBinding(group: group, accessibility: accessibility, control: control)
        guard case .key(let key) = try key(.make(binding), as: groups) else { throw .malformed("the reply") }
        return key
    }

    /// Signs with a key of the enclave.
    @discardableResult
    func sign(_ key: SealedKey, as groups: [String] = ["test"]) throws(Refusal) -> SecretBytes {
        let use = KeyUse("algid:sign:ECDSA:message-X962:SHA256", Array("message".utf8))
        guard case .output(let signature) = try self.key(.use(key, use), as: groups) else {
            throw .malformed("the reply")
        }
        return signature
    }

    /// Adds a key item.
    @discardableResult
    func addKey(
        _ tag: String, _ key: SealedKey? = nil, value: [UInt8]? = nil, more: [String: RawValue] = [:],
        as groups: [String] = ["test"]
    ) throws(Refusal) -> ItemResponse {
        var builder = try Self.builder(.add, tag, more)
        if let key { builder.fill(.sealedKey, .data(key.bytes)) }
        if let value { try builder.set("v_Data", data: value.span) }
        return try write(try builder.build(), as: groups)
    }

    /// The key item with a tag, with what a reference is made of.
    func findKey(
        _ tag: String, returning flags: [String] = ["r_Ref", "r_Attributes", "r_Data"], as groups: [String] = ["test"]
    ) throws(Refusal) -> AttributeList {
        let returns = Dictionary(uniqueKeysWithValues: flags.map { ($0, RawValue.boolean(true)) })
        let request = try Self.builder(.copyMatching, tag, returns).build()
        let writer = ResponseWriter()
        try engine.makeItemReader().read(request, from: caller(groups), id: 1, by: .never, into: writer)
        let answer = writer.complete()
        let response = try ItemResponse(status: answer.status, body: answer.body)
        guard let item = response.items.first else { throw .malformed("the response") }
        return item.attributes
    }

    func updateKey(
        _ tag: String, _ changes: [String: RawValue] = [:], value: [UInt8]? = nil, as groups: [String] = ["test"]
    ) throws(Refusal) {
        var builder = try Self.builder(.update, tag, [:])
        for (key, raw) in changes { try builder.change(key, raw) }
        if let value { try builder.change("v_Data", data: value.span) }
        _ = try write(try builder.build(), as: groups)
    }

    private static func builder(
        _ operation: ItemRequest.Operation, _ tag: String, _ more: [String: RawValue]
    ) throws(Refusal) -> ItemRequestBuilder {
        var builder = ItemRequestBuilder(operation)
        try builder.set("class", .string("keys"))
        try builder.set("atag", .string(tag))
        for (key, raw) in more { try builder.set(key, raw) }
        return builder
    }

    private func write(_ request: ItemRequest, as groups: [String]) throws(Refusal) -> ItemResponse {
        let write = PendingWrite(request, from: caller(groups), id: 1, by: .never)
        engine.write([write])
        let answer = write.writer.complete()
        return try ItemResponse(status: answer.status, body: answer.body)
    }
}

extension RawValue {
    static func control(_ accessibility: Accessibility, _ flags: UInt64) -> RawValue {
        .accessControl(AccessControl(accessibility, flags: flags))
    }
}
