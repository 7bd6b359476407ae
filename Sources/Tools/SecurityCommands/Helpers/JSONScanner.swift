import LinuxSystem

/// Walks over JSON values.
struct JSONScanner {
    private(set) var offset = 0
    /// Deeper than any file that makes sense, and shallower than the stack.
    private static let deepest = 64

    mutating func skipBlank(_ text: Span<UInt8>) {
        while offset < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[offset]) { offset += 1 }
    }

    /// Reads an object and gives its members.
    mutating func object(_ text: Span<UInt8>, depth: Int = 0) throws(JSONObject.Malformed) -> [JSONObject.Member] {
        var members: [JSONObject.Member] = []
        try list(text, "{", "}") { (scanner) throws(JSONObject.Malformed) in
            let start = scanner.offset
            let key = try scanner.string(text)
            scanner.skipBlank(text)
            try scanner.expect(":", text)
            scanner.skipBlank(text)
            let value = scanner.offset
            try scanner.value(text, depth: depth + 1)
            members.append(
                JSONObject.Member(
                    key: key.withSpan { String(decoding: $0.array(0, $0.count), as: UTF8.self) },
                    range: start..<scanner.offset, value: value..<scanner.offset))
        }
        return members
    }

    /// Reads an array and gives where its elements lie.
    mutating func array(_ text: Span<UInt8>) throws(JSONObject.Malformed) -> [Range<Int>] {
        var elements: [Range<Int>] = []
        try list(text, "[", "]") { (scanner) throws(JSONObject.Malformed) in
            let start = scanner.offset
            try scanner.value(text, depth: 1)
            elements.append(start..<scanner.offset)
        }
        return elements
    }

    private mutating func value(_ text: Span<UInt8>, depth: Int) throws(JSONObject.Malformed) {
        guard depth < Self.deepest, offset < text.count else { throw JSONObject.Malformed() }
        switch text[offset] {
        case UInt8(ascii: "{"): _ = try object(text, depth: depth)
        case UInt8(ascii: "["):
            try list(text, "[", "]") { (scanner) throws(JSONObject.Malformed) in
                try scanner.value(text, depth: depth + 1)
            }
        case UInt8(ascii: "\""): _ = try string(text)
        default: try word(text)
        }
    }

    private mutating func list(
        _ text: Span<UInt8>, _ opening: Unicode.Scalar, _ closing: Unicode.Scalar,
        _ element: (inout Self) throws(JSONObject.Malformed) -> Void
    ) throws(JSONObject.Malformed) {
        try expect(opening, text)
        skipBlank(text)
        if take(closing, text) { return }
        while true {
            skipBlank(text)
            try element(&self)
            skipBlank(text)
            if take(closing, text) { return }
            try expect(",", text)
        }
    }

    /// A number, or one of the three names.
    private mutating func word(_ text: Span<UInt8>) throws(JSONObject.Malformed) {
        let start = offset
        while offset < text.count, Self.isWord(text[offset]) { offset += 1 }
        let word = String(decoding: text.array(start, offset - start), as: UTF8.self)
        guard ["true", "false", "null"].contains(word) || Self.isNumber(word) else { throw JSONObject.Malformed() }
    }

    /// Whether it is a number of RFC 8259, of which others have fewer and more.
    private static func isNumber(_ word: String) -> Bool {
        var rest = Substring(word).utf8
        func take(_ marks: Set<UInt8>) -> Bool {
            guard let first = rest.first, marks.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        func takeDigits() -> Int {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest.dropFirst(digits.count)
            return digits.count
        }
        _ = take([UInt8(ascii: "-")])
        let beginsWithZero = rest.first == UInt8(ascii: "0")
        let digits = takeDigits()
        guard digits == 1 || digits > 1 && !beginsWithZero else { return false }
        if take([UInt8(ascii: ".")]), takeDigits() == 0 { return false }
        if take([UInt8(ascii: "e"), UInt8(ascii: "E")]) {
            _ = take([UInt8(ascii: "+"), UInt8(ascii: "-")])
            if takeDigits() == 0 { return false }
        }
        return rest.isEmpty && Double(word)?.isFinite == true
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// - Returns: what the string stands for.
    private mutating func string(_ text: Span<UInt8>) throws(JSONObject.Malformed) -> SecretBytes {
        let start = offset
        try expect("\"", text)
        while offset < text.count, text[offset] >= 0x20 {
            let byte = text[offset]
            offset += byte == UInt8(ascii: "\\") ? 2 : 1
            guard byte == UInt8(ascii: "\"") else { continue }
            guard let string = Self.unescape(text.extracting(start..<offset)) else { break }
            return string
        }
        throw JSONObject.Malformed()
    }

    private mutating func take(_ mark: Unicode.Scalar, _ text: Span<UInt8>) -> Bool {
        guard offset < text.count, text[offset] == UInt8(ascii: mark) else { return false }
        offset += 1
        return true
    }

    private mutating func expect(_ mark: Unicode.Scalar, _ text: Span<UInt8>) throws(JSONObject.Malformed) {
        guard take(mark, text) else { throw JSONObject.Malformed() }
    }
}

// MARK: - Strings

extension JSONScanner {
    /// The content of a string in quotation marks, as UTF-8; nil when it is no string.
    static func unescape(_ quoted: Span<UInt8>) -> SecretBytes? {
        guard quoted.count >= 2, quoted[0] == UInt8(ascii: "\""), (try? UTF8Span(validating: quoted)) != nil else {
            return nil
        }
        let result = SecretBuffer(capacity: quoted.count)
        var offset = 1
        while offset < quoted.count - 1 {
            guard quoted[offset] == UInt8(ascii: "\\") else {
                result.append(quoted[offset])
                offset += 1
                continue
            }
            guard let length = append(escape: quoted, at: offset, to: result) else { return nil }
            offset += length
        }
        return result.finish()
    }

    /// - Returns: how many bytes the escape has; nil when it is none.
    private static func append(escape text: Span<UInt8>, at offset: Int, to result: SecretBuffer) -> Int? {
        guard offset + 1 < text.count - 1 else { return nil }
        if let plain = escapes[text[offset + 1]] {
            result.append(plain)
            return 2
        }
        guard text[offset + 1] == UInt8(ascii: "u"), let unit = unit(text, at: offset + 2) else { return nil }
        if let scalar = Unicode.Scalar(unit) {
            result.append(utf8: String(scalar))
            return 6
        }
        // Two units outside the basic plane.
        guard unit < 0xDC00, text.count > offset + 8, text[offset + 6] == UInt8(ascii: "\\"),
            text[offset + 7] == UInt8(ascii: "u"), let low = self.unit(text, at: offset + 8),
            (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { return nil }
        result.append(utf8: String(scalar))
        return 12
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "/"): UInt8(ascii: "/"),
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D,
        UInt8(ascii: "t"): 0x09,
    ]

    private static func unit(_ text: Span<UInt8>, at offset: Int) -> UInt32? {
        guard offset + 4 <= text.count - 1, let digits = text.text(offset, 4),
            digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        else { return nil }
        return UInt32(digits, radix: 16)
    }
}
