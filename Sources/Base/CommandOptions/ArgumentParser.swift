import LinuxSystem

/// Options and operands as BSD's getopt reads them (rule command.driver.options): options first, several letters may
/// share a minus sign, a value may stand right behind its letter. Of long options there are `--json` and `--help`, and
/// those with a name of their own, anywhere among the words; the value stands in the next word, or behind an equals
/// sign.
package struct ArgumentParser {
    private let options: [CommandOption]
    private let words: [Argument]
    private let isMixed: Bool
    private var next = 0
    private var parsed = ParsedArguments()

    private init(_ words: [Argument], _ options: [CommandOption], mixed: Bool = false) {
        (self.words, self.options, isMixed) = (words, options, mixed)
    }

    /// Reads the words behind a command's name.
    ///
    /// - Parameters:
    ///   - options: what the command knows; nil for one whose operands may begin with a minus sign.
    ///   - mixed: whether every option may stand behind operands, until `--`.
    ///   - texts: how many operands must be UTF-8, from the first on.
    /// - Throws: for an option that does not exist or lacks its value; for a word that is not UTF-8 and must be.
    package static func parse(
        _ words: [Argument], options: [CommandOption]?, mixed: Bool = false, texts: Int = .max
    ) throws(WrongCommandLine) -> ParsedArguments {
        var parser = ArgumentParser(words, options ?? [], mixed: mixed && options != nil)
        if options != nil { try parser.parseOptions() }
        try parser.parseOperands()
        try parser.checkTexts(texts)
        return parser.parsed
    }

    /// Of words that are not UTF-8 several would become the same text, and one would name what another is called.
    private func checkTexts(_ count: Int) throws(WrongCommandLine) {
        let bytes = Set(options.filter(\.takesBytes).map(\.letter))
        let values = parsed.values.filter { !bytes.contains($0.letter) }.compactMap(\.value)
        guard let word = (values + parsed.operands.prefix(count)).first(where: { !$0.isText }) else { return }
        throw WrongCommandLine("\(word.text) is not UTF-8")
    }

    /// Reads options that stand before a command's name; everything behind them is left as operands.
    package static func parseLeading(
        _ words: [Argument], options: [CommandOption]
    ) throws(WrongCommandLine) -> ParsedArguments {
        var parser = ArgumentParser(words, options)
        try parser.parseOptions()
        parser.parsed.operands = Array(words[parser.next...])
        return parser.parsed
    }

    private mutating func parseOptions() throws(WrongCommandLine) {
        while next < words.count, words[next].startsWithMinus {
            let word = words[next]
            next += 1
            if word.matches("--") { return parsed.endsOptions = true }
            if try !takeLong(word) { try parseLetters(word) }
        }
    }

    private mutating func parseOperands() throws(WrongCommandLine) {
        while next < words.count {
            if isMixed, !parsed.endsOptions, words[next].startsWithMinus {
                try parseOptions()
                continue
            }
            let word = words[next]
            next += 1
            let isOption = try parsed.endsOptions ? false : takeLong(word)
            if !isOption { parsed.operands.append(word) }
        }
    }

    private mutating func takeLong(_ word: Argument) throws(WrongCommandLine) -> Bool {
        guard word.begins("--") else { return false }
        let named = options.filter { $0.word != nil }
        if word.matches("--json") {
            parsed.wantsJSON = true
        } else if word.matches("--help") {
            parsed.wantsHelp = true
        } else if let option = named.first(where: { word.matches($0.longName) }) {
            try takeLong(option)
        } else if let option = named.first(where: { $0.value != nil && word.begins($0.longName + "=") }) {
            parsed.values.append(.init(option.letter, word.dropping(option.longName.utf8.count + 1)))
        } else {
            return false
        }
        return true
    }

    private mutating func takeLong(_ option: CommandOption) throws(WrongCommandLine) {
        guard option.value != nil else { return parsed.values.append(.init(option.letter, nil)) }
        guard next < words.count else { throw WrongCommandLine("option requires an argument -- \(option.longName)") }
        parsed.values.append(.init(option.letter, words[next]))
        next += 1
    }

    private mutating func parseLetters(_ word: Argument) throws(WrongCommandLine) {
        for (offset, byte) in word.array.enumerated().dropFirst() {
            let letter = Character(UnicodeScalar(byte))
            guard let option = options.first(where: { $0.letter == letter }) else {
                throw WrongCommandLine("illegal option -- \(letter)", nearest: nearest(to: word))
            }
            guard option.value != nil else {
                parsed.values.append(.init(letter, nil))
                continue
            }
            return try takeValue(of: option, behind: offset, in: word)
        }
    }

    /// The long option that a word was meant for; a single letter has no neighbours.
    private func nearest(to word: Argument) -> String? {
        guard word.begins("--"), word.bytes.count <= 24 else { return nil }
        let names = options.compactMap(\.word) + ["json", "help"]
        return NearestName.find(word.text, among: names.map { "--\($0)" })
    }

    private mutating func takeValue(
        of option: CommandOption, behind offset: Int, in word: Argument
    ) throws(WrongCommandLine) {
        if offset + 1 < word.bytes.count {
            if option.isSecret { parsed.secretWords.append(next - 1) }
            return parsed.values.append(.init(option.letter, word.dropping(offset + 1)))
        }
        if option.isOptional, next == words.count || words[next].startsWithMinus {
            return parsed.values.append(.init(option.letter, nil))
        }
        guard next < words.count else {
            guard option.isSecret else { throw WrongCommandLine("option requires an argument -- \(option.letter)") }
            return parsed.values.append(.init(option.letter, nil))
        }
        if option.isSecret { parsed.secretWords.append(next) }
        for _ in 0..<(option.hasTwoWords ? 2 : 1) {
            guard next < words.count else { throw WrongCommandLine("option requires two words -- \(option.letter)") }
            parsed.values.append(.init(option.letter, words[next]))
            next += 1
        }
    }
}

/// Why a command line cannot be read.
package struct WrongCommandLine: Error {
    package let problem: String
    /// The option that may have been meant.
    package let nearest: String?

    package init(_ problem: String, nearest: String? = nil) { (self.problem, self.nearest) = (problem, nearest) }
}

/// The words of a command line, sorted.
package struct ParsedArguments {
    package var values: [Given] = []
    package var operands: [Argument] = []
    package var wantsJSON = false
    package var wantsHelp = false
    /// The words that are, or contain, a password.
    package var secretWords: [Int] = []
    /// Whether the word `--` has ended the options.
    package fileprivate(set) var endsOptions = false

    /// An option with its value, if it came with one.
    package struct Given {
        package let letter: Character
        package let value: Argument?

        init(_ letter: Character, _ value: Argument?) { (self.letter, self.value) = (letter, value) }
    }

    package func has(_ letter: Character) -> Bool { values.contains { $0.letter == letter } }

    /// All values of an option that may be given more than once, in their order.
    package func values(_ letter: Character) -> [Argument] { values.filter { $0.letter == letter }.compactMap(\.value) }

    /// The value of an option; of one given twice, the last.
    package func value(_ letter: Character) -> Argument? { values.last { $0.letter == letter }?.value }

    /// The values of an option that may come several times.
    package func values(of letter: Character) -> [Argument] {
        values.filter { $0.letter == letter }.compactMap(\.value)
    }
}

extension CommandOption {
    /// As it is typed; for one without a name, what nobody types.
    fileprivate var longName: String { "--\(word ?? "")" }
}

extension Argument {
    /// Whether the word begins with this text; only as much of it is looked at, for the rest may be a password.
    fileprivate func begins(_ text: String) -> Bool {
        let prefix = Array(text.utf8)
        guard bytes.count >= prefix.count else { return false }
        return bytes.withSpan { span in prefix.indices.allSatisfy { span[$0] == prefix[$0] } }
    }

    fileprivate var startsWithMinus: Bool { bytes.count > 1 && bytes.withSpan { $0[0] == UInt8(ascii: "-") } }
}
