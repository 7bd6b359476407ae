import DER
import LinuxSystem

/// A text with places for values: `{{ REFERENCE }}` or `{{ REFERENCE | FILTER }}`; `{{{{` stands for `{{`.
struct Template {
    /// Why a text is no template; the problem contains nothing of it.
    struct Malformed: Error {
        let line: Int
        let problem: String
    }

    /// How a value is written.
    enum Filter: String, CaseIterable {
        /// A JSON string with its quotation marks.
        case json
        case base64
        /// One word for a shell.
        case sh
        /// Percent-encoded.
        case url

        /// The form that the value gets.
        var meaning: String {
            switch self {
            case .json: "A string of JSON, with its quotation marks."
            case .base64: "Base64, without line ends."
            case .sh: "One word for a shell, in single quotes."
            case .url: "Percent-encoded, but for letters, digits and -._~."
            }
        }
    }

    enum Part {
        case text(SecretBytes)
        case value(ItemReference, Filter?)
    }

    private(set) var parts: [Part] = []
    private static let (opening, closing) = (UInt8(ascii: "{"), UInt8(ascii: "}"))

    /// - Throws: ``Malformed`` for the first place that holds anything else.
    init(_ content: SecretBytes) throws(Malformed) {
        let plain = SecretBuffer(capacity: content.count)
        parts = try content.withSpan { (bytes) throws(Malformed) in
            var (parts, offset, line) = ([Part](), 0, 1)
            while offset < bytes.count {
                guard Self.isPair(bytes, offset, Self.opening) else {
                    if bytes[offset] == 0x0A { line += 1 }
                    plain.append(bytes[offset])
                    offset += 1
                    continue
                }
                if Self.isPair(bytes, offset + 2, Self.opening) {
                    plain.append(utf8: "{{")
                    offset += 4
                    continue
                }
                if plain.count > 0 { parts.append(.text(plain.finish())) }
                let end = try Self.end(bytes, offset + 2, line)
                parts.append(try Self.place(bytes.text(offset + 2, end - offset - 2) ?? "", line))
                offset = end + 2
            }
            if plain.count > 0 { parts.append(.text(plain.finish())) }
            return parts
        }
    }

    var references: [ItemReference] {
        parts.compactMap { part in
            if case .value(let reference, _) = part { return reference }
            return nil
        }
    }

    private static func isPair(_ bytes: Span<UInt8>, _ offset: Int, _ mark: UInt8) -> Bool {
        offset + 1 < bytes.count && bytes[offset] == mark && bytes[offset + 1] == mark
    }

    /// Where a place ends; it is in one line.
    private static func end(_ bytes: Span<UInt8>, _ start: Int, _ line: Int) throws(Malformed) -> Int {
        var offset = start
        while offset < bytes.count, bytes[offset] != 0x0A {
            if isPair(bytes, offset, closing) { return offset }
            offset += 1
        }
        throw Malformed(line: line, problem: "{{ is not closed by }} in its line; {{{{ stands for {{ itself")
    }

    private static func place(_ text: String, _ line: Int) throws(Malformed) -> Part {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard let first = words.first, words.count == 1 || words.count == 3 && words[1] == "|" else {
            throw Malformed(line: line, problem: "between {{ and }} stand a reference and at most one | FILTER")
        }
        var filter: Filter?
        if words.count == 3 {
            filter = Filter(rawValue: String(words[2]))
            let names = Filter.allCases.map(\.rawValue).joined(separator: ", ")
            guard filter != nil else { throw Malformed(line: line, problem: "the filter is none of \(names)") }
        }
        do throws(ItemReference.Malformed) { return .value(try ItemReference(String(first)), filter) } catch {
            throw Malformed(line: line, problem: error.problem)
        }
    }
}

extension Template.Filter {
    /// Appends a value in this form.
    ///
    /// - Returns: why this value cannot have the form; nil when it has.
    func append(_ value: Span<UInt8>, to text: SecretBuffer) -> String? {
        switch self {
        case .base64: text.append(base64: value)
        case .url: text.append(urlEscaped: value)
        case .json:
            guard (try? UTF8Span(validating: value)) != nil else { return "it is not UTF-8, and JSON is" }
            text.append(UInt8(ascii: "\""))
            text.append(jsonEscaped: value, asciiOnly: false)
            text.append(UInt8(ascii: "\""))
        case .sh: return appendWord(value, to: text)
        }
        return nil
    }

    /// A word between single quotes, in which only they mean something.
    private func appendWord(_ value: Span<UInt8>, to text: SecretBuffer) -> String? {
        text.append(UInt8(ascii: "'"))
        for index in value.indices {
            if value[index] == 0 { return "it has a zero byte, and no word of a shell has one" }
            if value[index] == UInt8(ascii: "'") { text.append(utf8: "'\\'") }
            text.append(value[index])
        }
        text.append(UInt8(ascii: "'"))
        return nil
    }
}
