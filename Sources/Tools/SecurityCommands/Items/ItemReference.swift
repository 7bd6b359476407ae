import KeychainModel

/// The name of an item and one of its fields, as it stands in a file or a variable:
/// `kc://SERVICE[/ACCOUNT][?class=genp|inet&server-port=N][#FIELD]`.
///
/// Service, account and the values behind the question mark are percent-encoded UTF-8 (RFC 3986 section 2.1). For an
/// internet password the service is its server. A reference is no secret and may stand in a repository.
struct ItemReference: Hashable {
    /// The part of the item that is meant.
    enum Field: String, CaseIterable {
        case password, account, label, comment
    }

    /// Why a text is no reference. The problem never contains the text.
    struct Malformed: Error, Equatable {
        let problem: String
    }

    let service: String
    /// Nil where exactly one item must match without it.
    var account: String?
    var itemClass = ItemClass.genericPassword
    var port: UInt16?
    var field = Field.password

    static let scheme = "kc://"
    /// More than any service with its account has; a longer text in a file is something else.
    static let longestBytes = 4096

    /// Whether a text is meant to be a reference, well formed or not.
    static func isMeant(by text: String) -> Bool { text.hasPrefix(scheme) }

    /// - Throws: ``Malformed`` for every text that is no whole reference.
    init(_ text: String) throws(Malformed) {
        guard Self.isMeant(by: text) else { throw Malformed(problem: "a reference begins with \(Self.scheme)") }
        try Self.check(text)
        var rest = text.utf8.dropFirst(Self.scheme.utf8.count)
        let fragment = Self.cut(&rest, at: UInt8(ascii: "#"))
        let query = Self.cut(&rest, at: UInt8(ascii: "?"))
        let parts = rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else {
            throw Malformed(problem: "a reference has a service, and at most an account behind a slash")
        }
        service = try Self.decode(parts[0])
        account = parts.count == 2 ? try Self.decode(parts[1]) : nil
        if let query { try read(query: query) }
        if let fragment { field = try Self.field(fragment) }
    }

    /// The reference as a text.
    var text: String {
        let queries =
            (itemClass == .internetPassword ? ["class=inet"] : []) + (port.map { ["server-port=\($0)"] } ?? [])
        return Self.scheme + Self.encode(service) + (account.map { "/" + Self.encode($0) } ?? "")
            + (queries.isEmpty ? "" : "?" + queries.joined(separator: "&"))
            + (field == .password ? "" : "#" + field.rawValue)
    }

    /// Names are compared by their bytes, which the text has in hexadecimal: two spellings of a letter are two items.
    static func == (one: Self, other: Self) -> Bool { one.text == other.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension ItemReference {
    private mutating func read(query: Substring.UTF8View) throws(Malformed) {
        var seen: Set<String> = []
        for pair in query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            var name = pair
            guard let value = Self.cut(&name, at: UInt8(ascii: "=")) else {
                throw Malformed(problem: "behind the question mark stand NAME=VALUE, with & between them")
            }
            let key = try Self.decode(name)
            guard seen.insert(key).inserted else { throw Malformed(problem: "\(key)= stands twice") }
            try set(key, try Self.decode(value))
        }
        if port != nil, itemClass != .internetPassword {
            throw Malformed(problem: "server-port= belongs to class=inet")
        }
    }

    private mutating func set(_ key: String, _ value: String) throws(Malformed) {
        switch key {
        case "class":
            let classes = [ItemClass.genericPassword, .internetPassword]
            guard let found = classes.first(where: { $0.code == value }) else {
                throw Malformed(problem: "class= is genp or inet")
            }
            itemClass = found
        case "server-port":
            // UInt16 alone would take a plus sign.
            guard value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(value), number > 0 else {
                throw Malformed(problem: "server-port= is a number from 1 to 65535")
            }
            port = number
        case "kc": throw Malformed(problem: "kc= names a keychain, and there is one keychain only")
        default: throw Malformed(problem: "\(key)= is none of class=, server-port=")
        }
    }

    private static func field(_ text: Substring.UTF8View) throws(Malformed) -> Field {
        guard let field = Field.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text) }) else {
            let names = Field.allCases.map(\.rawValue).joined(separator: ", ")
            throw Malformed(problem: "the field behind # is one of \(names)")
        }
        return field
    }

    /// Takes what stands behind the first such mark away; nil without one.
    private static func cut(_ text: inout Substring.UTF8View, at mark: UInt8) -> Substring.UTF8View? {
        guard let place = text.firstIndex(of: mark) else { return nil }
        defer { text = text[..<place] }
        return text[text.index(after: place)...]
    }

    /// Refuses what no part of a URI has: blanks, control characters, and the marks that a file around it may use.
    private static func check(_ text: String) throws(Malformed) {
        guard text.utf8.count <= longestBytes else {
            throw Malformed(problem: "a reference has at most \(longestBytes) bytes")
        }
        let foreign = Set("\"<>\\^`{|}".utf8)
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || foreign.contains($0) }) else {
            throw Malformed(problem: "blanks and the characters \"<>\\^`{|} are written as %XX in a reference")
        }
    }

    private static func decode(_ text: Substring.UTF8View) throws(Malformed) -> String {
        var (bytes, rest) = ([UInt8](), text)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                throw Malformed(problem: "behind % stand two hexadecimal digits")
            }
            bytes.append(high << 4 | low)
        }
        guard !bytes.contains(0), let decoded = String(validating: bytes, as: UTF8.self) else {
            throw Malformed(problem: "%XX must give UTF-8 without a zero byte")
        }
        return decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    private static func encode(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            if URLText.isUnreserved(byte) { return encoded.append(Character(UnicodeScalar(byte))) }
            encoded += "%" + URLText.digits(byte)
        }
    }
}

/// Percent-encoding (RFC 3986 section 2).
enum URLText {
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Two upper-case hexadecimal digits.
    static func digits(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0" + text : text
    }
}
