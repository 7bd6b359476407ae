import CommandOptions
import Glibc
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
            "The list has the items of all programs in the keychains of the search list, and never a value. ? shows",
            "the keys. A value is shown for 30 seconds, or until the next key; it is overwritten before the screen",
            "changes, scrolls or ends. Where the terminal has no second screen, values can be copied and are not shown.",
            "script(1) and the log of a multiplexer record what a terminal shows, values too. TERM=dumb and",
            "KEYCHAIN_LINEAR=1 mean --linear.",
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
        try ProcessHardening.hide(for: "browse")
        if BrowseGuard.isNeeded(session) { return try BrowseGuard(session, options, terminal).run() }
        try BrowseRun(session, options, terminal).run()
    }
}

/// How the viewer was called.
struct BrowseOptions {
    let isLinear, hasMouse, copiesByTerminal: Bool
    /// Seconds without a key until the view locks.
    let idleTime: Double
    private let idleText: String?

    init(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        let term = session.environment("TERM") ?? ""
        isLinear =
            arguments.has("l") || ["", "dumb"].contains(term)
            || !["", "0"].contains(session.environment(CommandVariable.linear.rawValue) ?? "")
        (hasMouse, copiesByTerminal) = (!arguments.has("m"), arguments.has("o"))
        idleText = arguments.value("i")?.text
        guard let minutes = Int(idleText ?? "10"), (1...1440).contains(minutes) else {
            throw .usage("\"\(idleText ?? "")\" is no number of minutes from 1 to 1440")
        }
        idleTime = Double(minutes) * 60
    }

    /// The same as words of a command line.
    var words: [String] {
        (hasMouse ? [] : ["--no-mouse"]) + (copiesByTerminal ? ["--osc52"] : [])
            + (idleText.map { ["--idle", $0] } ?? [])
    }
}

/// What the terminal can do, as far as its environment says.
struct TerminalTraits {
    /// Whether what stood on the terminal before comes back at the end, and what was drawn is gone.
    let hasSecondScreen: Bool
    let frame: FrameCharacters

    /// Terminals that keep everything on their one screen.
    private static let withoutSecondScreen = ["linux", "vt100", "vt102", "vt220", "ansi", "cons25", "sun"]

    init(_ session: Session) {
        let term = session.environment("TERM") ?? ""
        hasSecondScreen = !Self.withoutSecondScreen.contains(term) && Self.multiplexerHasSecondScreen(session)
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { session.environment($0) }.first { !$0.isEmpty }
        let isUTF8 = (locale ?? "").uppercased().replacing("-", with: "").contains("UTF8")
        frame = isUTF8 && term != "linux" && term != "vt100" ? .lines : .ascii
    }

    /// Whether tmux gives its programs a second screen: its user may have turned that off.
    private static func multiplexerHasSecondScreen(_ session: Session) -> Bool {
        guard let socket = session.environment("TMUX"), !socket.isEmpty else { return true }
        guard let (reader, writer) = try? FileDescriptor.pipe(),
            let nothing = try? FileDescriptor.open("/dev/null", O_RDWR),
            let child = try? ChildProcess.start(
                "/usr/bin/tmux", ["show-options", "-gwv", "alternate-screen"],
                environment: ["TMUX": socket, "PATH": "/usr/bin:/bin"], input: nothing, output: writer, errors: nothing)
        else { return false }
        guard child.reap() == 0 else { return false }
        let bytes = SecretBytes(count: 8)
        let count = bytes.withMutableSpan { (span) in (try? reader.read(into: &span)) ?? nil } ?? 0
        return bytes.withSpan { $0.text(0, count) } == "on\n"
    }
}
