package import LinuxSystem

/// An object that can stand under `kSecUseAuthenticationContext`: an `LAContext`, which this module does not know.
package protocol AuthenticationContextSource: AnyObject, Sendable {
    /// The context as it is now; a request that is under way does not see later changes.
    var givenContext: GivenContext { get }
}

/// What a keychain function takes of the context it was given (S-42).
package struct GivenContext: Sendable {
    /// 16 random bytes, the context's for all its life.
    package var identifier: [UInt8]
    /// What the user reads where a request gives no `kSecUseOperationPrompt`; may be empty.
    package var reason = ""
    /// As in `Prompt`.
    package var fallbackTitle: String?
    /// As in `Prompt`.
    package var cancelTitle: String?
    /// Nobody is to be asked: what would take that is refused with `errSecInteractionNotAllowed`.
    package var forbidsInteraction = false
    /// The application password that was set in it.
    package var password: SecretBytes?
    /// The context was invalidated: what needs the user fails with it.
    package var isInvalidated = false

    package init(identifier: [UInt8]) { self.identifier = identifier }
}
