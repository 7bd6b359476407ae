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

/// A text with places for names and numbers: `{1} items`.
struct TextTemplate: Sendable {
    /// The words before, between and after the places.
    private let parts: [String]
    private let translation: String

    var hasPlaces: Bool { parts.count > 1 }
    /// How much of it is words.
    var size: Int { parts.reduce(0) { $0 + $1.utf8.count } }

    init(_ english: String, _ translation: String) {
        (parts, self.translation) = (Self.parts(of: english), translation)
    }

    /// The parts between places; the places are numbered in the order in which they stand.
    static func parts(of text: String) -> [String] {
        var (parts, rest) = ([String](), text[...])
        while let place = rest.firstRange(of: "{\(parts.count + 1)}") {
            parts.append(String(rest[..<place.lowerBound]))
            rest = rest[place.upperBound...]
        }
        return parts + [String(rest)]
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
        return values
    }
}
