import EnclaveWire
import KeychainWire
import LinuxSystem

/// Asks with a pinentry: in a window, or on the caller's terminal.
struct PinentryPrompt {
    let program: String
    let isGraphical: Bool
    let surroundings: PromptEnvironment

    /// Asks for something that is not shown.
    ///
    /// - Parameter twice: it is a new one, to be entered twice.
    /// - Returns: never ``UserAnswer/matched`` or the like, which a pinentry knows nothing of; `unreachable` when the
    ///   pinentry does not work.
    func secret(
        _ wording: Wording, twice: Bool, deadline: Deadline, withdrawal: FileDescriptor
    ) -> UserAnswer {
        do throws(Pinentry.Failure) {
            let pinentry = try open(wording, deadline, withdrawal)
            try pinentry.set("SETPROMPT", wording.label)
            var wording = wording
            while true {
                if let error = wording.error { try pinentry.set("SETERROR", error) }
                let (secret, problem) = try enteredSecret(pinentry, wording, twice)
                if let secret { return .secret(secret) }
                wording.error = problem?(wording.language)
            }
        } catch { return UserAnswer(error) }
    }

    /// A secret, or the error in the entered text.
    private func enteredSecret(
        _ pinentry: Pinentry, _ wording: Wording, _ twice: Bool
    ) throws(Pinentry.Failure) -> (SecretBytes?, Text?) {
        if twice, try pinentry.offer("SETREPEAT", Text.againLabel(wording.language)) {
            try pinentry.offer("SETREPEATERROR", Text.mismatch(wording.language))
        }
        let first = try getPIN(pinentry)
        if let problem = Text(problemOf: first.secret, isNew: twice) { return (nil, problem) }
        if !twice || first.isRepeated { return (first.secret, nil) }
        try pinentry.set("SETPROMPT", Text.againLabel(wording.language))
        let second = try getPIN(pinentry)
        try pinentry.set("SETPROMPT", wording.label)
        return first.secret.isEqual(to: second.secret) ? (first.secret, nil) : (nil, .mismatch)
    }

    private func getPIN(_ pinentry: Pinentry) throws(Pinentry.Failure) -> (secret: SecretBytes, isRepeated: Bool) {
        try pinentry.send("GETPIN")
        let reply = try pinentry.reply()
        return (reply.data.finish(), reply.statuses.contains("PIN_REPEATED"))
    }

    /// Shows something until the user has closed it.
    func show(_ wording: Wording, deadline: Deadline, withdrawal: FileDescriptor) -> UserAnswer {
        do throws(Pinentry.Failure) {
            let pinentry = try open(wording, deadline, withdrawal)
            try pinentry.send("CONFIRM")
            _ = try pinentry.reply()
            return .seen
        } catch { return UserAnswer(error) }
    }

    /// Shows a dialog that waits for a finger, and returns while it is open.
    func beginConfirmation(
        _ wording: Wording, deadline: Deadline, withdrawal: FileDescriptor
    ) throws(Pinentry.Failure) -> Pinentry {
        let pinentry = try open(wording, deadline, withdrawal)
        if let error = wording.error { try pinentry.set("SETERROR", error) }
        try pinentry.set("SETOK", Self.label(wording.fallback ?? wording.cancel))
        try pinentry.send(wording.fallback == nil ? "CONFIRM --one-button" : "CONFIRM")
        return pinentry
    }

    private func open(
        _ wording: Wording, _ deadline: Deadline, _ withdrawal: FileDescriptor
    ) throws(Pinentry.Failure) -> Pinentry {
        let environment = SafeSurroundings.environment(surroundings)
        let pinentry = try Pinentry(program, environment: environment, deadline: deadline, withdrawal: withdrawal)
        for (option, value) in options(environment) where !value.isEmpty {
            try pinentry.offer("OPTION", "\(option)=\(value)")
        }
        let seconds = deadline.remainingNanoseconds.map { $0 / 1_000_000_000 } ?? 0
        // The agent's own limit ends a pinentry that does not keep this one.
        if seconds > 0 { try pinentry.offer("SETTIMEOUT", String(seconds)) }
        try pinentry.offer("SETTITLE", wording.title)
        try pinentry.set("SETDESC", wording.lines.joined(separator: "\n"))
        try pinentry.offer("SETOK", Self.label(wording.ok))
        try pinentry.offer("SETCANCEL", Self.label(wording.cancel))
        return pinentry
    }

    private func options(_ environment: [String: String]) -> [(String, String)] {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first ?? ""
        let messages = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first ?? ""
        return [
            ("ttyname", surroundings.terminal), ("ttytype", environment["TERM"] ?? ""),
            ("display", isGraphical ? environment["DISPLAY"] ?? "" : ""), ("lc-ctype", locale),
            ("lc-messages", messages),
        ]
    }

    /// A button's title: an underscore would mark the letter of a shortcut.
    private static func label(_ title: String) -> String {
        title.split(separator: "_", omittingEmptySubsequences: false).joined(separator: "__")
    }
}

extension UserAnswer {
    /// The answer to the question after a pinentry's failure.
    init(_ failure: Pinentry.Failure) {
        self =
            switch failure {
            case .timedOut, .refused(Pinentry.timeout): .timedOut
            case .withdrawn: .withdrawn
            case .refused(let number) where number == Pinentry.notConfirmed || Pinentry.canceled.contains(number):
                .cancelled
            case .broken, .refused: .unreachable
            }
    }
}

extension Text {
    /// The error in an entered text, whatever its purpose; nil for none.
    init?(problemOf secret: SecretBytes, isNew: Bool) {
        if secret.count > AgentFormat.secretBytes {
            self = .tooLong
        } else if isNew, secret.count == 0 {
            self = .empty
        } else {
            return nil
        }
    }
}
