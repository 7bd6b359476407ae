import KeychainTesting
import LocalAuthentication
import TestSupport
import Testing

/// The obstacles to a policy, known before anybody is asked (rules authentication.policy.evaluate,
/// authentication.context.members).
@Suite("Policies") struct PolicyTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var hasPasscode = true
        var fingers = ["thumb"]
        var hasSensor = true
        /// For biometry alone, and for biometry or the passcode.
        let biometrics: LAError.Code?
        let owner: LAError.Code?

        var phone: Phone {
            get throws { try Phone(hasPasscode: hasPasscode, fingers: fingers, hasSensor: hasSensor) }
        }
    }

    static let cases = [
        Case(testDescription: "a finger and a passcode", biometrics: nil, owner: nil),
        Case(testDescription: "no finger", fingers: [], biometrics: .biometryNotEnrolled, owner: nil),
        Case(testDescription: "no reader", hasSensor: false, biometrics: .biometryNotAvailable, owner: nil),
        Case(
            testDescription: "no passcode", hasPasscode: false, biometrics: .passcodeNotSet, owner: .passcodeNotSet),
        Case(
            testDescription: "neither finger nor passcode", hasPasscode: false, fingers: [],
            biometrics: .passcodeNotSet, owner: .passcodeNotSet),
        Case(
            testDescription: "neither reader nor passcode", hasPasscode: false, hasSensor: false,
            biometrics: .biometryNotAvailable, owner: .passcodeNotSet),
    ]

    @Test(
        "a policy that the device cannot evaluate now says what is lacking, and asks nobody",
        .rule("authentication.policy.evaluate"), arguments: cases)
    func obstacles(_ item: Case) throws {
        let phone = try item.phone
        #expect(phone.obstacle(to: .deviceOwnerAuthenticationWithBiometrics) == item.biometrics)
        #expect(phone.obstacle(to: .deviceOwnerAuthenticationWithBiometricsOrCompanion) == item.biometrics)
        #expect(phone.obstacle(to: .deviceOwnerAuthentication) == item.owner)
        #expect(phone.obstacle(to: .deviceOwnerAuthenticationWithCompanion) == .companionNotAvailable)
        #expect(phone.obstacle(to: .deviceOwnerAuthenticationWithWristDetection) == .companionNotAvailable)
        #expect(phone.asked.isEmpty)
    }

    @Test("An evaluation fails with what the look before it has shown, and asks nobody", arguments: cases)
    func evaluations(_ item: Case) async throws {
        let phone = try item.phone
        if let expected = item.biometrics {
            #expect(await phone.failure(of: .deviceOwnerAuthenticationWithBiometrics) == expected)
            #expect(await phone.failure(of: .deviceOwnerAuthenticationWithBiometricsOrCompanion) == expected)
        }
        if let expected = item.owner { #expect(await phone.failure(of: .deviceOwnerAuthentication) == expected) }
        #expect(await phone.failure(of: .deviceOwnerAuthenticationWithCompanion) == .companionNotAvailable)
        #expect(await phone.failure(of: .deviceOwnerAuthenticationWithWristDetection) == .companionNotAvailable)
        #expect(phone.asked.isEmpty)
    }

    @Test(
        "An error says what is wrong and what to do, and has the keychain's refusal in it where there is one",
        .rule("authentication.policy.errors"))
    func texts() async throws {
        let phone = try Phone(hasPasscode: false)
        let context = LAContext()
        let failure = try #require(
            phone.keychain.run {
                var error: NSError?
                _ = unsafe context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error)
                return error
            })
        #expect(failure.domain == LAErrorDomain)
        #expect(failure.code == Int(kLAErrorPasscodeNotSet))
        #expect(failure.localizedDescription.contains("passcode"))
        #expect(failure.localizedRecoverySuggestion?.isEmpty == false)
    }
}
