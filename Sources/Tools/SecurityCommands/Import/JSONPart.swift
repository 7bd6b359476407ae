import LinuxSystem

/// A value in a JSON text of another program's, with what is in it. Everything stays where it is until it is asked for.
struct JSONPart {
    private let text: SecretBytes
    private let range: Range<Int>
    /// Where the members of an object lie; of those with one name the last counts.
    private let members: [String: Range<Int>]

    /// Reads a text that is one object.
    ///
    /// - Throws: a failure for a text that is none.
    init(_ text: SecretBytes) throws(CommandFailure) {
        self.init(text, 0..<text.count)
        guard text.withSpan({ (try? JSONObject($0)) != nil }) else {
            throw .failed(
                "import-from: the file is no JSON", cause: "Its text is damaged or cut; nothing was imported.",
                remedy: "Export the logins again, as JSON.")
        }
    }

    private init(_ text: SecretBytes, _ range: Range<Int>) {
        (self.text, self.range) = (text, range)
        members = text.withSpan { bytes in
            guard let object = try? JSONObject(bytes.extracting(range)) else { return [:] }
            let places = object.members.map { member in
                (member.key, member.value.lowerBound + range.lowerBound..<member.value.upperBound + range.lowerBound)
            }
            return Dictionary(places) { _, last in last }
        }
    }

    /// A member of an object; nil for none, and for null.
    func member(_ name: String) -> JSONPart? {
        members[name].map { JSONPart(text, $0) }.flatMap { $0.isWord("null") ? nil : $0 }
    }

    /// The elements of an array; nil for anything else.
    var elements: [JSONPart]? {
        text.withSpan { bytes in
            var scanner = JSONScanner()
            return try? scanner.array(bytes.extracting(range))
        }?.map { JSONPart(text, $0.lowerBound + range.lowerBound..<$0.upperBound + range.lowerBound) }
    }

    /// The characters of a string; nil for anything else.
    var secret: SecretBytes? { text.withSpan { JSONScanner.unescape($0.extracting(range)) } }

    /// A string in ordinary memory, for what is no secret; empty for anything else.
    var string: String { secret?.withSpan { $0.text(0, $0.count) } ?? "" }

    /// A small whole number; nil for anything else.
    var number: Int? { range.count > 9 ? nil : Int(word) }

    var isTrue: Bool { isWord("true") }

    /// Whether an array has elements, or a string characters.
    var isFilled: Bool { (elements?.count ?? secret?.count ?? 0) > 0 }

    private func isWord(_ name: String) -> Bool { range.count == name.utf8.count && word == name }

    private var word: String { text.withSpan { $0.text(range.lowerBound, range.count) } ?? "" }
}
