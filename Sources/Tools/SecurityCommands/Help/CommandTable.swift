/// All commands, in the order in which a shortened name is looked for (semantics H.1): macOS's order, then our own.
package enum CommandTable {
    package static let commands: [Command] = [
        Help.command, LockKeychain.lock, LockKeychain.unlock, SetKeychainSettings.command, SetKeychainPassword.command,
        ShowKeychainInfo.command,
        DumpKeychain.command, AddPassword.command(.generic), AddPassword.command(.internet),
        FindPassword.command(.generic), DeletePassword.command(.generic), FindPassword.command(.internet),
        DeletePassword.command(.internet), ErrorCommand.command, StatusCommand.command, VerifyKeychain.command,
        MoveEnclave.command, UnlockSlots.list, UnlockSlots.add, UnlockSlots.remove, AttestKey.command,
        Completions.command,
    ]

    /// The first command whose name begins with the word.
    static func find(_ word: Argument) -> Command? {
        word.isEmpty ? nil : commands.first { $0.name.hasPrefix(word.text) }
    }
}
