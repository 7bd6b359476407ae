package import CommandOptions

/// All commands, in the order in which a shortened name is looked for (rule command.driver.prefix): macOS's order, then
/// our own.
package enum CommandTable {
    /// The options before a command's name.
    package static let globalOptions: [CommandOption] = [
        EphemeralSession.option,
        CommandOption("h", "Show all commands, or the usage of those that follow."),
        CommandOption("i", "Read commands from standard input, line by line."),
        CommandOption("M", word: "macos-compat", "Write what macOS's command writes, byte for byte, and nothing else."),
        CommandOption("p", value: "prompt", "Use this prompt (implies -i)."),
        CommandOption("q", "Be less verbose."),
        CommandOption("S", word: "system", "Use the system's keychain in place of the user's."),
        CommandOption("V", word: "version", "Show the releases of the command and of the daemon that runs."),
        CommandOption("v", "Be more verbose: show each command, and say what a person should know."),
    ]

    package static let commands: [Command] = [
        Help.command, KeychainLists.list, KeychainLists.standard, KeychainLists.login, CreateKeychain.command,
        DeleteKeychain.command, LockKeychain.lock, LockKeychain.unlock, SetKeychainSettings.command,
        SetKeychainPassword.command,
        ShowKeychainInfo.command,
        DumpKeychain.command, CreateKeypair.command, AddPassword.command(.generic), AddPassword.command(.internet),
        AddCertificates.command, FindPassword.command(.generic), DeletePassword.command(.generic),
        FindPassword.command(.internet), DeletePassword.command(.internet), FindKey.command, PartitionList.ofKeys,
        PartitionList.ofPasswords(.generic), PartitionList.ofPasswords(.internet), FindCertificate.command,
        FindIdentity.command, DeleteCertificate.certificate, DeleteCertificate.identity, ExportCommand.command,
        ImportCommand.command, MessageCommand.command, TrustCommands.add, TrustCommands.remove, TrustCommands.dump,
        VerifyCertificate.command, ErrorCommand.command, StatusCommand.command, VerifyKeychain.command,
        SnapshotCommand.command, ItemHistory.list, ItemHistory.undelete, ItemHistory.restore,
        IdentityCommand.command, AnchorCommand.command,
        MoveEnclave.command, MigrateStore.command, AcceptStore.command, UnlockSlots.list, UnlockSlots.add,
        UnlockSlots.remove,
        AttestKey.command,
        UnitCredentials.set, UnitCredentials.list, UnitCredentials.delete, Codesign.command,
        Decisions.command, Why.command, GroupCommands.move, GroupCommands.rename, GroupCommands.orphans,
        GroupCommands.setPolicy, Uninstalled.command,
        CIKeychain.start, CIKeychain.stop,
        GitCredential.command, DockerCredential.command, SetupCommand.command,
        RunCommand.command, InjectCommand.command,
        Completions.command,
    ]

    /// The command that programs call by a name of its own: `git-credential-keychain` is `security git-credential`.
    package static func name(ofProgram path: String) -> String? {
        guard path.hasSuffix(helperSuffix) else { return nil }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return commands.first { $0.name + helperSuffix == name }?.name
    }

    private static let helperSuffix = "-keychain"

    /// The answer to a command that does not exist.
    static func explanation(ofUnknown name: String) -> (problem: String, cause: String, remedy: String) {
        UnknownCommand.explanation(name, among: commands.map(\.name))
    }

    /// The first command whose name begins with the word.
    static func find(_ word: Argument) -> Command? {
        let text = word.text
        return text.isEmpty ? nil : commands.first { $0.name.hasPrefix(text) }
    }
}
