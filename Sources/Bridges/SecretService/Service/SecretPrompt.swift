import LinuxSystem
import Systemd

/// Something that a client may have its user asked for.
struct SecretPrompt {
    /// The work that is done when the user agrees.
    enum Purpose {
        /// Opens collections; the paths are those that the client has named.
        case unlock([String], collections: Set<String>)
        case delete(SecretCollection)
    }

    let name: String
    let client: String
    let purpose: Purpose
    var asker: Asker?
    var isShown = false

    /// The answer to a client that asked in vain: a value of the type that it waits for.
    var nothing: BusValue {
        switch purpose {
        case .unlock: .objects([])
        case .delete: .text("")
        }
    }

    /// Whether the user who answers this one has answered the other.
    func covers(_ other: SecretPrompt) -> Bool {
        if name == other.name { return true }
        guard case .unlock(_, let own) = purpose, case .unlock(_, let others) = other.purpose else { return false }
        return others.isSubset(of: own)
    }
}

/// The program that has a prompt, where it is known.
enum Asker: Sendable {
    case program(AskingProgram)
    /// An application in a sandbox, by its name. Nothing is believed that it says of itself.
    case application(String)
}

/// A question to the user.
struct SecretQuestion: Sendable {
    enum Kind: Sendable {
        /// The keychain is to be unlocked with the passcode.
        case unlock
        /// A finger or the passcode, for this reason.
        case presence(PromptText)
    }

    /// A number that no question has had.
    let number: Int
    let kind: Kind
    let asker: Asker?
}

/// A text in all languages of prompts.
struct PromptText: Sendable {
    let english: String
    let chinese: String

    func callAsFunction(_ language: UserLanguage) -> String { language == .chinese ? chinese : english }
}
