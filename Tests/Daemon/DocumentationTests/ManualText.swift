/// Plain text as mdoc has it.
enum ManualText {
    /// A sentence on each line.
    static func lines(_ text: String) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + escaped(word)
            if word.last == "." && !word.hasSuffix("...") { lines.append("") }
        }
        return lines.filter { !$0.isEmpty }
    }

    /// A sentence without its capital and its full stop, as `.Nd` takes it.
    static func phrase(_ sentence: String) -> String {
        let text = sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// A command line that can be copied from the page: its marks are those of ASCII.
    static func literal(_ text: String) -> String {
        text.reduce(into: "") { result, character in result += marks[character] ?? String(character) }
    }

    private static let marks: [Character: String] = [
        "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti",
    ]

    /// A page that is referred to, such as `security(1)`.
    static func reference(_ page: String, ending: String = "") -> String {
        let parts = page.split(whereSeparator: { "()".contains($0) })
        return ".Xr \(parts.joined(separator: " "))\(ending)"
    }

    /// The section with other pages: sorted by section and name, each once.
    static func references(_ pages: [String]) -> [String] {
        let sorted = Set(pages).sorted { ($0.suffix(2), $0) < ($1.suffix(2), $1) }
        return [".Sh SEE ALSO"]
            + sorted.enumerated().map { reference($1, ending: $0 == sorted.count - 1 ? "" : " ,") }
    }

    /// Options in bold, what stands for a value in italics.
    static func synopsis(_ text: Substring) -> String {
        var (result, word) = ("", "")
        func flush() {
            guard !word.isEmpty else { return }
            let font = word.hasPrefix("-") ? "B" : "I"
            result += word == "..." ? word : "\\f\(font)\(word.replacing("-", with: "\\-"))\\fP"
            word = ""
        }
        for character in text {
            if " []|".contains(character) {
                flush()
                result.append(character)
            } else {
                word.append(character)
            }
        }
        flush()
        return result.hasPrefix(".") ? "\\&" + result : result
    }

    private static func escaped(_ word: Substring) -> String {
        var text = word.replacing("\\", with: "\\e").replacing("`", with: "")
        if text.hasPrefix("-") || text.hasPrefix("\"-") { text = text.replacing("-", with: "\\-") }
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : String(text)
    }
}
