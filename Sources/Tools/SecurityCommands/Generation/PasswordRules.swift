/// The demands of a website on a password, in the grammar of Apple's `passwordrules`:
///
///     rules    = property *(";" property)
///     property = ("minlength" / "maxlength" / "max-consecutive") ":" number
///              / ("required" / "allowed") ":" class *("," class)
///     class    = "upper" / "lower" / "digit" / "special" / "ascii-printable" / "unicode" / "[" characters "]"
///
/// Classes of one `required` are alternatives; every `required` must be met. In brackets, `-` stands first and `]`
/// last. A blank is never in a password, and `unicode` means all printable ASCII.
struct PasswordRules: Equatable {
    private(set) var minLength: Int?
    private(set) var maxLength: Int?
    private(set) var maxConsecutive: Int?
    /// Each set must have a character in the password.
    private(set) var required: [Set<UInt8>] = []
    private(set) var allowed: Set<UInt8> = []

    /// Why a text is no rules, or rules that contradict each other; it names the words.
    struct Wrong: Error, Equatable { let problem: String }

    /// More than any website says.
    private static let mostRequired = 8
    private static let longest = 1024

    init(_ text: String) throws(Wrong) {
        for property in try Self.split(text, at: ";") {
            let parts = property.split(separator: ":", maxSplits: 1).map(Self.trimmed)
            guard parts.count == 2 else { throw Wrong(problem: "\"\(property)\" is no rule with a colon") }
            try readProperty(parts[0].lowercased(), parts[1])
        }
        try check()
    }

    /// All characters that may be in the password.
    var alphabet: Set<UInt8> {
        let named = required.reduce(allowed) { $0.union($1) }
        return named.isEmpty ? PasswordClass.printable : named
    }

    private mutating func readProperty(_ name: String, _ value: String) throws(Wrong) {
        switch name {
        case "minlength": minLength = max(minLength ?? 0, try Self.number(name, value))
        case "maxlength": maxLength = min(maxLength ?? Int.max, try Self.number(name, value))
        case "max-consecutive": maxConsecutive = min(maxConsecutive ?? Int.max, try Self.number(name, value))
        case "required": required.append(try Self.classes(value))
        case "allowed": allowed.formUnion(try Self.classes(value))
        default: throw Wrong(problem: "\"\(name)\" is none of minlength, maxlength, max-consecutive, required, allowed")
        }
    }

    private func check() throws(Wrong) {
        if let minLength, let maxLength, minLength > maxLength {
            throw Wrong(problem: "minlength: \(minLength) contradicts maxlength: \(maxLength)")
        }
        guard required.count <= Self.mostRequired else {
            throw Wrong(problem: "required: stands more than \(Self.mostRequired) times")
        }
        if let maxConsecutive, maxConsecutive == 1, alphabet.count == 1 {
            throw Wrong(problem: "max-consecutive: 1 contradicts a single allowed character")
        }
    }

    private static func number(_ name: String, _ value: String) throws(Wrong) -> Int {
        guard value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(value), number > 0,
            number <= longest
        else { throw Wrong(problem: "\(name): \"\(value)\" is no number from 1 to \(longest)") }
        return number
    }

    private static func classes(_ value: String) throws(Wrong) -> Set<UInt8> {
        var characters: Set<UInt8> = []
        for word in try split(value, at: ",") { characters.formUnion(try PasswordClass.characters(word)) }
        guard !characters.isEmpty else { throw Wrong(problem: "\"\(value)\" names no character") }
        return characters
    }

    /// The parts between separators that are not in brackets. A bracket ends with the last `]` before a separator.
    private static func split(_ text: String, at separator: Character) throws(Wrong) -> [String] {
        var (parts, part, isInBrackets) = ([String](), "", false)
        let characters = Array(text)
        for (index, character) in characters.enumerated() {
            if character == "[", !isInBrackets {
                isInBrackets = true
            } else if character == "]", isInBrackets, index + 1 == characters.count || characters[index + 1] != "]" {
                isInBrackets = false
            } else if character == separator, !isInBrackets {
                parts.append(trimmed(part))
                part = ""
                continue
            }
            part.append(character)
        }
        guard !isInBrackets else { throw Wrong(problem: "\"\(text)\" has a [ without its ]") }
        return (parts + [trimmed(part)]).filter { !$0.isEmpty }
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        var part = Substring(text)
        while part.first?.isWhitespace ?? false { part.removeFirst() }
        while part.last?.isWhitespace ?? false { part.removeLast() }
        return String(part)
    }
}

/// The classes of characters.
enum PasswordClass {
    static let lower = Set(UInt8(ascii: "a")...UInt8(ascii: "z"))
    static let upper = Set(UInt8(ascii: "A")...UInt8(ascii: "Z"))
    static let digit = Set(UInt8(ascii: "0")...UInt8(ascii: "9"))
    /// Everything printable but a blank.
    static let printable = Set(UInt8(0x21)...0x7E)
    static let special = printable.subtracting(lower).subtracting(upper).subtracting(digit)

    fileprivate static func characters(_ word: String) throws(PasswordRules.Wrong) -> Set<UInt8> {
        switch word.lowercased() {
        case "lower": return lower
        case "upper": return upper
        case "digit": return digit
        case "special": return special
        case "ascii-printable", "unicode": return printable
        default: return try bracketed(word)
        }
    }

    private static func bracketed(_ word: String) throws(PasswordRules.Wrong) -> Set<UInt8> {
        guard word.hasPrefix("["), word.hasSuffix("]"), word.utf8.count > 2 else {
            throw PasswordRules.Wrong(problem: "\"\(word)\" is no class of characters")
        }
        let characters = Array(word.utf8.dropFirst().dropLast())
        guard characters.allSatisfy(printable.contains) else {
            throw PasswordRules.Wrong(problem: "\"\(word)\" has a character that is not printable ASCII")
        }
        // Elsewhere it would look like a range, and Apple's grammar has none.
        if let dash = characters.firstIndex(of: UInt8(ascii: "-")), dash > 0 {
            throw PasswordRules.Wrong(problem: "in \"\(word)\" the - must stand first")
        }
        return Set(characters)
    }
}
