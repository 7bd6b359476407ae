import KeychainTesting
import LocalAuthentication
import TestSupport
import Testing

/// The outcomes of a prompt (rule authentication.policy.evaluate).
@Suite("Evaluations") struct EvaluationTests {
    private let phone: Phone

    init() throws { phone = try Phone() }

    // MARK: - What the user does

    @Test(
        "an enrolled finger meets biometry, and biometry or the passcode; the finger is asked for first",
        .rule("authentication.policy.order"))
    func finger() async {
        phone.user.will(.touch("thumb"), .touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthenticationWithBiometrics) == nil)
        #expect(await phone.failure(of: .deviceOwnerAuthentication) == nil)
        #expect(phone.asked == [.finger, .finger])
    }

    @Test("A finger that does not match at first may be laid on again")
    func secondTry() async {
        phone.user.will(.touch("toe"), .touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthenticationWithBiometrics) == nil)
        #expect(phone.user.questions.map(\.failures) == [0, 1])
    }

    @Test("Three fingers that do not match are authenticationFailed")
    func misses() async {
        phone.user.will(.touch("toe"), .touch("toe"), .touch("toe"))
        #expect(await phone.failure(of: .deviceOwnerAuthenticationWithBiometrics) == .authenticationFailed)
        #expect(phone.user.unusedAnswers == 0)
    }

    @Test("Five in a row lock biometry, until a passcode is entered", .rule("authentication.policy.lockout"))
    func lockout() async {
        for _ in 0..<2 {
            phone.user.will(.touch("toe"), .touch("toe"), .touch("toe"))
            _ = await phone.failure(of: .deviceOwnerAuthenticationWithBiometrics)
        }
        phone.user.reset()
        #expect(phone.obstacle(to: .deviceOwnerAuthenticationWithBiometrics) == .biometryLockout)
        #expect(await phone.failure(of: .deviceOwnerAuthenticationWithBiometrics) == .biometryLockout)
        #expect(phone.obstacle(to: .deviceOwnerAuthentication) == nil)
        phone.user.will(.passcode(Phone.passcode), .touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthentication) == nil)
        #expect(await phone.failure(of: .deviceOwnerAuthenticationWithBiometrics) == nil)
        #expect(phone.asked == [.passcode, .finger])
    }

    @Test("who wants to give the passcode in place of a finger is asked for it", .rule("authentication.policy.order"))
    func fallback() async {
        phone.user.will(.fallback, .passcode(Phone.passcode))
        #expect(await phone.failure(of: .deviceOwnerAuthentication) == nil)
        #expect(phone.asked == [.finger, .passcode])
    }

    @Test("Where only biometry counts, wanting something else is userFallback: the program has an alternative")
    func programsFallback() async {
        phone.user.will(.fallback)
        #expect(await phone.failure(of: .deviceOwnerAuthenticationWithBiometrics) == .userFallback)
    }

    @Test("Wrong passcodes are authenticationFailed")
    func wrongPasscodes() async throws {
        let phone = try Phone(fingers: [])
        phone.user.will(.passcode("1"), .passcode("2"), .passcode("3"))
        #expect(await phone.failure(of: .deviceOwnerAuthentication) == .authenticationFailed)
        #expect(phone.asked == [.passcode, .passcode, .passcode])
    }

    @Test(
        "Declining is userCancel, doing nothing systemCancel, and a prompt that cannot be shown notInteractive",
        arguments: [
            (SimulatedUser.Answer.cancel, LAError.Code.userCancel), (.timeOut, .systemCancel),
            (.unreachable, .notInteractive),
        ])
    func noAnswer(answer: SimulatedUser.Answer, expected: LAError.Code) async throws {
        phone.user.will(answer, answer)
        #expect(await phone.failure(of: .deviceOwnerAuthenticationWithBiometrics) == expected)
        #expect(try await phone.failure(of: .userPresence) == expected)
    }

    // MARK: - What the program says

    @Test(
        "the user reads the reason and the titles that the program has given",
        .rule("authentication.prompt.text", "authentication.context.reason"))
    func texts() async throws {
        let context = LAContext()
        context.localizedFallbackTitle = "Use the code"
        context.localizedCancelTitle = "Not now"
        phone.user.will(.touch("thumb"))
        try await phone.keychain.run {
            _ = try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to open the safe")
        }
        let question = try #require(phone.user.questions.first)
        #expect(question.reason == "to open the safe")
        #expect(question.fallbackTitle == "Use the code")
        #expect(question.cancelTitle == "Not now")
        #expect(question.allowsFallback)
        #expect(!question.program.isEmpty)
    }

    @Test("An empty alternative is none; an empty title of cancelling is the usual one")
    func emptyTitles() async throws {
        let context = LAContext()
        context.localizedFallbackTitle = ""
        context.localizedCancelTitle = ""
        phone.user.will(.touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: context) == nil)
        let question = try #require(phone.user.questions.first)
        #expect(question.fallbackTitle == "")
        #expect(question.cancelTitle == nil)
    }

    @Test("An empty reason is an error that says so; nobody is asked, and nothing is raised")
    func emptyReason() async throws {
        let control = try accessControl(.userPresence)
        let failures = await phone.keychain.run {
            let context = LAContext()
            return [
                await code { _ = try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "") },
                await code {
                    _ = try await context.evaluateAccessControl(control, operation: .useItem, localizedReason: "")
                },
            ]
        }
        #expect(failures == [.authenticationFailed, .authenticationFailed])
        #expect(phone.asked.isEmpty)
    }

    @Test(
        "Where interaction is not allowed, nobody is asked: notInteractive",
        .rule("authentication.policy.not-interactive"))
    func interactionNotAllowed() async throws {
        let context = LAContext()
        context.interactionNotAllowed = true
        phone.user.will(.touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: context) == .notInteractive)
        #expect(try await phone.failure(of: .biometryAny, in: context) == .notInteractive)
        #expect(phone.asked.isEmpty)
        #expect(phone.obstacle(to: .deviceOwnerAuthentication, in: context) == nil)
    }

    // MARK: - What was shown before

    @Test("What the user has shown in a context is not asked for again in it, also where interaction is not allowed")
    func again() async {
        let context = LAContext()
        phone.user.will(.touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: context) == nil)
        context.interactionNotAllowed = true
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: context) == nil)
        #expect(await phone.failure(of: .deviceOwnerAuthenticationWithBiometrics, in: context) == nil)
        #expect(phone.asked == [.finger])
    }

    @Test(
        "It counts in no other context, and for five minutes",
        .rule("authentication.context.lifetime", "authentication.context.others"))
    func notElsewhere() async {
        let context = LAContext()
        phone.user.will(.touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: context) == nil)
        #expect(await phone.failure(of: .deviceOwnerAuthentication) == .notInteractive)
        phone.user.reset()
        phone.device.advance(seconds: 301)
        phone.user.will(.touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: context) == nil)
        #expect(phone.asked == [.finger])
    }

    @Test("The reuse duration changes nothing: no finger unlocks this keychain")
    func reuse() async throws {
        try phone.device.lock()
        try phone.device.unlock(passcode: Phone.passcode)
        let context = LAContext()
        context.touchIDAuthenticationAllowableReuseDuration = LATouchIDAuthenticationMaximumAllowableReuseDuration
        phone.user.will(.touch("thumb"))
        #expect(await phone.failure(of: .deviceOwnerAuthenticationWithBiometrics, in: context) == nil)
        #expect(phone.asked == [.finger])
    }
}
