/// The page of a command, as far as it has more than the command's entry: the variables and files that the command
/// obeys, and where more is said.
package struct CommandPage: Sendable {
    /// The command's name.
    package let command: String
    /// Names of cases of ``CommandVariable`` or of rows of the table of settings.
    package let environment: [String]
    /// Files that it reads or writes, and what each is.
    package let files: [(path: String, meaning: String)]
    /// Pages with their sections, as `security(1)`.
    package let seeAlso: [String]

    /// The commands with a page of their own, `security-COMMAND(1)`, in the order of the table.
    package static let table = [
        CommandPage("history", see: ["security-show(1)", "security-undelete(1)"]),
        CommandPage("undelete", see: ["security-history(1)", "security-rm(1)"]),
        CommandPage("ci-start", ["KEYCHAIN_DAEMON"], see: ["security-ci-stop(1)", "keychain-ci(7)"]),
        CommandPage(
            "ci-stop", ["KEYCHAIN_CI", "KEYCHAIN_SOCKET"], see: ["security-ci-start(1)", "keychain-ci(7)"]),
        CommandPage(
            "run", ["KEYCHAIN_INTERACTION"],
            see: ["security-inject(1)", "keychain-references(7)"]),
        CommandPage(
            "inject", ["KEYCHAIN_INTERACTION"],
            see: ["security-run(1)", "keychain-references(7)"]),
        CommandPage("list", named + ["KEYCHAIN_AMBIGUOUS"], see: ["security-show(1)", "security(1)"]),
        CommandPage("show", named, see: ["security-copy(1)", "security-history(1)", "security-list(1)"]),
        CommandPage("copy", named, see: ["wl-copy(1)", "xclip(1)", "security-show(1)"]),
        CommandPage("generate", named, see: ["security-add(1)", "security-copy(1)"]),
        CommandPage("add", named, see: ["security-edit(1)", "security-generate(1)"]),
        CommandPage("edit", named, see: ["security-add(1)", "security-history(1)"]),
        CommandPage("rm", named, see: ["security-purge(1)", "security-undelete(1)"]),
        CommandPage("purge", named, see: ["security-rm(1)"]),
        CommandPage(
            "browse", ["KEYCHAIN_LINEAR", "KEYCHAIN_AMBIGUOUS"], see: ["security-list(1)", "security-show(1)"]),
    ]

    private init(
        _ command: String, _ environment: [String] = [], files: [(path: String, meaning: String)] = [], see: [String]
    ) {
        (self.command, self.environment) = (command, environment)
        (self.files, seeAlso) = (files + Self.settings, see)
    }

    /// The variables of the verbs that name an item.
    private static let named = ["KEYCHAIN_KEYCHAIN", "KEYCHAIN_MACOS_COMPAT"]

    private static let settings = [
        (path: "~/.config/keychain/keychain.conf", meaning: "The user's settings; see keychain.conf(5).")
    ]
}

extension Command {
    /// The page with everything about the command, as `security-run(1)`.
    package var page: String {
        if hasPage { return "security-\(name)(1)" }
        let isHelper = [GitCredential.command.name, DockerCredential.command.name].contains(name)
        return isHelper ? "\(name)-keychain(1)" : "security(1)"
    }

    /// Whether `security-COMMAND(1)` exists.
    package var hasPage: Bool { CommandPage.table.contains { $0.command == name } }
}
