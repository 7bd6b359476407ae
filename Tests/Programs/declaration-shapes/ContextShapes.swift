import Foundation
import LocalAuthentication
import Security

/// A context that replaces the real one in a program's tests.
private final class MockContext: LAContext, @unchecked Sendable {
    override func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        error?.pointee = NSError(domain: LAErrorDomain, code: LAError.passcodeNotSet.rawValue)
        return false
    }

    override func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, Error?) -> Void
    ) {
        reply(true, nil)
    }

    override var biometryType: LABiometryType { .faceID }
}

/// The code of a program that guards its items.
func contexts() {
    let context = LAContext.init()
    context.localizedFallbackTitle = ""
    context.localizedCancelTitle = "Stop"
    context.localizedReason = "to show how it is written"
    context.touchIDAuthenticationAllowableReuseDuration = LATouchIDAuthenticationMaximumAllowableReuseDuration
    context.interactionNotAllowed = true
    var error: NSError?
    let can = context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error)
    check(can || error.map { $0.domain == LAErrorDomain } == true, "canEvaluatePolicy with an error's place")
    _ = context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil)
    context.setCredential("from the server".data(using: .utf8)!, type: LACredentialType.applicationPassword)
    check(context.isCredentialSet(.applicationPassword), "setCredential")
    check(context.evaluatedPolicyDomainState == nil || !can || context.biometryType != .none, "domain state")

    var query: [String: Any] = [kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "context"]
    query[kSecUseAuthenticationContext as String] = context
    query[kSecUseOperationPrompt as String] = "Authenticate to read it"
    query[kSecUseAuthenticationUI as String] = kSecUseAuthenticationUIFail
    check(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound, "used in a query")
    replies(context)
    mocks()
    context.invalidate()
    check(!context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error), "invalidated")
    check((error as Error? as? LAError)?.code == .invalidContext, "which the error says")
}

private func replies(_ context: LAContext) {
    let done = DispatchSemaphore(value: 0)
    context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "why") { success, error in
        check(!success && (error as? LAError) != nil, "a reply that says why not")
        DispatchQueue.main.async {}
        done.signal()
    }
    check(done.wait(timeout: .now() + 60) == .success, "replied")
    let asked = DispatchSemaphore(value: 0)
    Task {
        do {
            try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "why")
        } catch let error as LAError {
            check(error.code == .notInteractive || error.code == .passcodeNotSet, "an error that is thrown")
        } catch {
            check(false, "another error: \(error)")
        }
        asked.signal()
    }
    check(asked.wait(timeout: .now() + 60) == .success, "answered")
}

private func mocks() {
    let mock = MockContext()
    var error: NSError?
    check(!mock.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error), "a mock answers")
    check(error?.code == LAError.Code.passcodeNotSet.rawValue && mock.biometryType == .faceID, "as it likes")
    mock.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "why") { success, _ in
        check(success, "and replies")
    }
}
