import KeychainTesting
import Security
import TestSupport
import Testing

/// `kSecUseAuthenticationContext` (rules authentication.context.reason, access-control.password.credential,
/// authentication.context.spares).
@Suite("Contexts given with queries")
struct ContextTests {
    @Test(
        "What was shown in a context spares the next prompt in it, and in no other",
        .rule("authentication.context.spares"))
    func reuse() throws {
        try withKeychain { keychain in
            keychain.device.enrol(finger: "thumb")
            #expect(add(guarded(.biometryAny)) == errSecSuccess)
            #expect(add(guarded(.biometryAny, "other")) == errSecSuccess)
            let context: Attributes = [kSecUseAuthenticationContext: TestContext()]
            keychain.user.will(.touch("thumb"))
            #expect(reading("service", context).data == Data("secret"))
            #expect(reading("service", context).data == Data("secret"))
            #expect(reading("other", context).data == Data("secret"))
            let fail: Attributes = [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]
            #expect(reading("other", context + fail).data == Data("secret"))
            #expect(keychain.asked == [.finger])
            #expect(reading("service", [kSecUseAuthenticationContext: TestContext()]).status != errSecSuccess)
            #expect(reading().status == errSecInteractionNotAllowed)
        }
    }

    @Test(
        "What was shown does not outlive a lock, nor a context that was invalidated",
        .rule("authentication.context.lifetime"))
    func ends() throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            #expect(add(guarded(.userPresence)) == errSecSuccess)
            let context = TestContext()
            let query: Attributes = [kSecUseAuthenticationContext: context]
            keychain.user.will(.passcode("1234"))
            #expect(reading("service", query).data == Data("secret"))
            try keychain.device.lock()
            try keychain.device.unlock(passcode: "1234")
            #expect(reading("service", query).status == errSecInteractionNotAllowed)
            context.change { $0.isInvalidated = true }
            #expect(reading("service", query).status == errSecAuthFailed)
            #expect(lastRule == "state.withdrawn")
        }
    }

    @Test(
        "What one program was shown counts for no other, whatever context it names",
        .rule("authentication.context.others"))
    func otherPrograms() throws {
        try withKeychain(accessGroups: ["TEAM.shared"]) { keychain in
            keychain.device.enrol(finger: "thumb")
            #expect(add(guarded(.biometryAny)) == errSecSuccess)
            let context: Attributes = [kSecUseAuthenticationContext: TestContext()]
            keychain.user.will(.touch("thumb"))
            #expect(reading("service", context).data == Data("secret"))
            let other = keychain.program(named: "another program", accessGroups: ["TEAM.shared"])
            #expect(other.run { reading("service", context).status } == errSecInteractionNotAllowed)
        }
    }

    @Test(
        "the context's reason and titles are shown; the operation's own text comes before its reason",
        .rule("authentication.context.reason"))
    func texts() throws {
        try withKeychain { keychain in
            keychain.device.enrol(finger: "thumb")
            #expect(add(guarded(.biometryAny)) == errSecSuccess)
            let context = TestContext(reason: "the context's")
            context.change { ($0.fallbackTitle, $0.cancelTitle) = ("Type it", "Not now") }
            keychain.user.will(.cancel, .touch("thumb"))
            #expect(reading("service", [kSecUseAuthenticationContext: context]).status == errSecUserCanceled)
            let both: Attributes = [kSecUseAuthenticationContext: context, kSecUseOperationPrompt: "the query's"]
            #expect(reading("service", both).data == Data("secret"))
            #expect(keychain.user.questions.map(\.reason) == ["the context's", "the query's"])
            #expect(keychain.user.questions[0].fallbackTitle == "Type it")
            #expect(keychain.user.questions[0].cancelTitle == "Not now")
        }
    }

    @Test("A context that forbids interaction has nobody asked")
    func forbidsInteraction() throws {
        try withKeychain { keychain in
            keychain.device.enrol(finger: "thumb")
            #expect(add(guarded(.biometryAny)) == errSecSuccess)
            let context = TestContext()
            context.change { $0.forbidsInteraction = true }
            keychain.user.will(.touch("thumb"))
            #expect(
                reading("service", [kSecUseAuthenticationContext: context]).status == errSecInteractionNotAllowed)
            #expect(keychain.asked == [])
        }
    }

    @Test(
        "Something else in the place of a context, or of the operation's text, is errSecParam",
        .rule("authentication.query.keys"))
    func otherObjects() throws {
        try withKeychain { _ in
            #expect(reading("service", [kSecUseAuthenticationContext: NSObject()]).status == errSecParam)
            #expect(reading("service", [kSecUseAuthenticationContext: "context"]).status == errSecParam)
            #expect(reading("service", [kSecUseOperationPrompt: 1]).status == errSecParam)
        }
    }

    @Test("A context is no hindrance to items that nobody guards; one that was invalidated is refused for every item")
    func unguarded() throws {
        try withKeychain { keychain in
            let context = TestContext()
            let use: Attributes = [kSecUseAuthenticationContext: context]
            #expect(add(genericPassword() + [kSecValueData: Data("v")]) == errSecSuccess)
            #expect(reading("service", use).data == Data("v"))
            context.change { $0.isInvalidated = true }
            #expect(reading("service", use).status == errSecAuthFailed)
            let query: Attributes = [kSecClass: kSecClassGenericPassword]
            #expect(add(genericPassword("other") + use) == errSecAuthFailed)
            #expect(update(query + use, [kSecAttrLabel: "changed"]) == errSecAuthFailed)
            #expect(delete(query + use) == errSecAuthFailed)
            #expect(count(query) == 1)
        }
    }
}
