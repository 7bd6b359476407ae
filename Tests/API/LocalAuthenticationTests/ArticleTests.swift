import Foundation
import KeychainExamples
import KeychainTesting
import LocalAuthentication
import TestSupport
import Testing

/// Calls from Apple's articles on the two frameworks, with the simulated finger.
@Suite("The articles' examples") struct ArticleTests {
    private let phone: Phone

    init() throws { phone = try Phone() }

    // MARK: - Keys behind Touch ID

    @Test(
        "a prompt for a finger calls the handler with a verdict, or an LAError; no one keeps the context",
        .rule("authentication.policy.evaluate")
    )
    func askForFinger() async {
        phone.user.will(.touch("thumb"), .cancel)
        let outcomes = [await ask(), await ask()]
        #expect(outcomes.map(\.success) == [true, false])
        #expect(outcomes[0].error == nil)
        #expect((outcomes[1].error as? LAError)?.code == .userCancel)
        #expect(phone.user.questions.first?.reason == "Reason")
    }

    private func ask() async -> (success: Bool, error: (any Error)?) {
        await withCheckedContinuation { continuation in
            phone.keychain.run { TouchIDKeys.askForFinger { continuation.resume(returning: ($0, $1)) } }
        }
    }

    @Test(
        "an RSA key is made and found without asking; signing asks for the finger, and verifies",
        .rule("keys.create.rsa-guarded", "keys.item.found"))
    func rsaKey() throws {
        phone.user.will(.touch("thumb"))
        try phone.keychain.run {
            let made = try TouchIDKeys.makeRSAKey()
            let publicKey = try #require(SecKeyCopyPublicKey(made))
            let found = try #require(TouchIDKeys.findRSAKey())
            #expect(phone.asked.isEmpty)
            let message = Data("message".utf8) as CFData
            let algorithm = SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA256
            let signed = SecKeyCreateSignature(found, algorithm, message, nil)
            let signature = try #require(signed)
            let isGenuine = SecKeyVerifySignature(publicKey, algorithm, message, signature, nil)
            #expect(isGenuine)
        }
        #expect(phone.asked == [.finger])
    }

    @Test(
        "with another set of fingers, and while the device is locked, the key serves nobody", .rule("keys.item.found"))
    func boundToFingersAndDevice() throws {
        try phone.keychain.run { _ = try TouchIDKeys.makeRSAKey() }
        try phone.device.lock()
        phone.keychain.run {
            #expect(TouchIDKeys.findRSAKey().map { signing(with: $0) } != errSecSuccess)
        }
        try phone.device.unlock(passcode: Phone.passcode)
        phone.device.enrol(finger: "index")
        phone.user.will(.touch("thumb"))
        try phone.keychain.run {
            let key = try #require(TouchIDKeys.findRSAKey())
            #expect(signing(with: key) == errSecAuthFailed)
        }
    }

    private func signing(with key: SecKey) -> OSStatus {
        var error: Unmanaged<CFError>?
        let signature = unsafe SecKeyCreateSignature(
            key, .rsaSignatureMessagePKCS1v15SHA256, Data() as CFData, &error)
        return signature == nil ? unsafe OSStatus(error?.takeRetainedValue().code ?? 0) : errSecSuccess
    }

    @Test("the same with a key of the enclave", .rule("keys.enclave.create"))
    func enclaveKey() throws {
        phone.user.will(.touch("thumb"))
        try phone.keychain.run {
            let key = try TouchIDKeys.makeEnclaveKey()
            #expect(phone.asked.isEmpty)
            let signature = SecKeyCreateSignature(
                key, .ecdsaSignatureMessageX962SHA256, Data("message".utf8) as CFData, nil)
            #expect(signature != nil)
        }
        #expect(phone.asked == [.finger])
    }

    @Test(
        "neither framework gives anything that biometry measured: verdicts, and bytes that tell of a change",
        .rule("authentication.biometry.private"))
    func noBiometricData() async {
        let context = LAContext()
        phone.user.will(.touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthenticationWithBiometrics, in: context) == nil)
        #expect(context.biometryType == .touchID)
        #expect(context.evaluatedPolicyDomainState?.count == 32)
    }

    // MARK: - Passwords that take the user

    private let password = GuardedPassword(service: "mail", account: "alice")

    @Test(
        "adding asks nobody; reading asks for the finger first, then the passcode, with the program's text",
        .rule("access-control.add.free", "authentication.prompt.text"))
    func userPresence() throws {
        phone.user.will(.touch("thumb"), .fallback, .passcode(Phone.passcode), .cancel)
        phone.keychain.run {
            #expect(password.add("secret") == errSecSuccess)
            #expect(phone.asked.isEmpty)
            #expect(password.find() == (errSecSuccess, "secret"))
            #expect(password.find(prompt: "to read the mail") == (errSecSuccess, "secret"))
            #expect(password.find().status == errSecUserCanceled)
        }
        #expect(phone.asked == [.finger, .finger, .passcode, .finger])
        #expect(phone.user.questions.map(\.reason).prefix(2) == ["Authenticate to retrieve x", "to read the mail"])
    }

    @Test("where no passcode is set, such a password is not stored", .rule("access-control.add.impossible"))
    func noPasscode() throws {
        let bare = try Phone(hasPasscode: false)
        bare.keychain.run { #expect(password.add("secret") == errSecAuthFailed) }
    }

    @Test("reading waits for the user on its own thread, and reports back", .rule("authentication.prompt.blocking"))
    func offTheMainThread() async {
        let (phone, password) = (phone, UncheckedSendable(password))
        phone.keychain.run { #expect(password.value.add("secret") == errSecSuccess) }
        phone.user.will(.touch("thumb"))
        phone.keychain.install()
        defer { phone.keychain.uninstall() }
        let found = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: password.value.find().password) }
        }
        #expect(found == "secret")
    }

    @Test(
        "one evaluation of a context serves several reads; who declines is not an error",
        .rule("authentication.context.spares", "authentication.context.domain"))
    func evaluatedContext() async throws {
        let (phone, password) = (phone, UncheckedSendable(password))
        let context = LAContext()
        phone.keychain.run { #expect(password.value.add("secret") == errSecSuccess) }
        phone.user.will(.touch("thumb"), .cancel)
        let reason = "to read the mail"
        let found = try await phone.keychain.run {
            [
                try await password.value.find(after: context, reason: reason),
                try await password.value.find(after: context, reason: reason),
                try await password.value.find(after: LAContext(), reason: reason),
            ]
        }
        #expect(found == ["secret", "secret", nil])
        #expect(phone.asked == [.finger, .finger])
    }

    @Test(
        "under a password of the program's own it is read with that one alone, on any device",
        .rule("access-control.password.credential", "access-control.item.both"))
    func applicationPassword() throws {
        for phone in [phone, try Phone(hasPasscode: false, hasSensor: false)] {
            phone.keychain.run {
                #expect(password.add("secret", under: "passwordFromServer") == errSecSuccess)
                #expect(password.find(under: "passwordFromServer") == (errSecSuccess, "secret"))
                #expect(password.find(under: "guessed").status == errSecAuthFailed)
            }
            #expect(phone.asked.isEmpty)
        }
    }
}

/// A value that a test hands to one other thread at a time.
private struct UncheckedSendable<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
