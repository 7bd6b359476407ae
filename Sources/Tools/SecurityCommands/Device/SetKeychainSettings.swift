import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `set-keychain-settings`: when the keychain locks by itself (rule command.device.settings).
enum SetKeychainSettings {
    static let command = Command(
        "set-keychain-settings", "Set when the keychain locks by itself.", synopsis: "[-lu] [-t seconds] [keychain]",
        options: [
            CommandOption("l", "Lock when the machine goes to sleep."),
            CommandOption("u", "Lock after a time without use; takes -t."),
            CommandOption("t", value: "seconds", "The time without use, in seconds; implies -u."),
        ],
        notes: [
            """
            What is not given is off afterwards; without options the keychain locks only when it is told to, or with \
            the session. It must be unlocked to change this. Reading and writing values is use; looking at the state \
            is not.
            """
        ],
        operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        let call = "SecKeychainSetSettings \(arguments.operands.first?.text ?? "<NULL>")"
        try session.turn(to: arguments.operands.first, call)
        var settings = DeviceSettings(locksOnSleep: arguments.has("l"))
        if let text = arguments.value("t")?.text {
            guard let seconds = UInt32(text) else { throw .usage("-t takes a number of seconds") }
            settings.idleSeconds = seconds
        }
        _ = try session.device(.changeSettings(settings), call)
    }
}
