/// Where what a user has shown is kept: an `LAContext`, as the enclave knows it.
///
/// Grants of one context count in no other, and for no other caller.
package struct AuthenticationContext: Hashable, Sendable {
    /// 16 random bytes that the program's side made.
    package let identifier: [UInt8]
    /// The caller as the daemon has verified it: a digest of user, process and program. Never a client's claim.
    package let caller: [UInt8]

    package init(identifier: [UInt8], caller: [UInt8]) { (self.identifier, self.caller) = (identifier, caller) }

    package static let identifierBytes = 16
    package static let callerBytes = 32
}

/// How a user can be reached, and the text of the prompt.
package struct Prompt: Hashable, Sendable {
    /// Whether and where the user may be asked.
    package var interaction: Interaction
    /// Why, in the program's own words; may be empty.
    package var reason: String
    /// The title of the alternative to biometry: nil for the usual one, empty for no alternative.
    package var fallbackTitle: String?
    /// The title of cancelling: nil for the usual one.
    package var cancelTitle: String?
    /// Where the caller is.
    package var surroundings: PromptEnvironment
    /// The verified program that asks. Filled in by the engine; what a client says here is ignored, but for the
    /// desktop's bridge, which asks for its own clients.
    package var program = ""
    /// The item it is about, for people. Filled in by the engine; what a client says here is ignored.
    package var item = ""

    package enum Interaction: UInt8, Sendable {
        case never = 0
        case terminal = 1
        case any = 2
    }

    package init(
        interaction: Interaction = .any, reason: String = "", fallbackTitle: String? = nil, cancelTitle: String? = nil,
        surroundings: PromptEnvironment = PromptEnvironment()
    ) {
        self.interaction = interaction
        self.reason = reason
        self.fallbackTitle = fallbackTitle
        self.cancelTitle = cancelTitle
        self.surroundings = surroundings
    }
}

/// The caller's terminal and display: what a prompt needs to appear where the user is.
package struct PromptEnvironment: Hashable, Sendable {
    /// The path of the controlling terminal; empty for none.
    package var terminal = ""
    /// The variables of ``variables`` that the caller's environment has.
    package var environment: [String: String] = [:]
    /// The terminal itself, as the caller has opened it: for an agent of another user, who may not open it.
    package var opened: OpenedTerminal?
    /// Whether a message says that the terminal is attached to it.
    package var comesOpened = false

    package init(terminal: String = "", environment: [String: String] = [:]) {
        (self.terminal, self.environment) = (terminal, environment)
    }

    /// All that is taken over; no other variable reaches a program that asks the user.
    package static let variables = [
        "TERM", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "LANGUAGE",
        "LC_ALL", "LC_MESSAGES", "LC_CTYPE", "LANG",
    ]
}
