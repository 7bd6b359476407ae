import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Policies of contexts, the login's password, and an agent that says what it cannot know (rule
/// authentication.policy.kinds).
struct AuthenticationPolicyTests {
    private let device = TestDevice()
    private let user = TestUser(fingers: [1])
    private let context = AuthenticationContext.test()

    private func start() throws -> SoftwareEnclave {
        let enclave = try device.start(user: user)
        try enclave.setPasscode(TestDevice.passcode("1234"))
        return enclave
    }

    @Test("LAPolicy: biometrics alone, biometrics or passcode, a companion that is not there")
    func policies() throws {
        let enclave = try start()
        for (policy, answers, asked, rule): (UInt8, [TestUser.Answer], [UserQuestion.Kind], Refusal.Rule?) in [
            (1, [.touch], [.finger], nil), (1, [.fallback], [.finger], .userFallback),
            (2, [.touch], [.finger], nil), (2, [.fallback, .passcode("1234")], [.finger, .passcode], nil),
            (3, [], [], .companionUnavailable), (4, [.touch], [.finger], nil),
            (4, [.fallback], [.finger], .userFallback),
            (0, [], [], .wrongValue), (5, [], [], .wrongValue),
        ] {
            for answer in answers { user.will(answer) }
            let before = user.questions.count
            #expect(enclave.refusal(.policy(policy, .test()))?.rule == rule, "policy \(policy)")
            #expect(Array(user.kinds.dropFirst(before)) == asked, "policy \(policy)")
        }
    }

    @Test("LAPolicy: biometry alone offers another way, for the program to go, unless the title is empty")
    func reportedFallback() throws {
        let enclave = try start()
        for (title, isOffered): (String?, Bool) in [(nil, true), ("", false), ("Own way", true)] {
            user.will(.cancel)
            _ = enclave.refusal(.policy(1, context, Prompt(fallbackTitle: title)))
            #expect(user.questions.last?.allowsFallback == isOffered)
        }
    }

    @Test("LAPolicy: without a passcode no policy is met", arguments: [1, 2, 4] as [UInt8])
    func policyWithoutPasscode(_ policy: UInt8) throws {
        let enclave = try device.start(user: user)
        let refused = enclave.refusal(.policy(policy, context))
        #expect(refused?.status == .authFailed && refused?.rule == .passcodeNotSet)
        #expect(user.questions.isEmpty)
    }

    @Test("The password of the login is the passcode where the setting says so and none is set")
    func loginPassword() throws {
        var enclave = try device.start(user: user)
        user.enrol(nil)
        #expect(refusal { _ = try GuardedRow(Flag.devicePasscode, in: enclave) }?.rule == .passcodeNotSet)
        enclave = try device.start(user: user, acceptsLoginPassword: true)
        #expect(try enclave.capabilities().passcodeIsSet)
        let row = try GuardedRow(Flag.devicePasscode, in: enclave)
        user.will(.login(false), .login(true))
        #expect(enclave.refusal(row.task(context)) == nil)
        #expect(user.kinds == [.loginPassword, .loginPassword])
        #expect(row.refusal(enclave, context) == nil)
        // With a passcode of its own, the agent's word counts no more.
        try enclave.setPasscode(TestDevice.passcode("1234"))
        user.will(.login(true), .login(true), .login(true))
        #expect(enclave.refusal(row.task(context))?.rule == .userFailed)
        #expect(user.kinds.suffix(3) == [.passcode, .passcode, .passcode])
        #expect(row.refusal(enclave, context)?.rule == .needsUser)
    }

    @Test("An agent's word that the passcode matched is worth nothing, nor is a secret for a finger")
    func lyingAgent() throws {
        let enclave = try start()
        user.will(.touch, .touch, .touch)
        #expect(enclave.refusal(.control(Flag.devicePasscode, context))?.rule == .userFailed)
        user.will(.passcode("1234"), .passcode("1234"), .passcode("1234"))
        #expect(enclave.refusal(.control(Flag.biometryAny, context))?.rule == .userFailed)
    }
}
