import EnclaveWire
import KeychainWire
import LinuxSystem

/// Asks on the caller's terminal, without a pinentry.
struct TerminalPrompt {
    private let terminal: Terminal

    /// - Throws: `SystemError` when it is no terminal, or was not opened by the caller and is another user's.
    init(_ surroundings: PromptEnvironment) throws(SystemError) {
        if let opened = surroundings.opened {
            terminal = try Terminal(opened: opened.device)
        } else {
            terminal = try Terminal(path: surroundings.terminal)
        }
    }

    /// Asks for something that is not shown.
    ///
    /// - Parameter twice: it is a new one, to be entered twice.
    func secret(_ wording: Wording, twice: Bool, deadline: Deadline, withdrawal: FileDescriptor) -> UserAnswer {
        do throws(SystemError) {
            try terminal.show(Self.head(wording))
            while true {
                let first = try readSecret(wording.label, deadline, withdrawal)
                guard case .secret(let secret) = first else { return first }
                if let problem = Text(problemOf: secret, isNew: twice) {
                    try terminal.show(problem(wording.language) + "\n")
                    continue
                }
                if !twice { return first }
                let second = try readSecret(Text.againLabel(wording.language), deadline, withdrawal)
                guard case .secret(let again) = second else { return second }
                if secret.isEqual(to: again) { return first }
                try terminal.show(Text.mismatch(wording.language) + "\n")
            }
        } catch { return .unreachable }
    }

    private func readSecret(_ label: String, _ deadline: Deadline, _ withdrawal: FileDescriptor) throws(SystemError)
        -> UserAnswer
    {
        switch try terminal.askSecretly(label + " ", deadline: deadline, until: withdrawal) {
        case .line(let line): .secret(line)
        case .canceled: .cancelled
        case .timedOut: .timedOut
        case .interrupted: .withdrawn
        }
    }

    /// Shows something until the user has closed it. Anything else that is typed goes nowhere.
    func show(_ wording: Wording, deadline: Deadline, withdrawal: FileDescriptor) -> UserAnswer {
        do throws(SystemError) {
            try terminal.show(Self.head(wording))
            let keys = Text.keysWithFallback(wording.language, wording.ok, wording.cancel)
            let answer = try readSecret(keys, deadline, withdrawal)
            if case .secret = answer { return .seen }
            return answer
        } catch { return .unreachable }
    }

    /// Says that a finger is waited for while `body` runs.
    func whileWaiting(
        _ wording: Wording, _ body: (Terminal) throws(SystemError) -> UserAnswer
    ) throws(SystemError) -> UserAnswer {
        try terminal.withoutEcho { () throws(SystemError) in
            let keys =
                wording.fallback.map { Text.keysWithFallback(wording.language, $0, wording.cancel) }
                ?? Text.keysToCancel(wording.language, wording.cancel)
            try terminal.show(Self.head(wording) + keys + "\n")
            return try body(terminal)
        }
    }

    private static func head(_ wording: Wording) -> String {
        ([wording.title] + wording.lines + [wording.error].compactMap { $0 }).joined(separator: "\n") + "\n"
    }
}
