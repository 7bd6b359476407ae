import LinuxSystem

/// Options and operands as BSD's getopt reads them (semantics H.1): options first, several letters may share a minus sign, a
/// value may stand right behind its letter. Of long options there are `--json` and `--help`, and an option's own
/// name with its value in the next word, anywhere.
struct ArgumentParser {
    private let options: [CommandOption]
    private let words: [Argument]
    private var next = 0
    private var parsed = ParsedArguments()

    private init(_ words: [Argument], _ options: [CommandOption]) {
        self.words = words
        self.options = options
    }

    /// Reads the words behind a command's name.
    ///
    /// - Throws: ``CommandFailure/usage(_:)`` for an option that does not exist or lacks its value.
    static func parse(_ words: [Argument], for command: Command) throws(CommandFailure) -> ParsedArguments {
        var parser = ArgumentParser(words, command.options)
        if command.hasOptions { try parser.parseOptions() }
        try parser.parseOperands()
        return parser.parsed
    }

    /// Reads options that stand before a command's name; everything behind them is left as operands.
    static func parseLeading(_ words: [Argument], options: [CommandOption]) throws(CommandFailure) -> ParsedArguments {
        var parser = ArgumentParser(words, options)
        try parser.parseOptions()
        parser.parsed.operands = Array(words[parser.next...])
        return parser.parsed
    }

    private mutating func parseOptions() throws(CommandFailure) {
        while next < words.count, words[next].startsWithMinus {
            let word = words[next]
            next += 1
            if word.matches("--") { return parsed.endsOptions = true }
            if try !takeLong(word) { try parseLetters(word) }
        }
    }

    private mutating func parseOperands() throws(CommandFailure) {
        while next < words.count {
            let word = words[next]
            next += 1
            if parsed.endsOptions {
                parsed.operands.append(word)
            } else if try !takeLong(word) {
                parsed.operands.append(word)
            }
        }
    }

    private mutating func takeLong(_ word: Argument) throws(CommandFailure) -> Bool {
        if word.matches("--json") {
            parsed.wantsJSON = true
        } else if word.matches("--help") {
            parsed.wantsHelp = true
        } else if let option = options.first(where: { option in option.word.map { word.matches("--\($0)") } ?? false })
        {
            parsed.values.append((option.letter, option.value == nil ? nil : try valueOfLong(option)))
        } else {
            return false
        }
        return true
    }

    /// The word behind a long option is its value.
    private mutating func valueOfLong(_ option: CommandOption) throws(CommandFailure) -> Argument {
        guard next < words.count else { throw .usage("option requires an argument -- \(option.word ?? "")") }
        defer { next += 1 }
        if option.isSecret { parsed.secretWords.insert(next) }
        return words[next]
    }

    private mutating func parseLetters(_ word: Argument) throws(CommandFailure) {
        for (offset, byte) in word.array.enumerated().dropFirst() {
            let letter = Character(UnicodeScalar(byte))
            guard let option = options.first(where: { $0.letter == letter }) else {
                throw .usage("illegal option -- \(letter)")
            }
            guard option.value != nil else {
                parsed.values.append((letter, nil))
                continue
            }
            return try takeValue(of: option, behind: offset, in: word)
        }
    }

    private mutating func takeValue(
        of option: CommandOption, behind offset: Int, in word: Argument
    ) throws(CommandFailure) {
        if offset + 1 < word.bytes.count {
            if option.isSecret { parsed.secretWords.insert(next - 1) }
            return parsed.values.append((option.letter, word.dropping(offset + 1)))
        }
        guard next < words.count else {
            guard option.isSecret else { throw .usage("option requires an argument -- \(option.letter)") }
            return parsed.values.append((option.letter, nil))
        }
        if option.isSecret { parsed.secretWords.insert(next) }
        parsed.values.append((option.letter, words[next]))
        next += 1
    }
}

/// The words of a command line, sorted.
struct ParsedArguments {
    var values: [(letter: Character, value: Argument?)] = []
    var operands: [Argument] = []
    var wantsJSON = false
    var wantsHelp = false
    /// The words that are, or contain, a password.
    var secretWords: Set<Int> = []
    fileprivate(set) var endsOptions = false

    func has(_ letter: Character) -> Bool { values.contains { $0.letter == letter } }

    /// The value of an option; of one given twice, the last.
    func value(_ letter: Character) -> Argument? { values.last { $0.letter == letter }?.value }
}

extension Argument {
    fileprivate var startsWithMinus: Bool { bytes.count > 1 && bytes.withSpan { $0[0] == UInt8(ascii: "-") } }
}
