import CommandOptions
import EnclaveWire
import KeychainWire

/// The work that the command line asks for.
enum SessionAgentArguments {
    case help
    case version
    case serve

    static let table = ProgramOptions(
        "keychain-session-agent",
        """
        Asks for passcodes in a window on the user's display, where the system service keeps the keychain. Started by \
        the user's session. It takes no setting, and root installs it with a group of its own.
        """,
        options: [
            ProgramOption("--help", "Show this text."),
            ProgramOption("--version", "Show the release of the program and the protocol it speaks."),
        ])

    static let versionText = Release.text("keychain-session-agent", "channel \(AgentFormat.version)")

    /// - Throws: `WrongCommandLine` for anything else.
    init(_ words: some Sequence<String>) throws(WrongCommandLine) {
        let given = try ProgramArguments(words, Self.table)
        self = given.has("--help") ? .help : given.has("--version") ? .version : .serve
    }
}
