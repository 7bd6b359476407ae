import KeychainWire

/// What `status` says of the ways to the user, and of what is missing.
enum AgentLines {
    static func lines(_ agent: AgentReport?) -> [(String, String)] {
        guard let agent else { return [("user:", "nobody can be asked: keychain-agent does not run")] }
        return [
            (
                "session:",
                agent.session.isEmpty
                    ? "not watched: \(agent.hasSystemBus ? "no logind, or no session" : "no system bus")"
                    : "\(agent.session), by logind"
            ),
            ("fingerprint:", agent.sensor.isEmpty ? "no reader, or no fprintd" : agent.sensor),
            ("pinentry:", pinentry(agent)),
            ("login:", agent.loginService.isEmpty ? "no PAM service" : "PAM service \(agent.loginService)"),
        ]
    }

    private static func pinentry(_ agent: AgentReport) -> String {
        let found = [agent.graphicalPinentry, agent.terminalPinentry].filter { !$0.isEmpty }
        return found.isEmpty ? "none; the terminal is asked itself" : found.joined(separator: ", ")
    }

    static func json(_ agent: AgentReport?) -> JSONValue {
        guard let agent else { return .null }
        return .object([
            ("systemBus", .boolean(agent.hasSystemBus)), ("session", text(agent.session)),
            ("sensor", text(agent.sensor)), ("graphicalPinentry", text(agent.graphicalPinentry)),
            ("terminalPinentry", text(agent.terminalPinentry)), ("loginService", text(agent.loginService)),
        ])
    }

    private static func text(_ text: String) -> JSONValue { text.isEmpty ? .null : .string(text) }
}
