import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainPolicy

@Suite("Who may make and use keys of the enclave")
struct KeyPolicyTests {
    private static func binding(_ group: String) -> KeyBinding {
        KeyBinding(group: group, accessibility: .whenUnlocked, control: AccessControl.privateKeyUsage)
    }

    private static func sealedKey(_ group: String) -> SealedKey {
        SealedKey(
            backend: .software, origin: .madeInside, keyType: 73, bits: 256, binding: binding(group), publicKey: [4],
            sealed: [1])
    }

    private static func caller(_ groups: [String]) -> CallerIdentity {
        CallerIdentity(user: 0, process: 0, program: "test", groups: groups)
    }

    private static func group(ofKeyMadeFor group: String, by groups: [String]) throws(Refusal) -> String {
        let request = KeyRequest.make(binding(group))
        guard case .make(let binding) = try AccessPolicy.authorize(request, from: caller(groups)).request else {
            throw .malformed("the request")
        }
        return binding.group
    }

    private static func status(ofUse group: String, by groups: [String]) -> KeychainStatus? {
        let request = KeyRequest.use(sealedKey(group), KeyUse("algorithm", []))
        return failure { () throws(Refusal) in try AccessPolicy.authorize(request, from: caller(groups)) }?.status
    }

    private static func status(ofMaking group: String, by groups: [String]) -> KeychainStatus? {
        failure { () throws(Refusal) in try self.group(ofKeyMadeFor: group, by: groups) }?.status
    }

    @Test(
        "a new key goes where the caller's items go, or into the group of the caller's that is named",
        .rule("access-groups.keys.create"))
    func makes() throws {
        #expect(try Self.group(ofKeyMadeFor: "", by: ["a", "b"]) == "a")
        #expect(try Self.group(ofKeyMadeFor: "b", by: ["a", "b"]) == "b")
        #expect(try Self.group(ofKeyMadeFor: "", by: ["com.apple.token", "*", "a"]) == "a")
    }

    @Test(
        "no key is made for a group the caller has not been granted, nor by a caller without groups",
        .rule("access-groups.named.foreign"))
    func refusesMaking() {
        for (group, groups) in [
            ("c", ["a", "b"]), ("A", ["a"]), ("", []), ("a", []), ("", ["*"]), ("com.apple.token", ["com.apple.token"]),
        ] { #expect(Self.status(ofMaking: group, by: groups) == .missingEntitlement) }
    }

    @Test("a key is used by programs of its group, and by no others", .rule("access-groups.keys.use"))
    func uses() {
        #expect(Self.status(ofUse: "a", by: ["b", "a"]) == nil)
        #expect(Self.status(ofUse: "a", by: ["*"]) == nil)
        for groups in [["b"], [], ["A"], ["a.b"]] {
            #expect(Self.status(ofUse: "a", by: groups) == .missingEntitlement)
        }
        #expect(Self.status(ofUse: "", by: ["a"]) == .missingEntitlement)
    }

    @Test("The keychain's own command has keys of all groups attested, and uses none of them")
    func attests() {
        let command = CallerIdentity(
            user: 0, process: 0, program: "security", groups: ["b"], mayInspectAllGroups: true)
        let status = { (caller: CallerIdentity, algorithm: String) in
            let request = KeyRequest.use(Self.sealedKey("a"), KeyUse(algorithm, []))
            return failure { () throws(Refusal) in try AccessPolicy.authorize(request, from: caller) }?.status
        }
        #expect(status(command, KeyUse.attestation) == nil)
        #expect(status(command, "algid:sign:ECDSA:digest-X962:SHA256") == .missingEntitlement)
        #expect(status(Self.caller(["b"]), KeyUse.attestation) == .missingEntitlement)
    }

    @Test("A key is added by programs of its group only, wherever it goes")
    func adds() throws {
        var request = ItemRequest(.add)
        request.itemClass = .key
        for (group, target, groups, isAllowed) in [
            ("a", "a", ["a"], true), ("a", "b", ["a", "b"], true), ("a", "b", ["b"], false), ("a", "b", ["a"], false),
        ] {
            let list = SecretBuffer()
            list.append(.accessGroup, .string(target))
            list.append(.sealedKey, .data(Self.sealedKey(group).bytes))
            request.query = try AttributeList(parsing: list.copy())
            let refusal = failure { () throws(Refusal) in
                try AccessPolicy.authorize(request, from: Self.caller(groups))
            }
            #expect(refusal?.status == (isAllowed ? nil : .missingEntitlement))
        }
    }
}
