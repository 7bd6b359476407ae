import LocalAuthentication
import Testing

@Suite struct LAContextTests {
    @Test(
        "No policy can be evaluated, and the error names what is lacking",
        arguments: [
            (LAPolicy.deviceOwnerAuthentication, LAError.passcodeNotSet),
            (.deviceOwnerAuthenticationWithBiometrics, .biometryNotAvailable),
            (.deviceOwnerAuthenticationWithBiometricsOrCompanion, .biometryNotAvailable),
            (.deviceOwnerAuthenticationWithCompanion, .companionNotAvailable),
            (.deviceOwnerAuthenticationWithWristDetection, .companionNotAvailable),
        ])
    func cannotEvaluate(policy: LAPolicy, code: LAError.Code) throws {
        var error: NSError?
        #expect(unsafe !LAContext().canEvaluatePolicy(policy, error: &error))
        let failure = try #require(error as? LAError)
        #expect(failure.code == code)
        #expect(!failure.localizedDescription.isEmpty)
    }

    @Test("An evaluation throws that the user cannot be asked")
    func evaluationThrows() async {
        let failure = await #expect(throws: LAError.self) {
            try await LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test")
        }
        #expect(failure?.code == .notInteractive)
    }

    @Test("An evaluation calls its reply once, with false and an error")
    func evaluationReplies() async {
        let (success, error) = await withCheckedContinuation { continuation in
            LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test") { success, error in
                continuation.resume(returning: (success, error))
            }
        }
        #expect(!success)
        #expect((error as? LAError)?.code == .notInteractive)
    }

    @Test("An access control's evaluation fails like a policy's")
    func accessControlThrows() async throws {
        let made = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
        let control = try #require(made)
        let failure = await #expect(throws: LAError.self) {
            try await LAContext().evaluateAccessControl(control, operation: .useItem, localizedReason: "to test")
        }
        #expect(failure?.code == .notInteractive)
    }

    @Test("An invalidated context fails with invalidContext, however often it was invalidated")
    func invalidated() async {
        let context = LAContext()
        context.invalidate()
        context.invalidate()
        let failure = await #expect(throws: LAError.self) {
            try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test")
        }
        #expect(failure?.code == .invalidContext)
        var error: NSError?
        #expect(unsafe !context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error))
        #expect((error as? LAError)?.code == .invalidContext)
    }

    @Test("A credential is not accepted, so none is ever set")
    func credentials() {
        let context = LAContext()
        #expect(!context.setCredential(Data("secret".utf8), type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(context.setCredential(nil, type: .applicationPassword))
    }

    @Test("Settings have Apple's defaults and keep what they are given")
    func settings() {
        let context = LAContext()
        #expect(context.localizedReason.isEmpty)
        #expect(context.localizedFallbackTitle == nil)
        #expect(context.localizedCancelTitle == nil)
        #expect(context.touchIDAuthenticationAllowableReuseDuration == 0)
        #expect(!context.interactionNotAllowed)
        context.localizedReason = "to test"
        context.localizedFallbackTitle = ""
        context.localizedCancelTitle = "Stop"
        context.touchIDAuthenticationAllowableReuseDuration = LATouchIDAuthenticationMaximumAllowableReuseDuration
        context.interactionNotAllowed = true
        context.maxBiometryFailures = 3
        #expect(context.localizedReason == "to test")
        #expect(context.localizedFallbackTitle == "")
        #expect(context.localizedCancelTitle == "Stop")
        #expect(context.touchIDAuthenticationAllowableReuseDuration == 300)
        #expect(context.interactionNotAllowed)
        #expect(context.maxBiometryFailures == 3)
    }

    @Test("A program's own context can stand in for the real one")
    func subclass() async throws {
        final class Agreeable: LAContext, @unchecked Sendable {
            override func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool { true }
            override var biometryType: LABiometryType { .faceID }
        }
        let context: LAContext = Agreeable()
        #expect(try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test"))
        #expect(context.biometryType == .faceID)
    }
}
