import LinuxSystem

/// A name from an item, made safe to show in a line: each character that could steer a terminal, turn the direction of
/// the text, or cannot be seen is written as an escape, so that two different names look different.
enum DisplayName {
    /// More combining marks than any script needs on one letter would cover the lines above and below.
    private static let mostMarks = 4

    /// The name in the form in which it is shown.
    static func shown(_ name: String) -> String {
        if name.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return name }
        var shown = ""
        for cluster in name { appendShown(cluster, to: &shown) }
        return shown
    }

    private static func appendShown(_ cluster: Character, to shown: inout String) {
        let scalars = Array(cluster.unicodeScalars)
        let isEmoji = scalars[0].properties.isEmoji && scalars[0].value > 0xFF
        var marks = 0
        for (index, scalar) in scalars.enumerated() {
            let isMark = scalar.isCombining
            marks += isMark ? 1 : 0
            // A mark that combines with nothing would change the text before the name.
            let isLoose = isMark && (index == 0 || marks > mostMarks)
            let joins = isEmoji && index > 0 && (scalar.value == 0xFE0F || scalar.value == 0x200D)
            if joins || ForeignText.isShown(scalar) && !isLoose {
                shown.unicodeScalars.append(scalar)
            } else {
                shown += escape(scalar)
            }
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        let zeros = { (count: Int) in String(repeating: "0", count: max(0, count - digits.count)) + digits }
        switch scalar.value {
        case ..<0x100: return "\\x\(zeros(2))"
        case ..<0x10000: return "\\u\(zeros(4))"
        default: return "\\U\(zeros(8))"
        }
    }
}

extension Unicode.Scalar {
    /// Whether it combines with the letter before it.
    fileprivate var isCombining: Bool {
        guard value >= 0x300 else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return value != 0xFE0F
        default: return false
        }
    }
}

/// A word from outside in a command line that a person may paste into a shell.
enum ShellWord {
    /// The word in single quotes, unless it consists of characters that no shell interprets. A word that cannot be
    /// shown as it is has no such form.
    static func quoted(_ word: String) -> String? {
        guard DisplayName.shown(word) == word else { return nil }
        let isPlain = word.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "._-/:@%+,".utf8.contains(byte)
        }
        if isPlain, !word.isEmpty, !word.hasPrefix("-") { return word }
        return inQuotes(word)
    }

    /// Any word in single quotes; a quotation mark within ends them for a moment. A shell reads bytes: a mark with a
    /// combining character behind it, which is one character in Swift, ends them too.
    static func inQuotes(_ word: String) -> String {
        let parts = word.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.map { String($0) }.joined(separator: "'\\''") + "'"
    }
}
