import CommandOptions
package import KeychainModel
package import LinuxSystem

/// Why a command did not do what it was asked for.
package enum CommandFailure: Error {
    /// The command line cannot be read; the usage is shown.
    case usage(String?, nearest: String? = nil)
    /// The keychain refused; `call` is the function that macOS's command names in its message.
    case refused(call: String, Refusal)
    /// Anything else, as a sentence, with the reason where there is one to add, and what to do about it.
    case failed(String, cause: String = "", remedy: String = "")
    /// Everything has been printed; only the exit status is left.
    case shown
    /// The program that was to be started was not; the status is the one by which shells say so, 126 or 127.
    case notStarted(Int32, String, cause: String = "", remedy: String = "")
    /// The program that was started has ended; its status is left.
    case ended(Int32)

    /// The exit status of the process, its low eight bits (rule command.driver.status).
    var status: Int32 {
        switch self {
        case .usage: 2
        case .refused(_, let refusal) where refusal.rule == .unknownOutcome: Self.unknownOutcome
        case .refused(_, let refusal): refusal.status.rawValue
        case .failed, .shown: 1
        case .notStarted(let status, _, _, _), .ended(let status): status
        }
    }

    /// The exit status when it is not known whether a change was stored: `EX_TEMPFAIL` of sysexits.
    private static let unknownOutcome: Int32 = 75

    /// Whether the keychain has refused with this status.
    func isStatus(_ status: KeychainStatus) -> Bool {
        if case .refused(_, let refusal) = self { return refusal.status == status }
        return false
    }

    /// The first line on stderr, byte for byte macOS's where scripts may match it.
    var message: String? {
        switch self {
        case .usage(let problem, _): problem
        case .refused(let call, let refusal): "\(call): \(refusal.statusLine)"
        case .failed(let problem, _, _), .notStarted(_, let problem, _, _): problem
        case .shown, .ended: nil
        }
    }

    /// The reason and the next step, beyond macOS's line; empty for none.
    var explanation: (cause: String, remedy: String) {
        switch self {
        case .usage(_, let nearest): ("", nearest.map { "Did you mean \($0)?" } ?? "")
        case .shown, .ended: ("", "")
        case .refused(let call, let refusal)
        where refusal.rule == .duplicate && ["add", "generate", "edit"].contains(call):
            ("There is an item of this name already.", "`security edit` changes it, `security rm` deletes it.")
        case .refused(let call, let refusal) where refusal.rule == .duplicate && call == "SecKeychainItemImport":
            (refusal.problem, "Nothing has to be done, or delete it first: `security delete-identity`.")
        case .refused(_, let refusal): (refusal.problem, refusal.commandRemedy)
        case .failed(_, let cause, let remedy), .notStarted(_, _, let cause, let remedy): (cause, remedy)
        }
    }

    /// The object that `--json` writes to stderr.
    var json: JSONValue? {
        switch self {
        case .refused(let call, let refusal): refusal.json(call: call)
        case .usage(let problem, let nearest):
            Self.object(2, "usage", problem ?? "", nearest.map { "Did you mean \($0)?" } ?? "See `security help`.")
        case .failed(let problem, let cause, let remedy):
            Self.object(1, "failure", cause.isEmpty ? problem : "\(problem): \(cause)", remedy)
        case .notStarted(let status, let problem, let cause, let remedy):
            Self.object(Int64(status), "not-started", "\(problem): \(cause)", remedy)
        case .shown, .ended: nil
        }
    }

    private static func object(_ status: Int64, _ rule: String, _ message: String, _ remedy: String) -> JSONValue {
        .object([
            ("status", .number(status)), ("name", .null), ("rule", .string("command.\(rule)")), ("subject", .null),
            ("message", .string(message)), ("remedy", .string(remedy)),
        ])
    }
}

extension CommandFailure {
    /// A command line that cannot be read.
    init(_ mistake: WrongCommandLine) { self = .usage(mistake.problem, nearest: mistake.nearest) }

    /// A failure of the system while talking to the person or the script that gave the command.
    package init(_ what: String, _ error: SystemError) { self = .failed("\(what): \(error)") }

    /// The person gave up at a prompt.
    static let canceled = refused(
        call: "prompt",
        Refusal(
            .userCanceled, Refusal.Rule(rawValue: "command.canceled"), "prompt", "No password was given.",
            do: "Give the command again."))
}

extension Refusal {
    /// macOS's text of the status. A passcode that was not looked at is not called wrong.
    fileprivate var statusLine: String {
        switch rule {
        case .throttled: "Too many wrong passwords were given."
        case .unknownOutcome: "The change may or may not have been stored."
        default: StatusMessages.message(for: status.rawValue)
        }
    }

    /// The refusal as `--json` shows it.
    fileprivate func json(call: String) -> JSONValue {
        .object([
            ("status", .number(Int64(status.rawValue))),
            ("name", StatusNames.name(of: status.rawValue).map { .string($0) } ?? .null),
            ("rule", .string(rule.rawValue)), ("subject", .string(subject)), ("call", .string(call)),
            ("message", .string(problem)), ("remedy", .string(commandRemedy)),
        ])
    }

    /// The remedy, in terms of this command where the keychain speaks of its functions.
    var commandRemedy: String {
        switch rule {
        case .duplicate: "Use -U to change it, or delete it first."
        case .notFound: "`security dump-keychain` shows the items there are."
        case .locked: "Unlock it with `security unlock-keychain`."
        case .passcodeNotSet: "Set a password with `security set-keychain-password`."
        default: remedy
        }
    }
}
