package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The enclave's calls for prompts, and for opening guarded rows.
///
/// The enclave reaches the user without the daemon (``UserAgent``). A malicious daemon can cause a prompt, but it can
/// neither answer the prompt nor learn the answer. The enclave keeps each proof as a *grant*: for one caller, one
/// context and one purpose, for a short time. Nothing that could be replayed leaves it.
///
/// Whatever is guarded and lacks something is refused with `errSecAuthNeeded` (`state.needs-user`,
/// `state.needs-password`): the engine has the user asked with ``authenticate(_:by:)`` and tries again.
package protocol EnclaveAuthenticationService: Sendable {
    /// The factors that could be asked for now.
    func capabilities() throws(Refusal) -> AuthenticationCapabilities

    /// Asks the user for the missing factors and keeps grants for those shown. Blocks until the user has answered.
    ///
    /// - Throws: `errSecUserCanceled`; `errSecInteractionNotAllowed` when the user cannot be reached or must not be
    ///   asked; `errSecAuthFailed` when the user could not show a factor, or when another biometric enrolment is
    ///   present now (each with a rule of its own); `errSecNotAvailable` (`keychain.deadline`) when no answer came in
    ///   time.
    func authenticate(_ task: AuthenticationTask, by deadline: Deadline) throws(Refusal) -> AuthenticationResult

    /// Gives a context the application password in the memory file; an empty file takes it away.
    func setCredential(_ password: FileDescriptor, in context: AuthenticationContext) throws(Refusal)

    /// Ends an open prompt of the context, and forgets its grants.
    func invalidate(_ context: AuthenticationContext) throws(Refusal)

    /// Wraps the secret key of a guarded row: what the flags demand is bound to it, the present enrolment and the
    /// application password of the context where they ask for them.
    ///
    /// - Parameter row: the row's UUID, 16 bytes.
    /// - Throws: `errSecAuthFailed` when the flags can never be met here (no passcode, no finger enrolled).
    func wrapGuardedRowKey(
        _ key: SecretBytes, row: [UInt8], for accessibility: Accessibility, flags: UInt64,
        in context: AuthenticationContext?
    ) throws(Refusal) -> [UInt8]

    /// Opens the secret key of a guarded row, if the context has the grants for it.
    ///
    /// - Throws: `errSecAuthNeeded` when something is lacking; `errSecAuthFailed` for a wrong application password and
    ///   for a row that was bound to another biometric enrolment.
    func unwrapGuardedRowKey(
        _ wrapped: [UInt8], row: [UInt8], for accessibility: Accessibility, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes
}

/// One prompt: its context, its purpose and its text.
package struct AuthenticationTask: Hashable, Sendable {
    package var context: AuthenticationContext
    package var purpose: Purpose
    package var prompt: Prompt

    /// More is not asked for at once; with the longest prompt it fits one message of the enclave's channel.
    package static let mostGuards = 512

    package enum Purpose: Hashable, Sendable {
        /// An `LAContext` is evaluated. The grants serve it until it expires or is invalidated.
        case context(AuthenticationPurpose)
        /// A request is under way. The grants serve these rows or keys, each once, for this operation. `guards` has one
        /// entry for each; an identifier is a row's UUID, or the last 16 bytes of a sealed key's box.
        case items(guards: [ItemGuard], GuardedOperation)
    }

    package init(context: AuthenticationContext, purpose: Purpose, prompt: Prompt) {
        (self.context, self.purpose, self.prompt) = (context, purpose, prompt)
    }
}

/// A row or key to open, with its access control as the daemon reports it. The enclave uses this report only to choose
/// the prompt. When the box is opened, the authenticated flags inside it count.
package struct ItemGuard: Hashable, Sendable {
    package var identifier: [UInt8]
    package var flags: UInt64

    package init(identifier: [UInt8], flags: UInt64) { (self.identifier, self.flags) = (identifier, flags) }
}
