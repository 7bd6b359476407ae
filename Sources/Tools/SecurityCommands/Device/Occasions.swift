import KeychainWire

/// When a keychain locks here, and who notices it.
///
/// Settings are one thing; whether anybody sees the session, or that the machine falls asleep, depends on
/// where the agent runs and on what it reaches.
struct Occasions {
    let status: DeviceStatus
    let settings: DeviceSettings
    let agent: AgentReport?

    /// The lines of `status`.
    func lines(for reader: Session) -> [String] {
        guard status.passcodeIsSet else { return ["never: no password is set"] }
        let sure = ["when it is told to"] + session + (seesSleep ? sleep : []) + idle
        return [reader.texts(sure, separator: ", ")] + notes
    }

    /// The same for programs: what locks it, by name.
    var names: [String] {
        guard status.passcodeIsSet else { return [] }
        return ["command"] + (seesSession ? ["session"] : []) + (seesSleep && settings.locksOnSleep ? ["sleep"] : [])
            + (settings.idleSeconds > 0 ? ["idle"] : [])
    }

    private var session: [String] { seesSession ? ["with the session"] : [] }
    private var sleep: [String] { settings.locksOnSleep ? ["on sleep"] : [] }
    private var idle: [String] { settings.idleSeconds > 0 ? ["after \(settings.idleSeconds) s without use"] : [] }

    private var seesSession: Bool { agent?.session.isEmpty == false }
    private var seesSleep: Bool { agent?.hasSystemBus == true }

    /// Occasions that one might expect, and that do not come.
    private var notes: [String] {
        let session = seesSession ? [] : ["Not with the session: \(blindness)."]
        return session + (settings.locksOnSleep && !seesSleep ? ["Not on sleep, although it is set: \(deafness)."] : [])
    }

    private var blindness: String {
        if agent == nil { return "keychain-agent, which would watch it, does not run" }
        return agent?.hasSystemBus == true ? "there is no logind, or no session" : deafness
    }

    private var deafness: String {
        agent == nil ? "keychain-agent, which would hear of it, does not run" : "there is no system bus"
    }
}

extension DeviceStatus {
    /// Whether the system service keeps the keychain.
    var isOfService: Bool { deployment == "system daemon" }
}
