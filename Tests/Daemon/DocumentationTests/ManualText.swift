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
