package import KeychainModel
package import LinuxSystem

extension AuthenticationRequest {
    /// How the user can be reached; nil for what asks nobody.
    package var prompt: Prompt? {
        get {
            switch self {
            case .capabilities, .invalidate: nil
            case .evaluate(_, _, let prompt), .perform(_, _, let prompt), .circle(_, let prompt): prompt
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .capabilities, .invalidate: return
            case .evaluate(let purpose, let context, _):
                self = .evaluate(purpose, context: context, prompt: newValue)
            case .perform(let inner, let context, _): self = .perform(inner, context: context, prompt: newValue)
            case .circle(let change, _): self = .circle(change, prompt: newValue)
            }
        }
    }

    /// Takes the descriptors that came with the request.
    ///
    /// - Returns: the application password, where one came.
    /// - Throws: `errSecParam` (`wire.malformed`) when there are others than it announces.
    package mutating func take(_ attached: [FileDescriptor]) throws(Refusal) -> FileDescriptor? {
        let terminals = prompt?.surroundings.comesOpened == true ? 1 : 0
        guard descriptors.contains(attached.count - terminals) else { throw .malformed("the number of descriptors") }
        if terminals == 1, let terminal = attached.last { prompt?.surroundings.opened = OpenedTerminal(terminal) }
        return attached.count > terminals ? attached.first : nil
    }
}
