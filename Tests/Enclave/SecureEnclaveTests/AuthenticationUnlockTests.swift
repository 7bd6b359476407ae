import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// A prompt that unlocks the keychain with the passcode that the user types.
struct AuthenticationUnlockTests {
    private let device = TestDevice()
    private let user = TestUser(fingers: [1])
    private let context = AuthenticationContext.test()

    private static func unlock(_ context: AuthenticationContext) -> AuthenticationTask {
        AuthenticationTask(context: context, purpose: .context(.unlock), prompt: Prompt())
    }

    /// An enclave that was started again after a passcode was set.
    private func restarted() throws -> SoftwareEnclave {
        try device.start().setPasscode(TestDevice.passcode("1234"))
        return try device.start(user: user)
    }

    @Test("The passcode unlocks a keychain before its first unlock; no finger is asked for, and nothing is kept")
    func unlocks() throws {
        let enclave = try restarted()
        #expect(try enclave.status().lockState == .beforeFirstUnlock)
        user.will(.passcode("4321"), .passcode("1234"))
        #expect(enclave.refusal(Self.unlock(context)) == nil)
        #expect(try enclave.status().lockState == .unlocked)
        #expect(user.kinds == [.unlocking, .unlocking] && enclave.user.grants.withLock { $0.count } == 0)
        #expect(enclave.refusal(Self.unlock(context)) == nil)
        #expect(user.questions.count == 2, "nobody is asked where it is unlocked")
    }

    @Test("What the user has shown before unlocks nothing")
    func shownBefore() throws {
        let enclave = try restarted()
        user.will(.fallback, .passcode("1234"), .cancel)
        #expect(enclave.refusal(.policy(2, context)) == nil)
        #expect(enclave.refusal(Self.unlock(context))?.rule == .userCanceled)
        #expect(try enclave.status().lockState == .beforeFirstUnlock)
        #expect(user.kinds == [.finger, .passcode, .unlocking])
    }

    @Test("Every unlock has another number, also one of a keychain that is unlocked")
    func numbers() throws {
        let enclave = try restarted()
        var numbers = [try enclave.status().lastUnlock]
        #expect(numbers == [0])
        for _ in 0..<2 {
            try enclave.unlock(passcode: TestDevice.passcode("1234"))
            numbers.append(try enclave.status().lastUnlock)
        }
        #expect(Set(numbers).count == 3)
        #expect(throws: (any Error).self) { try enclave.unlock(passcode: TestDevice.passcode("4321")) }
        #expect(try enclave.status().lastUnlock == numbers.last)
    }
}
