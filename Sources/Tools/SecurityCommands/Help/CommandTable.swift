package import CommandOptions

/// All commands, in the order in which a shortened name is looked for (rule command.driver.prefix): macOS's order, then
/// our own.
package enum CommandTable {
    /// The options before a command's name.
    package static let globalOptions: [CommandOption] = [
        ColourChoice.option,
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
        FindPassword.command(.internet), DeletePassword.command(.internet), FindKey.command,
        ItemCommand.command, PartitionList.ofKeys,
        PartitionList.ofPasswords(.generic), PartitionList.ofPasswords(.internet), FindCertificate.command,
        FindIdentity.command, DeleteCertificate.certificate, DeleteCertificate.identity, ExportCommand.command,
        ImportCommand.command, MessageCommand.command, TrustCommands.add, TrustCommands.remove, TrustCommands.dump,
        TrustSettingsCommands.export, TrustSettingsCommands.import,
        VerifyCertificate.command, ErrorCommand.command, StatusCommand.command, VerifyKeychain.command,
        SnapshotCommand.command, ItemHistory.list, ItemHistory.undelete, ItemHistory.restore,
        BackupCommand.command, RestoreCommand.restore, RestoreCommand.drill,
        IdentityCommand.command, AnchorCommand.command,
        MoveEnclave.command, MigrateStore.command, AcceptStore.command, UnlockSlots.list, UnlockSlots.add,
        UnlockSlots.remove,
        AttestKey.command,
        UnitCredentials.set, UnitCredentials.list, UnitCredentials.delete, Codesign.command, FileCommand.command,
        Decisions.command, Why.command, GroupCommands.move, GroupCommands.rename, GroupCommands.orphans,
        GroupCommands.setPolicy, Uninstalled.command,
        CIKeychain.start, CIKeychain.stop,
        GitCredential.command, DockerCredential.command, SetupCommand.command,
        ImportFrom.command,
        RunCommand.command, InjectCommand.command,
        Completions.command,
        ListItems.command, ShowItem.command, CopyItem.command, GenerateCommand.command,
        AddNewItem.command, EditItem.command, RemoveItems.remove, RemoveItems.purge, BrowseCommand.command,
        SyncCommand.command,
    ]

    /// The command that programs call by a name of its own: `git-credential-keychain` is `security git-credential`.
    package static func name(ofProgram path: String) -> String? {
        guard path.hasSuffix(helperSuffix) else { return nil }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return commands.first { $0.name + helperSuffix == name }?.name
    }

    private static let helperSuffix = "-keychain"

    /// The answer to a command that does not exist, or to a word that several begin with.
    static func explanation(
        ofUnknown name: String, as imitatesMacOS: Bool
    ) -> (problem: String, cause: String, remedy: String) {
        let candidates = imitatesMacOS ? [] : ambiguous(name)
        guard candidates.isEmpty else {
            return (
                "\"\(name)\" is no command", "These begin so: \(candidates.joined(separator: ", ")).",
                "Give the whole name."
            )
        }
        return UnknownCommand.explanation(name, among: visible(imitatesMacOS).map(\.name))
    }

    /// The commands that there are: those for people only where macOS is not imitated.
    static func visible(_ imitatesMacOS: Bool) -> [Command] {
        imitatesMacOS ? commands.filter { $0.layer != .people } : commands
    }

    /// The command that has the name, or the first of those for scripts whose name begins with the word. A word that
    /// may also mean a verb for people, or that deletes or changes something, is not completed.
    package static func find(_ word: Argument, as imitatesMacOS: Bool = false) -> Command? {
        let (text, commands) = (word.text, visible(imitatesMacOS))
        if let exact = commands.first(where: { $0.name == text }) { return exact }
        guard !text.isEmpty, imitatesMacOS || ambiguous(text).isEmpty else { return nil }
        return commands.first { $0.layer == .scripts && $0.name.hasPrefix(text) }
    }

    /// Verbs whose first letters do not stand for the first command that begins so.
    private static let neverShortened = ["delete", "remove", "set"]

    /// The commands that a shortened name may mean, where none is to be guessed.
    private static func ambiguous(_ text: String) -> [String] {
        guard !text.isEmpty else { return [] }
        let names = commands.filter { $0.name.hasPrefix(text) }
        let isVague =
            names.contains { $0.layer == .people }
            || neverShortened.contains { $0.hasPrefix(text) || text.hasPrefix($0) }
        return isVague ? names.map(\.name) : []
    }
}
