/// The names of characters that are spelled to somebody.
enum CharacterNames {
    private static let digits = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    private static let signs: [Unicode.Scalar: String] = [
        " ": "space", "!": "exclamation", "\"": "quote", "#": "hash", "$": "dollar", "%": "percent", "&": "ampersand",
        "'": "apostrophe", "(": "left-parenthesis", ")": "right-parenthesis", "*": "asterisk", "+": "plus",
        ",": "comma", "-": "hyphen", ".": "dot", "/": "slash", ":": "colon", ";": "semicolon", "<": "less",
        "=": "equals", ">": "greater", "?": "question", "@": "at", "[": "left-bracket", "\\": "backslash",
        "]": "right-bracket", "^": "caret", "_": "underscore", "`": "backquote", "{": "left-brace", "|": "bar",
        "}": "right-brace", "~": "tilde",
    ]

    /// - Parameter inASCII: whether each other character has its number for a name.
    /// - Returns: nil for a character that has no name here.
    static func name(of scalar: Unicode.Scalar, inASCII: Bool = false) -> String? {
        switch scalar {
        case "a"..."z": String(scalar)
        case "A"..."Z": "capital-" + String(scalar).lowercased()
        case "0"..."9": digits[Int(scalar.value - 0x30)]
        // A mark would be drawn onto what stands before it.
        case _ where scalar.joinsCellBefore || inASCII && !scalar.isASCII:
            "U+" + String(scalar.value, radix: 16, uppercase: true)
        default: signs[scalar]
        }
    }
}
