import KeychainTesting
import LinuxSystem
import Security

/// A context in the form in which this module sees an `LAContext`.
final class TestContext: NSObject, AuthenticationContextSource {
    private let state = Lock(GivenContext(identifier: Randomness.bytes(16)))

    var givenContext: GivenContext { state.withLock { $0 } }

    init(reason: String = "", password: String? = nil) {
        super.init()
        change { given in
            given.reason = reason
            given.password = password.map { SecretBytes(copying: Array($0.utf8).span) }
        }
    }

    func change(_ change: (inout GivenContext) -> Void) { state.withLock { change(&$0) } }
}

/// A generic password with an access control.
func guarded(
    _ flags: SecAccessControlCreateFlags, _ service: String = "service",
    _ protection: CFString = kSecAttrAccessibleWhenUnlocked, value: String = "secret"
) -> Attributes {
    var item = genericPassword(service) + [kSecValueData: Data(value)]
    item[kSecAttrAccessControl] = accessControl(protection, flags)
    return item
}

/// The outcome of a query for the value.
func reading(_ service: String = "service", _ more: Attributes = [:]) -> Found {
    find(genericPassword(service) + [kSecReturnData: true] + more)
}

/// The rule behind the last refusal.
var lastRule: String? { SecCopyLastItemError()?.rule }

extension TestKeychain {
    var user: SimulatedUser { device.user }

    /// The prompts so far.
    var asked: [SimulatedUser.Question.Kind] { user.questions.map(\.kind) }
}
