import KeychainModel
import Sandboxes

/// The owner of secrets on the bus, whose clients see these and no others.
enum SecretsOwner: Hashable, Sendable {
    /// The programs outside of sandboxes, together.
    case outside
    /// An application in a sandbox.
    case application(SandboxedApplication)

    /// The group of the secrets in the keychain.
    var group: String {
        switch self {
        case .outside: AccessGroup.secretService
        case .application(let application):
            AccessGroup.ofSandboxedSecrets(application.sandbox, application.identifier)
        }
    }

    /// The application as a person is shown it; nil for programs outside.
    var title: String? {
        guard case .application(let application) = self else { return nil }
        return "\(application.identifier) (\(application.sandbox == .flatpak ? "Flatpak" : "Snap"))"
    }
}
