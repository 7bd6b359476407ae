import Glibc
package import KeychainModel
package import KeychainWire
import LinuxSystem

extension PromptEnvironment {
    /// Where the user of this process is: its controlling terminal, and what its environment says of displays and
    /// languages.
    ///
    /// Collected at the first question.
    package static let ofThisProcess = PromptEnvironment(
        terminal: ControllingTerminal.path ?? "",
        environment: Dictionary(
            uniqueKeysWithValues: variables.compactMap { name in
                unsafe getenv(name).map { (name, unsafe String(cString: $0)) }
            }))
}

extension AuthenticationRequest {
    /// The same with this process's terminal, opened: the agent may be another user's, who must not open it.
    func withTerminal() -> AuthenticationRequest {
        guard let prompt, prompt.interaction != .never, !prompt.surroundings.terminal.isEmpty,
            prompt.surroundings.terminal == ControllingTerminal.path, let terminal = ControllingTerminal.open()
        else { return self }
        var request = self
        request.prompt?.surroundings.opened = OpenedTerminal(terminal)
        return request
    }
}

extension Prompt {
    /// A prompt on the terminal or screen of this process's user, as far as `KEYCHAIN_INTERACTION` allows one.
    ///
    /// - Throws: `errSecParam` (`configuration.*`) for a setting that makes no sense.
    package static func ofThisProcess(reason: String = "") throws(Refusal) -> Prompt {
        Prompt(
            interaction: try Configuration.loadInteraction().ofPrompts, reason: reason,
            surroundings: .ofThisProcess)
    }
}

extension Configuration.Interaction {
    /// The same for a prompt.
    package var ofPrompts: Prompt.Interaction {
        switch self {
        case .never: .never
        case .tty: .terminal
        case .auto: .any
        }
    }
}
