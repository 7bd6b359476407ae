import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// How the user is asked: in which order, how often, and what ends it.
struct AuthenticationConversationTests {
    private let device = TestDevice()
    private let user = TestUser(fingers: [1])
    private let context = AuthenticationContext.test()

    private func start() throws -> SoftwareEnclave {
        let enclave = try device.start(user: user)
        try enclave.setPasscode(TestDevice.passcode("1234"))
        return enclave
    }

    @Test(
        "without a finger to show, the passcode is asked for at once", .rule("authentication.prompt.fallback"),
        arguments: [[], nil] as [[UInt8]?])
    func withoutFinger(_ fingers: [UInt8]?) throws {
        let enclave = try start()
        user.enrol(fingers)
        user.will(.passcode("1234"))
        let result = try enclave.authenticate(.control(Flag.userPresence, context), by: soon)
        #expect(result == AuthenticationResult(factors: .passcode, enrolment: []))
        #expect(user.kinds == [.passcode])
    }

    @Test("the result says with which enrolment a finger was matched", .rule("authentication.biometry.earlier"))
    func enrolment() throws {
        user.will(.touch)
        let result = try start().authenticate(.control(Flag.userPresence, context), by: soon)
        #expect(result == AuthenticationResult(factors: .biometry, enrolment: try user.biometry().enrolment))
    }

    @Test("program, item, reason and titles reach the user as they were given", .rule("authentication.prompt.text"))
    func prompt() throws {
        var prompt = Prompt(reason: "to pay", fallbackTitle: "Type it", cancelTitle: "Not now")
        (prompt.program, prompt.item) = ("/usr/bin/shop", "card")
        user.will(.miss, .fallback, .passcode("x"), .passcode("1234"))
        #expect(try start().refusal(.control(Flag.userPresence, context, prompt)) == nil)
        #expect(user.kinds == [.finger, .finger, .passcode, .passcode])
        #expect(user.questions.allSatisfy { $0.prompt == prompt && $0.context == context })
        #expect(user.questions.map(\.failures) == [0, 1, 0, 1])
        #expect(user.questions.map(\.allowsFallback) == [true, true, false, false])
    }

    @Test(
        "the alternative is not offered when its title is empty, nor where there is none",
        .rule("authentication.prompt.fallback"))
    func fallbackTitle() throws {
        let enclave = try start()
        let cases: [(UInt64, String?, Bool)] = [
            (Flag.userPresence, nil, true), (Flag.userPresence, "", false), (Flag.biometryAny, nil, false),
            (Flag.biometryAny | Flag.devicePasscode | Flag.or, nil, true),
            (Flag.biometryAny | Flag.devicePasscode | Flag.and, nil, false),
        ]
        for (flags, title, isOffered) in cases {
            user.will(.cancel)
            let refused = enclave.refusal(.control(flags, context, Prompt(fallbackTitle: title)))
            #expect(refused?.status == .userCanceled && refused?.rule == .userCanceled)
            #expect(user.questions.last?.allowsFallback == isOffered, "\(flags)")
        }
    }

    @Test("Three fingers that do not match end a conversation; the next one begins anew")
    func misses() throws {
        let enclave = try start()
        user.will(.miss, .miss, .miss, .touch)
        let refused = enclave.refusal(.control(Flag.userPresence, context))
        #expect(refused?.status == .authFailed && refused?.rule == .userFailed)
        #expect(user.questions.map(\.failures) == [0, 1, 2])
        #expect(enclave.refusal(.control(Flag.userPresence, context)) == nil)
    }

    @Test("Three wrong passcodes end a conversation, and each has cost a try")
    func wrongPasscodes() throws {
        let enclave = try start()
        user.will(.passcode("x"), .passcode(""), .passcode("y"))
        let refused = enclave.refusal(.control(Flag.devicePasscode, context))
        #expect(refused?.status == .authFailed && refused?.rule == .userFailed)
        // Nothing was typed the second time, so that nothing was tried.
        #expect(try enclave.status().failedAttempts == 2)
        #expect(try device.start().status().failedAttempts == 2)
    }

    @Test("After five fingers in a row that did not match only the passcode helps, and helps the biometry too")
    func lockout() throws {
        let enclave = try start()
        user.will(.miss, .miss, .miss)
        _ = enclave.refusal(.control(Flag.userPresence, context))
        #expect(try enclave.capabilities().biometry.state == .ready)
        user.will(.miss, .miss, .passcode("1234"))
        // The fifth one ends biometry within the conversation, which goes on with the passcode.
        #expect(enclave.refusal(.control(Flag.userPresence, context)) == nil)
        #expect(user.kinds.suffix(3) == [.finger, .finger, .passcode])
        #expect(try enclave.capabilities().biometry.state == .ready)
    }

    @Test("A biometry that is locked out asks nobody, and is opened by any right passcode")
    func lockedOut() throws {
        let enclave = try start()
        for _ in 0..<2 {
            user.will(.miss, .miss, .miss)
            _ = enclave.refusal(.control(Flag.biometryAny, context))
        }
        // Five were looked at, the sixth was not asked for.
        #expect(user.questions.count == 5)
        #expect(try enclave.capabilities().biometry.state == .lockedOut)
        let refused = enclave.refusal(.control(Flag.biometryAny, context))
        #expect(refused?.status == .authFailed && refused?.rule == .biometryLockout)
        #expect(user.questions.count == 5)
        #expect(refusal { _ = try GuardedRow(Flag.biometryAny, in: enclave) } == nil)
        try enclave.unlock(passcode: TestDevice.passcode("1234"))
        #expect(try enclave.capabilities().biometry.state == .ready)
    }

    @Test("A finger that matches forgives those before it")
    func forgiven() throws {
        let enclave = try start()
        for _ in 0..<4 {
            user.will(.miss, .miss, .touch)
            let context = AuthenticationContext.test()
            #expect(enclave.refusal(.control(Flag.biometryAny, context)) == nil)
        }
    }

    @Test("Passcodes in prompts wait as others do, and the wait is told before anybody is asked")
    func throttled() throws {
        let enclave = try start()
        for _ in 0..<4 { #expect(refusal { try enclave.check(passcode: .text("x")) }?.rule == .wrongPasscode) }
        user.will(.passcode("x"), .passcode("1234"))
        // The fifth wrong one begins a wait; the right one comes before it is over.
        let longEnough = Deadline.after(milliseconds: 60_000 + patience)
        let refused = enclave.refusal(.control(Flag.devicePasscode, context), by: longEnough)
        #expect(refused?.status == .authFailed && refused?.rule == .throttled)
        #expect(user.questions.map(\.wait) == [0, 60])
        #expect(enclave.refusal(.control(Flag.devicePasscode, context))?.rule == .throttled)
        #expect(user.questions.count == 2)
        device.clock.advance(by: 60)
        user.will(.passcode("1234"))
        #expect(enclave.refusal(.control(Flag.devicePasscode, context)) == nil)
        #expect(try enclave.status().failedAttempts == 0)
    }

    @Test("A wait that outlasts the deadline ends the conversation at once")
    func throttledBeyondDeadline() throws {
        let enclave = try start()
        for _ in 0..<4 { _ = refusal { try enclave.check(passcode: .text("x")) } }
        user.will(.passcode("x"))
        let refused = enclave.refusal(.control(Flag.devicePasscode, context), by: .after(milliseconds: 30_000))
        #expect(refused?.rule == .throttled)
        #expect(user.questions.count == 1)
    }

    @Test(
        "What is no answer ends the conversation with its own status",
        arguments: [
            (.cancel, .userCanceled, .userCanceled), (.timeOut, .notAvailable, .deadline),
            (.unreachable, .interactionNotAllowed, .unreachable), (.gone, .interactionNotAllowed, .unreachable),
        ] as [(TestUser.Answer, KeychainStatus, Refusal.Rule)])
    func ends(_ answer: TestUser.Answer, _ status: KeychainStatus, _ rule: Refusal.Rule) throws {
        let enclave = try start()
        for flags in [Flag.userPresence, Flag.devicePasscode, Flag.applicationPassword] {
            user.will(answer)
            let refused = enclave.refusal(.control(flags, context))
            // Without anybody to ask for a password it is the password that is missing.
            let isMissing = flags == Flag.applicationPassword && rule == .unreachable
            #expect(refused?.status == status && refused?.rule == (isMissing ? .needsPassword : rule))
        }
        #expect(user.kinds == [.finger, .passcode, .applicationPassword])
    }

    @Test("A user who may not be asked is not; one who does not answer is asked until the deadline")
    func interaction() throws {
        let enclave = try start()
        let refused = enclave.refusal(.control(Flag.userPresence, context, Prompt(interaction: .never)))
        #expect(refused?.status == .interactionNotAllowed && refused?.rule == .unreachable)
        #expect(user.questions.isEmpty)
        user.will(.wait)
        let late = enclave.refusal(.control(Flag.userPresence, context), by: .after(milliseconds: 50))
        #expect(late?.status == .notAvailable && late?.rule == .deadline)
        #expect(enclave.refusal(.control(Flag.userPresence, context), by: .now)?.rule == .deadline)
    }

    @Test("Without a way to the user nothing that he guards opens, and the rest works")
    func withoutAgent() throws {
        let enclave = try device.start()
        #expect(try enclave.capabilities() == AuthenticationCapabilities(biometry: .none, passcodeIsSet: false))
        try enclave.setPasscode(TestDevice.passcode("1234"))
        #expect(try enclave.capabilities() == AuthenticationCapabilities(biometry: .none, passcodeIsSet: true))
        let row = try GuardedRow(Flag.userPresence, in: enclave)
        let refused = enclave.refusal(row.task(context))
        #expect(refused?.status == .interactionNotAllowed && refused?.rule == .unreachable)
        #expect(row.refusal(enclave, context)?.rule == .needsUser)
        try enclave.invalidate(context)
    }
}

extension SecretBytes {
    static func text(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }
}
