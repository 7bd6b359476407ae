import KeychainWire

/// The lines of `status` about the ways to the user, and about what is missing.
enum AgentLines {
    /// - Parameters:
    ///   - mayAsk: whether the settings of this command let anybody be asked.
    ///   - isService: whether the agent is the system service's, which is another user's and in nobody's session.
    static func lines(_ agent: AgentReport?, mayAsk: Bool, isService: Bool) -> [(String, String)] {
        guard let agent else { return [("user:", "nobody can be asked: keychain-agent does not run")] }
        return [
            ("asks:", prompts(agent, mayAsk: mayAsk, isService: isService)),
            ("session:", session(agent)),
            ("fingerprint:", fingerprint(agent, isService: isService)),
            ("pinentry:", pinentry(agent)),
            ("login:", login(agent, isService: isService)),
        ]
    }

    /// Where a prompt can appear, for programs: `terminal`, `display`.
    static func reach(_ agent: AgentReport?, mayAsk: Bool) -> [String] {
        guard let agent, mayAsk else { return [] }
        return ["terminal"] + (agent.graphicalPinentry.isEmpty ? [] : ["display"])
    }

    /// Without a pinentry of its own for terminals, the agent asks there itself.
    private static func prompts(_ agent: AgentReport, mayAsk: Bool, isService: Bool) -> String {
        if !mayAsk { return "nobody: the setting interaction says never" }
        let terminal = "on the terminal of the program that needs it"
        if isService {
            if agent.graphicalPinentry.isEmpty { return "\(terminal); no session has registered a display" }
            return "on the display of your session, or \(terminal)"
        }
        if agent.graphicalPinentry.isEmpty { return "\(terminal); there is no pinentry for a display" }
        return "on the program's display, or \(terminal)"
    }

    private static func session(_ agent: AgentReport) -> String {
        if !agent.session.isEmpty { return "\(agent.session), by logind" }
        return "not watched: \(agent.hasSystemBus ? "no logind, or no session" : "no system bus")"
    }

    private static func fingerprint(_ agent: AgentReport, isService: Bool) -> String {
        if agent.sensor.isEmpty { return "no reader, or no fprintd" }
        return isService ? "\(agent.sensor), only if polkit gives the system service users' fingers" : agent.sensor
    }

    private static func pinentry(_ agent: AgentReport) -> String {
        let found = [agent.graphicalPinentry, agent.terminalPinentry].filter { !$0.isEmpty }
        return found.isEmpty ? "none; the terminal is asked itself" : found.joined(separator: ", ")
    }

    private static func login(_ agent: AgentReport, isService: Bool) -> String {
        if isService { return "never a passcode: the system service checks no user's password" }
        return agent.loginService.isEmpty ? "no PAM service" : "PAM service \(agent.loginService)"
    }

    static func json(of agent: AgentReport?) -> JSONValue {
        guard let agent else { return .null }
        return .object([
            ("systemBus", .boolean(agent.hasSystemBus)), ("session", text(agent.session)),
            ("sensor", text(agent.sensor)), ("graphicalPinentry", text(agent.graphicalPinentry)),
            ("terminalPinentry", text(agent.terminalPinentry)), ("loginService", text(agent.loginService)),
        ])
    }

    private static func text(_ text: String) -> JSONValue { text.isEmpty ? .null : .string(text) }
}
