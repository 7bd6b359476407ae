import CommandOptions
import KeychainModel
import KeychainWire

/// `show-keychain-info`: when the keychain locks by itself.
enum ShowKeychainInfo {
    static let command = Command(
        "show-keychain-info", "Show the settings of the keychain.", synopsis: "[keychain]",
        notes: ["The settings are written to standard error, as on macOS. See `security status` for more."],
        operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        let name = arguments.operands.first?.text
        let call = "SecKeychainCopySettings \(name ?? "<NULL>")"
        try session.turn(to: arguments.operands.first, call)
        let settings = try session.details(call).settings
        guard session.writesJSON else {
            return session.diagnostics.write("Keychain \((name ?? "<NULL>").quoted)\(settings.text)\n")
        }
        let status = try session.status(call)
        session.output.write(
            .object([
                ("keychain", .string(try session.shownPath(call))), ("lockOnSleep", .boolean(settings.locksOnSleep)),
                ("timeout", settings.timeout), ("lockState", .string(status.lockState.name)),
            ]))
    }
}

extension DeviceSettings {
    /// As macOS writes them.
    fileprivate var text: String {
        let time = idleSeconds > 0 ? " use-lock-interval timeout=\(idleSeconds)s" : " no-timeout"
        return (locksOnSleep ? " lock-on-sleep" : "") + time
    }

    /// Seconds, or null for never, in `--json`.
    var timeout: JSONValue { idleSeconds > 0 ? .number(Int64(idleSeconds)) : .null }
}
