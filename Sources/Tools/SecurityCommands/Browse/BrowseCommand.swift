import CommandOptions
import LinuxSystem
import TerminalScreen

/// `browse`: the keychain on the whole terminal, to look at and to change.
enum BrowseCommand {
    static let command = Command(
        "browse", "Look through the keychain on the whole terminal.",
        synopsis: "[--linear] [--no-mouse] [--osc52] [--idle minutes]",
        options: [
            CommandOption("i", word: "idle", value: "minutes", "Lock the view after so many minutes without a key."),
            CommandOption("l", word: "linear", "A conversation in lines, for screen readers and simple terminals."),
            CommandOption("m", word: "no-mouse", "Leave the mouse to the terminal."),
            CommandOption("o", word: "osc52", "Have the terminal copy, by the sequence OSC 52."),
        ],
        notes: [
            """
            The list has the items of all programs in the keychains of the search list, and never a value. ? shows the \
            keys. A value is shown for 30 seconds, or until the next key; it is overwritten before the screen changes, \
            scrolls or ends. Where the terminal has no second screen, values are copied and not shown. script(1) and \
            the log of a multiplexer record what a terminal shows, values too. TERM=dumb and KEYCHAIN_LINEAR=1 mean \
            --linear.
            """
        ],
        exits: [(1, "There is no terminal.")], examples: ["security browse", "security browse --linear"],
        layer: .people
    ) { arguments, session throws(CommandFailure) in
        let options = try BrowseOptions(arguments, session)
        if options.isLinear { return try LinearBrowse(session, options).run() }
        guard let terminal = session.terminal else {
            throw .failed(
                "browse: there is no terminal", cause: "The viewer draws on one.",
                remedy: "Use `security list`, or --linear.")
        }
        try ProcessHardening.forbidCores(for: "browse")
        if BrowseGuard.isNeeded(session) { return try BrowseGuard(session, options, terminal).run() }
        try BrowseRun(session, options, terminal).run()
    }
}
