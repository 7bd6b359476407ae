import Systemd

/// Something that a client may have its user asked for.
struct SecretPrompt {
    /// The work that is done when the user agrees.
    enum Purpose {
        /// Opens collections; the paths are those that the client has named.
        case unlock([String], collections: Set<String>)
        case delete(SecretCollection)
    }

    let client: String
    let purpose: Purpose
    var isShown = false

    /// The answer to a client that asked in vain: a value of the type that it waits for.
    var nothing: BusValue {
        switch purpose {
        case .unlock: .objects([])
        case .delete: .text("")
        }
    }
}

/// Asks the user for their presence on behalf of the prompt with this name, and returns at once. The answer comes back
/// through ``Bridge/complete(_:agreed:)``.
typealias Asker = (_ name: String, _ reason: String) -> Void
