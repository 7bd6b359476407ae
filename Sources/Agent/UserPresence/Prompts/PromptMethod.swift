import KeychainWire

/// A method to prompt the user.
enum PromptMethod: Equatable, Sendable {
    /// A pinentry at this path that opens a window.
    case window(String)
    /// A pinentry at this path that uses the caller's terminal.
    case terminalPinentry(String)
    /// The caller's terminal, without a pinentry.
    case terminal

    /// The methods to try for a prompt, the best one first; empty when the user cannot be reached.
    static func methods(for prompt: Prompt, with programs: PinentryPrograms) -> [PromptMethod] {
        if prompt.interaction == .never { return [] }
        var methods: [PromptMethod] = []
        let environment = SafeSurroundings.environment(prompt.surroundings)
        let hasDisplay = environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
        if prompt.interaction == .any, hasDisplay, let program = programs.graphical { methods.append(.window(program)) }
        if !prompt.surroundings.terminal.isEmpty {
            if let program = programs.terminal { methods.append(.terminalPinentry(program)) }
            methods.append(.terminal)
        }
        return methods
    }
}
