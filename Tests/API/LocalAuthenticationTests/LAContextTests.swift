import LocalAuthentication
import TestSupport
import Testing

/// The class as programs store and subclass it.
@Suite struct LAContextTests {
    @Test("Settings have Apple's defaults and keep what they are given", .rule("authentication.context.members"))
    func settings() {
        let context = LAContext()
        #expect(context.localizedReason.isEmpty)
        #expect(context.localizedFallbackTitle == nil)
        #expect(context.localizedCancelTitle == nil)
        #expect(context.touchIDAuthenticationAllowableReuseDuration == 0)
        #expect(!context.interactionNotAllowed)
        #expect(context.maxBiometryFailures == nil)
        context.localizedReason = "to test"
        context.localizedFallbackTitle = ""
        context.localizedCancelTitle = "Stop"
        context.touchIDAuthenticationAllowableReuseDuration = 1000
        context.interactionNotAllowed = true
        context.maxBiometryFailures = 3
        #expect(context.localizedReason == "to test")
        #expect(context.localizedFallbackTitle == "")
        #expect(context.localizedCancelTitle == "Stop")
        #expect(context.touchIDAuthenticationAllowableReuseDuration == 1000)
        #expect(context.interactionNotAllowed)
        #expect(context.maxBiometryFailures == 3)
    }

    @Test("A program's own context can stand in for the real one, in every member")
    func subclass() async throws {
        let context: LAContext = Mock()
        #expect(unsafe context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
        #expect(try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test"))
        let control = try accessControl(.userPresence)
        #expect(
            try await context.evaluateAccessControl(control, operation: .useItem, localizedReason: "to test"))
        #expect(context.biometryType == .faceID)
        #expect(context.evaluatedPolicyDomainState == Data([1]))
        #expect(context.isCredentialSet(.applicationPassword))
        #expect(!context.setCredential(Data([1]), type: .applicationPassword))
        #expect(context.localizedReason == "mocked")
        context.invalidate()
        #expect((context as? Mock)?.wasInvalidated == true)
    }

    @Test(
        "A mock that replaces the form with a reply is what the awaited form calls, as on Apple systems",
        .rule("authentication.context.members"))
    func awaitedMock() async {
        let failure = await code {
            _ = try await Refusing().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test")
        }
        #expect(failure == .userFallback)
    }
}

private final class Mock: LAContext, @unchecked Sendable {
    var wasInvalidated = false
    override func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool { true }
    override func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool { true }
    override func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) { reply(true, nil) }
    override func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) { reply(true, nil) }
    override func invalidate() { wasInvalidated = true }
    override func setCredential(_ credential: Data?, type: LACredentialType) -> Bool { false }
    override func isCredentialSet(_ type: LACredentialType) -> Bool { true }
    override var biometryType: LABiometryType { .faceID }
    override var evaluatedPolicyDomainState: Data? { Data([1]) }
    override var localizedReason: String {
        get { "mocked" }
        set {}
    }
}

private final class Refusing: LAContext, @unchecked Sendable {
    override func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) { reply(false, LAError(.userFallback)) }
}
