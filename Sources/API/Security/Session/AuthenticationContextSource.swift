package import LinuxSystem

/// An object under `kSecUseAuthenticationContext`: an `LAContext`, which this module cannot name.
package protocol AuthenticationContextSource: AnyObject, Sendable {
    /// The context as it is now. A request under way does not see later changes.
    var givenContext: GivenContext { get }
}

/// The parts of a context that a keychain function uses (rule authentication.context.reason).
package struct GivenContext: Sendable {
    /// 16 random bytes, constant for the life of the context.
    package var identifier: [UInt8]
    /// The text that the user reads when a request has no `kSecUseOperationPrompt`; may be empty.
    package var reason = ""
    /// As in `Prompt`.
    package var fallbackTitle: String?
    /// As in `Prompt`.
    package var cancelTitle: String?
    /// Nobody must be asked. A request that needs a prompt is refused with `errSecInteractionNotAllowed`.
    package var forbidsInteraction = false
    /// The application password that the program set in it.
    package var password: SecretBytes?
    /// The context was invalidated. Requests that need the user fail.
    package var isInvalidated = false

    package init(identifier: [UInt8]) { self.identifier = identifier }
}
