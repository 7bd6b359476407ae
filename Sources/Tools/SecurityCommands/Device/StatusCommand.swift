import KeychainModel
import KeychainWire
import LinuxSystem

/// `status`: how well the keychain is protected, what that means, and where it is (rule protection.level.status).
enum StatusCommand {
    static let command = Command(
        "status", "Show how the keychain is protected, its lock state and where it is.", synopsis: ""
    ) { _, session throws(CommandFailure) in
        let (status, details) = (try session.status("status"), try session.details("status"))
        let caller = try session.identity(.identity, "status")
        // The last question: a daemon that does not know it closes the connection.
        let release = try session.release("status")
        if session.writesJSON { return session.output.write(try json(status, details, caller, release, session)) }
        let lines = try lines(status, details, caller, session)
        let ofBackup = BackupLines.lines(
            of: BackupLines.dates(session), now: Clock.realtimeNanoseconds / 1_000_000_000)
        session.show(lines + ofBackup + ReleaseLines.lines(of: release, isService: status.isOfService))
    }

    private static func lines(
        _ status: DeviceStatus, _ details: DeviceDetails, _ caller: CallerReport, _ session: Session
    ) throws(CommandFailure) -> [(String, String)] {
        var lines = [("protection:", status.protection.name), ("", status.meaning)]
        if let advice = status.advice { lines.append(("", advice)) }
        if let warning = status.age.warning { lines += [("age:", warning), ("", status.age.remedy)] }
        lines += [
            ("lock state:", status.lockState.text), ("password:", status.passcodeIsSet ? "set" : "not set"),
            ("opens with:", session.texts(details.slots.map(\.kind.title), separator: "; ")),
        ]
        lines += details.recovery.texts.enumerated().map { ($0 == 0 ? "recovery:" : "", $1) }
        lines += Occasions(status, details).lines(for: session).enumerated().map { ($0 == 0 ? "locks:" : "", $1) }
        lines += [
            ("deployment:", status.deployment), ("enclave:", enclave(status, session)),
            ("store:", KeychainName.storePath(status)), ("socket:", session.socket),
            ("caller:", self.caller(caller, session)),
        ]
        if session.programsEmbed { lines.append(("", embedding)) }
        lines += AgentLines.lines(details.agent, mayAsk: session.mayAsk, isService: status.isOfService)
        lines += DesktopLines.lines(of: session)
        lines += PolicyLines.lines(session.policy)
        if status.failedAttempts > 0 { lines.append(("attempts:", attempts(status))) }
        return lines
    }

    private static let embedding =
        "Programs with these settings (KEYCHAIN_MODE) keep the keychain in themselves; the command uses a daemon."

    /// The name of a chip stands behind the first comma.
    private static func enclave(_ status: DeviceStatus, _ session: Session) -> String {
        let facts = status.enclave.split(separator: ", ", maxSplits: 1).map(String.init)
        return ([session.text(facts.first ?? "")] + facts.dropFirst()).joined(separator: ", ")
    }

    private static func caller(_ caller: CallerReport, _ session: Session) -> String {
        let facts = [caller.source, caller.isAnchored ? "anchored" : "not anchored"]
        return "\(caller.program), \(session.texts(facts, separator: ", "))"
    }

    private static func attempts(_ status: DeviceStatus) -> String {
        let wait = status.retryAfter > 0 ? "; the next one counts in \(status.retryAfter) s" : ""
        return "\(status.failedAttempts) wrong in a row\(wait)"
    }

    private static func json(
        _ status: DeviceStatus, _ details: DeviceDetails, _ caller: CallerReport, _ release: Release?,
        _ session: Session
    ) throws(CommandFailure) -> JSONValue {
        let backups = BackupLines.dates(session)
        return .object(
            ReleaseLines.json(of: .some(release)) + [
                ("protection", .string(status.protection.name)), ("meaning", .string(status.meaning)),
                ("advice", status.advice.map { .string($0) } ?? .null), ("lockState", .string(status.lockState.name)),
                ("age", .string(status.age.name)), ("passwordIsSet", .boolean(status.passcodeIsSet)),
                ("failedAttempts", .number(Int64(status.failedAttempts))),
                ("retryAfter", .number(Int64(status.retryAfter))), ("deployment", .string(status.deployment)),
                ("enclave", .string(status.enclave)), ("store", .string(KeychainName.storePath(status))),
                ("socket", .string(session.socket)), ("slots", .array(details.slots.map(\.json))),
                ("fileRecovery", .array(details.recovery.texts.map { .string($0) })),
                ("lockOnSleep", .boolean(details.settings.locksOnSleep)), ("timeout", details.settings.timeout),
                ("locks", .array(Occasions(status, details).names.map { .string($0) })),
                ("asks", .array(AgentLines.reach(details.agent, mayAsk: session.mayAsk).map { .string($0) })),
                ("programsEmbed", .boolean(session.programsEmbed)), ("policy", PolicyLines.json(of: session.policy)),
                ("agent", AgentLines.json(of: details.agent)), ("caller", caller.json),
                ("secretService", DesktopLines.json(session)),
                ("backup", BackupLines.json(of: backups)), ("shelves", BackupLines.shelves(of: backups)),
            ])
    }
}

extension Occasions {
    fileprivate init(_ status: DeviceStatus, _ details: DeviceDetails) {
        self.init(status: status, settings: details.settings, agent: details.agent)
    }
}

extension DeviceStatus {
    /// The meaning of the level of protection, in one sentence.
    fileprivate var meaning: String {
        switch protection {
        case .softwareOnly: "Anyone with a copy of this user's files can open the keychain."
        case .passcode: "Anyone with a copy of this user's files must also know the password."
        case .hardware: "The keychain opens on this machine only, with a key that its security chip does not give away."
        }
    }

    /// How to raise the level; nil when there is nothing above it.
    fileprivate var advice: String? {
        passcodeIsSet ? nil : "Set a password with `security set-keychain-password` to raise it."
    }
}

extension DeviceStatus.Protection {
    var name: String {
        switch self {
        case .softwareOnly: "software-only"
        case .passcode: "password"
        case .hardware: "hardware"
        }
    }
}

extension DeviceStatus.LockState {
    /// The name in `--json`.
    var name: String {
        switch self {
        case .beforeFirstUnlock: "before-first-unlock"
        case .locked: "locked"
        case .unlocked: "unlocked"
        }
    }

    fileprivate var text: String {
        self == .beforeFirstUnlock ? "locked (never unlocked since the machine started)" : name
    }
}
