package import KeychainModel
package import LinuxSystem

/// An enclave without a way to the user: whatever would take one is refused.
extension EnclaveAuthenticationService {
    package func capabilities() throws(Refusal) -> AuthenticationCapabilities {
        AuthenticationCapabilities(biometry: .none, passcodeIsSet: false)
    }

    package func authenticate(
        _ task: AuthenticationTask, by deadline: Deadline
    ) throws(Refusal) -> AuthenticationResult { throw .nobodyToAsk }

    package func setCredential(_ password: FileDescriptor, in context: AuthenticationContext) throws(Refusal) {
        throw .nobodyToAsk
    }

    package func invalidate(_ context: AuthenticationContext) throws(Refusal) {}

    package func wrapGuardedRowKey(
        _ key: SecretBytes, row: [UInt8], for accessibility: Accessibility, flags: UInt64,
        in context: AuthenticationContext?
    ) throws(Refusal) -> [UInt8] { throw .nobodyToAsk }

    package func unwrapGuardedRowKey(
        _ wrapped: [UInt8], row: [UInt8], for accessibility: Accessibility, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes { throw .nobodyToAsk }
}

extension Refusal {
    fileprivate static let nobodyToAsk = Refusal(
        .interactionNotAllowed, .unreachable, "accc", "The user would have to be asked, and there is no way to do so.",
        do: "Use items that need no authentication.")
}
