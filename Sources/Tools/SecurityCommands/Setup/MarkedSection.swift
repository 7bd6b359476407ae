/// Lines of ours at the end of a file that is somebody else's, between two comments by which they are found again.
struct MarkedSection {
    private let begin: String
    private let end: String

    /// - Parameters:
    ///   - comment: what begins a comment in the file's language.
    ///   - target: the word for what is set up.
    init(comment: String, target: String) {
        begin = "\(comment) begin: security setup \(target)"
        end = "\(comment) end: security setup \(target)"
    }

    /// The section with these lines, each of which ends with a newline.
    func section(_ lines: String) -> String { "\(begin)\n\(lines)\(end)\n" }

    /// A text without the section.
    ///
    /// - Throws: ``CommandFailure`` for a section without an end.
    func removed(from text: String, _ path: String) throws(CommandFailure) -> String {
        var (lines, isInside) = ([Substring](), false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == begin { isInside = true }
            if !isInside { lines.append(line) }
            if line == end { isInside = false }
        }
        guard !isInside else {
            throw .failed("\(path) has the line \"\(begin)\" without its end", remedy: "Remove the section by hand.")
        }
        let rest = lines.joined(separator: "\n")
        return rest.isEmpty || rest.hasSuffix("\n") ? rest : rest + "\n"
    }
}
