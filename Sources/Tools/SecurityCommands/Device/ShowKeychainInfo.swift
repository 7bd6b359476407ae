import CommandOptions
import KeychainModel
import KeychainWire

/// `show-keychain-info`: when the keychain locks by itself.
enum ShowKeychainInfo {
    static let command = Command(
        "show-keychain-info", "Show the settings of the keychain.", synopsis: "[keychain]",
        notes: [
            """
            The settings are written to standard error, as on macOS. Of a locked keychain they are not shown: the exit \
            status is 36. See `security status` for more.
            """
        ],
        operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        let name = arguments.operands.first?.text
        let call = "SecKeychainCopySettings \(name ?? "<NULL>")"
        try session.turn(to: arguments.operands.first, call)
        let status = try session.status(call)
        guard status.lockState == .unlocked || !status.passcodeIsSet else { throw .refused(call: call, .isLocked) }
        let settings = try session.details(call).settings
        guard session.writesJSON else {
            return session.diagnostics.write("Keychain \((name ?? "<NULL>").quoted)\(settings.text)\n")
        }
        session.output.write(
            .object([
                ("keychain", .string(try session.shownPath(call))), ("lockOnSleep", .boolean(settings.locksOnSleep)),
                ("timeout", settings.timeout), ("lockState", .string(status.lockState.name)),
            ]))
    }
}

extension Refusal {
    /// macOS would ask for the password here; scripts test for this status to learn whether a keychain is locked.
    fileprivate static let isLocked = Refusal(
        .interactionNotAllowed, .locked, "keychain", "The keychain is locked.",
        do: "Unlock it: security unlock-keychain. `security status` shows more of a locked one.")
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
