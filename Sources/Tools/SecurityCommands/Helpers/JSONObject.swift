import LinuxSystem

/// The members of a JSON object (RFC 8259), found in place: what is in them stays where it is, and may be secret.
///
/// The text is a program's input or a file that people edit, so everything is checked before anything is believed.
struct JSONObject {
    struct Member {
        let key: String
        /// Where the whole member lies, from its key's quotation mark to the end of its value.
        let range: Range<Int>
        /// Where its value lies.
        let value: Range<Int>
    }

    let members: [Member]
    /// Where the opening brace lies.
    let start: Int

    struct Malformed: Error {}

    /// Reads a text that is one object.
    init(_ text: Span<UInt8>) throws(Malformed) {
        var scanner = JSONScanner()
        scanner.skipBlank(text)
        start = scanner.offset
        members = try scanner.object(text)
        scanner.skipBlank(text)
        guard scanner.offset == text.count else { throw Malformed() }
    }

    /// The last member of that name; later ones win, as everywhere.
    subscript(key: String) -> Member? { members.last { $0.key == key } }

    /// The string that a member is; nil when there is none, or it is no string.
    func string(_ key: String, in text: Span<UInt8>) -> SecretBytes? {
        self[key].flatMap { JSONScanner.unescape(text.extracting($0.value)) }
    }
}
