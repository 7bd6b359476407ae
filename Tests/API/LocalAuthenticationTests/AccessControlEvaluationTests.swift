import KeychainTesting
import LocalAuthentication
import TestSupport
import Testing

/// Evaluating an access control before the item is used (rule authentication.context.access-control).
@Suite("Access controls evaluated") struct AccessControlEvaluationTests {
    private let phone: Phone

    init() throws { phone = try Phone() }

    @Test(
        "each control asks for what it demands, the finger first where there is a choice",
        .rule(
            "access-control.flags.biometry-any", "access-control.flags.current-set", "access-control.flags.passcode",
            "access-control.flags.combined", "access-control.add.free"))
    func demands() async throws {
        let passcode = SimulatedUser.Answer.passcode(Phone.passcode)
        let cases: [(SecAccessControlCreateFlags, [SimulatedUser.Answer], [SimulatedUser.Question.Kind])] = [
            (.userPresence, [.touch("thumb")], [.finger]),
            (.userPresence, [.fallback, passcode], [.finger, .passcode]),
            (.biometryAny, [.touch("thumb")], [.finger]),
            (.biometryCurrentSet, [.touch("thumb")], [.finger]),
            (.devicePasscode, [passcode], [.passcode]),
            ([.biometryAny, .or, .devicePasscode], [.touch("thumb")], [.finger]),
            ([.biometryAny, .and, .devicePasscode], [.touch("thumb"), passcode], [.finger, .passcode]),
            ([.companion, .or, .biometryAny], [.touch("thumb")], [.finger]),
        ]
        for (flags, answers, expected) in cases {
            phone.user.reset()
            for answer in answers { phone.user.will(answer) }
            #expect(try await phone.failure(of: flags) == nil, "\(flags)")
            #expect(phone.asked == expected, "\(flags)")
        }
    }

    @Test("A control that demands nothing, or only that a key may be used, is met without asking")
    func nothing() async throws {
        #expect(try await phone.failure(of: []) == nil)
        #expect(try await phone.failure(of: .privateKeyUsage, .useKeySign) == nil)
        #expect(phone.asked.isEmpty)
    }

    @Test(
        "making something asks nobody", .rule("access-control.add.free"),
        arguments: [LAAccessControlOperation.createItem, .createKey])
    func making(operation: LAAccessControlOperation) async throws {
        #expect(try await phone.failure(of: .userPresence, operation) == nil)
        #expect(try await phone.failure(of: .companion, operation) == nil)
        #expect(phone.asked.isEmpty)
    }

    @Test(
        "What no device of this system can meet is companionNotAvailable",
        arguments: [SecAccessControlCreateFlags.companion, [.companion, .and, .biometryAny]])
    func companion(flags: SecAccessControlCreateFlags) async throws {
        #expect(try await phone.failure(of: flags) == .companionNotAvailable)
        #expect(phone.asked.isEmpty)
    }

    @Test("what the device lacks is said, and nobody is asked", .rule("access-control.add.impossible"))
    func lacking() async throws {
        let noPasscode = try Phone(hasPasscode: false)
        #expect(try await noPasscode.failure(of: .userPresence) == .passcodeNotSet)
        #expect(try await noPasscode.failure(of: .devicePasscode) == .passcodeNotSet)
        let noFinger = try Phone(fingers: [])
        #expect(try await noFinger.failure(of: .biometryAny) == .biometryNotEnrolled)
        let noReader = try Phone(hasSensor: false)
        #expect(try await noReader.failure(of: .biometryCurrentSet) == .biometryNotAvailable)
        #expect(noPasscode.asked + noFinger.asked + noReader.asked == [])
    }

    @Test("The reply comes once, on another thread, with true and no error")
    func reply() async throws {
        phone.user.will(.touch("thumb"))
        let (control, context) = (try accessControl(.biometryAny), LAContext())
        let (isMet, failure) = await withCheckedContinuation { continuation in
            phone.keychain.run {
                context.evaluateAccessControl(control, operation: .useItem, localizedReason: "to test") {
                    continuation.resume(returning: ($0, $1))
                }
            }
        }
        #expect(isMet)
        #expect(failure == nil)
    }
}
