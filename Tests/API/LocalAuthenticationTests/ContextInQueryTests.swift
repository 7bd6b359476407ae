import KeychainTesting
import LocalAuthentication
import TestSupport
import Testing

/// Contexts as arguments of the functions of `Security`: authentication in them spares a prompt, and nothing else does.
@Suite("Contexts in queries") struct ContextInQueryTests {
    private let phone: Phone
    private let item = GuardedItem()

    init() throws {
        phone = try Phone()
        let item = item
        phone.keychain.run { #expect(item.add(.userPresence) == errSecSuccess) }
    }

    @Test(
        "a context that was evaluated spares the prompt of SecItemCopyMatching, as often as it is used",
        .rule("authentication.context.spares"))
    func itemSpared() async {
        let context = LAContext()
        phone.user.will(.touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: context) == nil)
        phone.keychain.run {
            for _ in 0..<3 { #expect(item.read(in: context) == (errSecSuccess, "secret")) }
        }
        #expect(phone.asked == [.finger])
    }

    @Test("it spares that of SecKeyCreateSignature", .rule("authentication.context.spares"))
    func keySpared() async throws {
        let (context, key) = (LAContext(), GuardedKey())
        phone.user.will(.touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: context) == nil)
        phone.keychain.run {
            #expect(key.make(.biometryAny) == errSecSuccess)
            #expect(key.sign(in: context) == errSecSuccess)
            #expect(key.sign(in: context) == errSecSuccess)
        }
        #expect(phone.asked == [.finger])
    }

    @Test(
        "A control that was evaluated spares the prompt of what it guards, for the operation it was evaluated for",
        .rule("authentication.context.access-control"))
    func controlSpared() async throws {
        let (context, key) = (LAContext(), GuardedKey())
        phone.user.will(.touch("thumb"))
        let flags: SecAccessControlCreateFlags = [.privateKeyUsage, .biometryAny]
        #expect(try await phone.failure(of: flags, .useKeySign, in: context) == nil)
        phone.keychain.run {
            #expect(key.make(.biometryAny) == errSecSuccess)
            #expect(key.sign(in: context) == errSecSuccess)
            #expect(phone.asked == [.finger])
            // Nobody answers a second prompt.
            #expect(item.read(in: context).status == errSecInteractionNotAllowed)
        }
    }

    @Test(
        "an evaluation spares nothing of a query that does not carry the context, or carries another",
        .rule("authentication.policy.no-protection"))
    func notPassed() async {
        let context = LAContext()
        phone.user.will(.touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: context) == nil)
        phone.keychain.run {
            #expect(item.read().status == errSecInteractionNotAllowed)
            #expect(item.read(in: LAContext()).status == errSecInteractionNotAllowed)
        }
        #expect(phone.asked.count == 3)
    }

    @Test(
        "a program's own context that says yes to everything opens nothing",
        .rule("authentication.policy.no-protection", "authentication.context.imitation"))
    func saysYes() async {
        final class SaysYes: LAContext, @unchecked Sendable {
            override func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool { true }
        }
        let context = SaysYes()
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: context) == nil)
        phone.keychain.run { #expect(item.read(in: context).status == errSecInteractionNotAllowed) }
    }

    @Test("What biometry has shown does not stand for the passcode, nor the passcode for biometry")
    func factors() async throws {
        phone.keychain.run {
            #expect(GuardedItem("code").add(.devicePasscode) == errSecSuccess)
            #expect(GuardedItem("finger").add(.biometryAny) == errSecSuccess)
        }
        let (byFinger, byPasscode) = (LAContext(), LAContext())
        phone.user.will(.touch("thumb"), .fallback, .passcode(Phone.passcode))
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: byFinger) == nil)
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: byPasscode) == nil)
        byFinger.interactionNotAllowed = true
        byPasscode.interactionNotAllowed = true
        phone.keychain.run {
            #expect(GuardedItem("finger").read(in: byFinger).value == "secret")
            #expect(GuardedItem("code").read(in: byFinger).status == errSecInteractionNotAllowed)
            #expect(GuardedItem("code").read(in: byPasscode).value == "secret")
            #expect(GuardedItem("finger").read(in: byPasscode).status == errSecInteractionNotAllowed)
            #expect(item.read(in: byFinger).value == "secret")
            #expect(item.read(in: byPasscode).value == "secret")
        }
    }

    @Test(
        "the user reads the context's reason; the query's own prompt goes before it",
        .rule("authentication.context.reason", "authentication.prompt.text"))
    func reasons() {
        let context = LAContext()
        context.localizedReason = "to pay"
        context.localizedFallbackTitle = "Code"
        phone.user.will(.touch("thumb"), .touch("thumb"))
        phone.keychain.run {
            #expect(item.read(in: context).value == "secret")
            context.invalidate()
            let other = LAContext()
            other.localizedReason = "to pay"
            #expect(item.read(in: other, [kSecUseOperationPrompt: "to see the balance"]).value == "secret")
        }
        #expect(phone.user.questions.map(\.reason) == ["to pay", "to see the balance"])
        #expect(phone.user.questions.first?.fallbackTitle == "Code")
    }

    @Test("Where the context forbids interaction, a query that would ask is errSecInteractionNotAllowed")
    func forbidden() {
        let context = LAContext()
        context.interactionNotAllowed = true
        phone.user.will(.touch("thumb"))
        phone.keychain.run { #expect(item.read(in: context).status == errSecInteractionNotAllowed) }
        #expect(phone.asked.isEmpty)
    }

    @Test("A context that was asked by a query has seen the user too: the next query and an evaluation ask no more")
    func askedByQuery() async {
        let context = LAContext()
        phone.user.will(.touch("thumb"))
        phone.keychain.run {
            #expect(item.read(in: context).value == "secret")
            #expect(item.read(in: context).value == "secret")
        }
        #expect(phone.asked == [.finger])
    }

    @Test("Locking the device ends what was shown in any context", .rule("authentication.context.lifetime"))
    func locked() async throws {
        let context = LAContext()
        phone.user.will(.touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: context) == nil)
        try phone.device.lock()
        try phone.device.unlock(passcode: Phone.passcode)
        phone.keychain.run { #expect(item.read(in: context).status == errSecInteractionNotAllowed) }
        #expect(phone.asked.count == 2)
    }

    @Test(
        "a finger that comes or goes ends what is bound to the present ones, whatever the context has seen",
        .rule("access-control.flags.current-set"))
    func otherFingers() async throws {
        let (key, context) = (GuardedKey(), LAContext())
        phone.keychain.run { #expect(key.make(.biometryCurrentSet) == errSecSuccess) }
        phone.device.enrol(finger: "index")
        phone.user.will(.touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthenticationWithBiometrics, in: context) == nil)
        phone.keychain.run { #expect(key.sign(in: context) == errSecAuthFailed) }
    }

    @Test("What was shown for one program serves no other, with the same groups and the very same context")
    func otherProgram() async {
        let context = LAContext()
        phone.user.will(.touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: context) == nil)
        let other = phone.keychain.program(named: "another program", accessGroups: ["TEST.program"])
        other.run { #expect(item.read(in: context).status == errSecInteractionNotAllowed) }
        #expect(phone.user.questions.map(\.program) == ["the program under test", "another program"])
        phone.keychain.run { #expect(item.read(in: context).value == "secret") }
    }
}
