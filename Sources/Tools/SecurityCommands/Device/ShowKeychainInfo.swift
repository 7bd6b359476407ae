import KeychainModel
import KeychainWire

/// `show-keychain-info`. The keychain has no timer of its own: it locks when it is told to.
enum ShowKeychainInfo {
    static let command = Command(
        "show-keychain-info", "Show the settings of the keychain.", synopsis: "[keychain]",
        notes: ["The settings are written to standard error, as on macOS. See `security status` for more."],
        operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        let name = arguments.operands.first?.text
        let call = "SecKeychainCopySettings \(name ?? "<NULL>")"
        try KeychainName.check(arguments.operands, call, session)
        let status = try session.status(call)
        guard session.writesJSON else {
            return session.diagnostics.write("Keychain \"\(name ?? "<NULL>")\" no-timeout\n")
        }
        session.output.write(
            .object([
                ("keychain", .string(KeychainName.storePath(status))), ("lockOnSleep", .boolean(false)),
                ("timeout", .null), ("lockState", .string(status.lockState.name)),
            ]))
    }
}
