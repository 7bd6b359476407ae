import KeychainTesting
import LocalAuthentication

/// A device with a passcode and a finger, its user, and a program.
struct Phone: Sendable {
    static let passcode = "1234"
    let keychain: TestKeychain

    /// - Parameters:
    ///   - fingers: the enrolled fingers; without any, the reader exists and is empty.
    ///   - hasSensor: whether there is a reader.
    init(hasPasscode: Bool = true, fingers: [String] = ["thumb"], hasSensor: Bool = true) throws {
        keychain = try TestKeychain()
        if hasPasscode { try keychain.device.setPasscode(Self.passcode) }
        for finger in fingers { keychain.device.enrol(finger: finger) }
        keychain.device.setSensor(present: hasSensor)
    }

    var device: SimulatedDevice { keychain.device }
    var user: SimulatedUser { keychain.device.user }

    /// The kinds of prompts so far.
    var asked: [SimulatedUser.Question.Kind] { user.questions.map(\.kind) }

    /// Evaluates a policy as the program; nil for success.
    func failure(of policy: LAPolicy, in context: LAContext = LAContext()) async -> LAError.Code? {
        await keychain.run { await context.failure(of: policy) }
    }

    /// Evaluates an access control as the program; nil for success.
    func failure(
        of flags: SecAccessControlCreateFlags, _ operation: LAAccessControlOperation = .useItem,
        in context: LAContext = LAContext()
    ) async throws -> LAError.Code? {
        let control = try accessControl(flags)
        return await keychain.run {
            await code {
                _ = try await context.evaluateAccessControl(control, operation: operation, localizedReason: "to test")
            }
        }
    }

    /// The obstacle to a policy, found without a prompt; nil for none.
    func obstacle(to policy: LAPolicy, in context: LAContext = LAContext()) -> LAError.Code? {
        keychain.run {
            var error: NSError?
            let can = unsafe context.canEvaluatePolicy(policy, error: &error)
            return can ? nil : (error as? LAError)?.code
        }
    }
}

extension LAContext {
    /// Evaluates a policy; nil for success.
    func failure(of policy: LAPolicy) async -> LAError.Code? {
        await code { _ = try await evaluatePolicy(policy, localizedReason: "to test") }
    }
}

/// The code of the `LAError` that a body throws; nil for success. For an error of another kind it is an unexpected
/// code.
func code(_ body: () async throws -> Void) async -> LAError.Code? {
    do {
        try await body()
        return nil
    } catch { return (error as? LAError)?.code ?? .invalidDimensions }
}

/// The code of the error of `Security` that a body throws; nil for success.
func status(_ body: () async throws -> Void) async -> OSStatus? {
    do {
        try await body()
        return nil
    } catch {
        let error = error as NSError
        return error.domain == NSOSStatusErrorDomain ? OSStatus(error.code) : nil
    }
}

func accessControl(_ flags: SecAccessControlCreateFlags) throws -> SecAccessControl {
    var error: Unmanaged<CFError>?
    if let control = unsafe SecAccessControlCreateWithFlags(
        nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags, &error)
    {
        return control
    }
    throw unsafe error?.takeRetainedValue() ?? NSError(domain: NSOSStatusErrorDomain, code: 0)
}

extension Phone {
    /// Waits for this many prompts, on a thread that may block: the threads of tasks are few. The limit is long,
    /// because the task with the prompt may start after all other tests.
    func wasAsked(_ count: Int) async -> Bool {
        let user = user
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: user.wasAsked(count, within: 3600)) }
        }
    }
}
