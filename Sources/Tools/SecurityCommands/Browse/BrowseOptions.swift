import CommandOptions

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
