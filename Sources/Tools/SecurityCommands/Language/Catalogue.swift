/// The texts of a language, found by their words in English.
struct Catalogue: Sendable {
    private var whole: [String: String] = [:]
    private var templates: [TextTemplate] = []

    static let chinese = Catalogue(ChineseTexts.rows)

    /// - Parameter rows: a line for each text: English, a tab, and the same in the other language.
    init(_ rows: String) {
        for row in rows.split(separator: "\n") {
            let cells = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard cells.count == 2 else { continue }
            let template = TextTemplate(cells[0], cells[1])
            if template.hasPlaces { templates.append(template) } else { whole[cells[0]] = cells[1] }
        }
        // The template that says most comes first.
        templates.sort { $0.size > $1.size }
    }

    func translation(of text: String) -> String? {
        if let found = whole[text] { return found }
        return templates.lazy.compactMap { $0.translation(of: text) }.first
    }
}

/// A text with places for names and numbers: `Added {1}.`, and `{1#} items` where only a number is meant.
///
/// A text that is not of this template must not be taken for one: a place takes no more than what a program puts there.
struct TextTemplate: Sendable {
    /// The words before, between and after the places.
    private let parts: [String]
    private let places: [TextPlace]
    private let translation: String

    var hasPlaces: Bool { !places.isEmpty }
    /// How much of it is words.
    var size: Int { parts.reduce(0) { $0 + $1.utf8.count } }

    init(_ english: String, _ translation: String) {
        let (parts, areNumbers) = Self.parts(of: english)
        (self.parts, self.translation) = (parts, translation)
        places = areNumbers.indices.map { TextPlace($0, of: parts, isNumber: areNumbers[$0]) }
    }

    /// The parts between places, which are numbered in the order in which they stand; and whether each is a number's.
    private static func parts(of text: String) -> (parts: [String], areNumbers: [Bool]) {
        var (parts, areNumbers, rest) = ([String](), [Bool](), text[...])
        while let mark = rest.firstRange(of: "{\(parts.count + 1)") {
            let isNumber = rest[mark.upperBound...].hasPrefix("#}")
            guard isNumber || rest[mark.upperBound...].hasPrefix("}") else { break }
            parts.append(String(rest[..<mark.lowerBound]))
            areNumbers.append(isNumber)
            rest = rest[mark.upperBound...].dropFirst(isNumber ? 2 : 1)
        }
        return (parts + [String(rest)], areNumbers)
    }

    /// The translation of a text that the template fits, with its names and numbers as they are.
    func translation(of text: String) -> String? {
        guard let values = values(in: text) else { return nil }
        // The values are put in last to first, so that none is taken for a place.
        var pieces: [String] = [], rest = translation[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            pieces.append(String(rest[..<open]))
            guard let number = Int(rest[rest.index(after: open)..<close]), values.indices.contains(number - 1) else {
                return nil
            }
            pieces.append(values[number - 1])
            rest = rest[rest.index(after: close)...]
        }
        return pieces.joined() + rest
    }

    private func values(in text: String) -> [String]? {
        guard text.hasPrefix(parts[0]) else { return nil }
        var (values, rest) = ([String](), text.dropFirst(parts[0].count))
        for (index, part) in parts.enumerated().dropFirst() {
            if index == parts.count - 1 {
                guard rest.hasSuffix(part) else { return nil }
                values.append(String(rest.dropLast(part.count)))
            } else {
                guard let next = rest.firstRange(of: part) else { return nil }
                values.append(String(rest[..<next.lowerBound]))
                rest = rest[next.upperBound...]
            }
        }
        return zip(places, values).allSatisfy { $0.takes($1) } ? values : nil
    }
}

/// A place of a template, and the values that it takes.
private struct TextPlace: Sendable {
    private let isNumber: Bool
    /// Words of the same sentence follow, so that the value has no end of one.
    private let isWithin: Bool
    /// The text begins here; a colon would end another beginning.
    private let isFirst: Bool

    init(_ index: Int, of parts: [String], isNumber: Bool) {
        let next = parts[index + 1]
        let beginsSentence = next.hasPrefix(" ") && next.dropFirst().first?.isUppercase == true
        self.isNumber = isNumber
        isFirst = parts[index].isEmpty && index == 0 && !beginsSentence
        isWithin = isFirst || index < parts.count - 2 && !beginsSentence
    }

    func takes(_ value: String) -> Bool {
        if isNumber { return Self.isNumber(value) }
        if isFirst, value.contains(": ") { return false }
        if isWithin, value.contains(". ") { return false }
        return !value.hasPrefix("\"") || Self.isQuoted(value)
    }

    private static func isNumber(_ value: String) -> Bool {
        value.first?.isWholeNumber == true && value.allSatisfy { $0.isWholeNumber || ",.'\u{A0}\u{202F}".contains($0) }
    }

    /// Whether nothing but commas and what stands for more is outside of quotation marks.
    private static func isQuoted(_ value: String) -> Bool {
        var (isInside, outside, characters) = (false, "", value.unicodeScalars.makeIterator())
        while let character = characters.next() {
            if character == "\"" {
                isInside.toggle()
            } else if !isInside {
                outside.unicodeScalars.append(character)
            } else if character == "\\" {
                _ = characters.next()
            }
        }
        return !isInside && outside.allSatisfy { ", …".contains($0) }
    }
}
