import KeychainModel
import LinuxSystem

/// A file of gnome-keyring's without a password: groups of lines with names and values.
///
/// gnome-keyring writes a secret as it is, so that one with line ends breaks the file, and escapes all other values.
/// The file is read line by line here: a secret ends before the first two lines `mtime=` and `ctime=` with digits that
/// are the last of their group. An item of which anything else is not certain is left out.
struct PlainKeyring {
    private(set) var name = ""
    private var drafts: [String: Draft] = [:]
    private var lines: [Range<Int>] = []
    /// The last line that a secret can end with; a file may have as many secrets without an end as it has lines.
    private var lastEnd: Int?
    /// The item that the last group was of.
    private var current = ""

    private struct Draft {
        var values: [String: String] = [:]
        var secret: SecretBytes?
        var attributes: [String: [String: String]] = [:]
        var isCertain = true
    }

    private static let itemKeys: Set = ["item-type", "display-name", "mtime", "ctime"]
    private static let attributeKeys: Set = ["name", "type", "value"]

    /// Reads the whole file.
    ///
    /// - Throws: ``ImportFailure`` for a file without the group of the keyring.
    init(_ file: Span<UInt8>) throws(ImportFailure) {
        var start = 0
        for end in file.indices where file[end] == UInt8(ascii: "\n") {
            lines.append(start..<end)
            start = end + 1
        }
        if start < file.count { lines.append(start..<file.count) }
        guard let first = lines.indices.first(where: { !lines[$0].isEmpty }), text(first, file) == "[keyring]" else {
            throw ImportFailure("The file is no keyring of gnome-keyring's.", "该文件不是 gnome-keyring 的密钥环。")
        }
        lastEnd = lines.indices.last { isEndOfSecret($0, file) }
        var index = first
        while index < lines.count { index = readGroup(at: index, file) }
    }

    /// The items; nil for one that is not certain, or has no value.
    var items: [OtherService.Item?] { drafts.sorted { $0.key < $1.key }.map { Self.item($0.value) } }

    private static func item(_ draft: Draft) -> OtherService.Item? {
        guard draft.isCertain, let value = draft.secret, let type = UInt32(draft.values["item-type"] ?? "") else {
            return nil
        }
        var pairs: LookupAttributes.Pairs = [:]
        for attribute in draft.attributes.values {
            guard let name = attribute["name"], let value = attribute["value"] else { return nil }
            pairs[ExactText(name)] = ExactText(value)
        }
        return OtherService.Item(
            label: draft.values["display-name"] ?? "", pairs: pairs, type: type, value: value)
    }

    // MARK: - Groups

    /// Reads the group whose header is the line, and gives the line behind it.
    private mutating func readGroup(at index: Int, _ file: Span<UInt8>) -> Int {
        guard let header = text(index, file), header.hasPrefix("["), header.hasSuffix("]") else {
            // A line in no group: part of a secret whose end was none.
            if !lines[index].isEmpty { drafts[current]?.isCertain = false }
            return index + 1
        }
        let parts = header.dropFirst().dropLast().split(separator: ":", maxSplits: 1).map(String.init)
        let identifier = parts.first ?? ""
        if header != "[keyring]" { current = identifier }
        switch (identifier, parts.count) {
        case ("keyring", 1): return readKeyring(from: index + 1, file)
        case (_, 1): return readItem(identifier, from: index + 1, file)
        default: return readPart(parts[1], of: identifier, from: index + 1, file)
        }
    }

    private mutating func readKeyring(from start: Int, _ file: Span<UInt8>) -> Int {
        var index = start
        while index < lines.count, let (key, value) = pair(index, file) {
            if key == "display-name" { name = Self.unescaped(value) ?? "" }
            index += 1
        }
        return index
    }

    private mutating func readItem(_ identifier: String, from start: Int, _ file: Span<UInt8>) -> Int {
        let isNumber = !identifier.isEmpty && identifier.utf8.allSatisfy { (0x30...0x39).contains($0) }
        var draft = Draft()
        draft.isCertain = isNumber && drafts[identifier] == nil
        var index = start
        while index < lines.count, !lines[index].isEmpty, !file.begins(lines[index], with: "[") {
            index = readLine(at: index, into: &draft, file)
        }
        drafts[identifier] = draft
        return index
    }

    private func readLine(at index: Int, into draft: inout Draft, _ file: Span<UInt8>) -> Int {
        if file.begins(lines[index], with: "secret=") {
            guard let last = endOfSecret(from: index, file) else {
                draft.isCertain = false
                return index + 1
            }
            draft.isCertain = draft.isCertain && draft.secret == nil
            draft.secret = SecretBytes(copying: file.extracting(lines[index].lowerBound + 7..<lines[last].upperBound))
            return last + 1
        }
        if file.begins(lines[index], with: "binary-secret=") {
            let digits = file.extracting(lines[index].lowerBound + 14..<lines[index].upperBound)
            draft.isCertain = draft.isCertain && draft.secret == nil && digits.hexadecimal != nil
            draft.secret = digits.hexadecimal
        } else if let (key, value) = pair(index, file), Self.itemKeys.contains(key), draft.values[key] == nil,
            let text = Self.unescaped(value)
        {
            draft.values[key] = text
        } else {
            draft.isCertain = false
        }
        return index + 1
    }

    /// The last line of a secret that begins on a line.
    private func endOfSecret(from start: Int, _ file: Span<UInt8>) -> Int? {
        guard let lastEnd, start <= lastEnd else { return nil }
        return (start...lastEnd).first { isEndOfSecret($0, file) }
    }

    private func isEndOfSecret(_ last: Int, _ file: Span<UInt8>) -> Bool {
        guard last + 2 < lines.count, file.isDate(lines[last + 1], "mtime="), file.isDate(lines[last + 2], "ctime=")
        else { return false }
        return last + 3 == lines.count || lines[last + 3].isEmpty || file.begins(lines[last + 3], with: "[")
    }

    /// Reads an attribute, or passes over a list of programs.
    private mutating func readPart(
        _ part: String, of identifier: String, from start: Int, _ file: Span<UInt8>
    ) -> Int {
        let isAttribute = part.hasPrefix("attribute")
        if drafts[identifier]?.attributes[part] != nil { drafts[identifier]?.isCertain = false }
        if isAttribute { drafts[identifier]?.attributes[part] = [:] }
        var index = start
        while index < lines.count, !lines[index].isEmpty, !file.begins(lines[index], with: "[") {
            defer { index += 1 }
            guard isAttribute else { continue }
            if let (key, value) = pair(index, file), Self.attributeKeys.contains(key), let text = Self.unescaped(value),
                drafts[identifier]?.attributes[part]?[key] == nil
            {
                drafts[identifier]?.attributes[part]?[key] = text
            } else {
                drafts[identifier]?.isCertain = false
            }
        }
        return index
    }

    // MARK: - Lines

    private func text(_ index: Int, _ file: Span<UInt8>) -> String? {
        file.text(lines[index].lowerBound, lines[index].count)
    }

    private func pair(_ index: Int, _ file: Span<UInt8>) -> (key: String, value: Substring)? {
        guard let line = text(index, file), let sign = line.firstIndex(of: "=") else { return nil }
        return (String(line[..<sign]), line[line.index(after: sign)...])
    }

    /// A value as GLib's files of keys have it; nil for an escape that is none.
    private static func unescaped(_ value: Substring) -> String? {
        let letters: [Unicode.Scalar: Unicode.Scalar] = ["s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"]
        var (text, isEscape) = (String.UnicodeScalarView(), false)
        for scalar in value.unicodeScalars {
            guard isEscape || scalar != "\\" else {
                isEscape = true
                continue
            }
            guard let plain = isEscape ? letters[scalar] : scalar else { return nil }
            text.append(plain)
            isEscape = false
        }
        return isEscape ? nil : String(text)
    }
}

extension Span<UInt8> {
    fileprivate func begins(_ line: Range<Int>, with text: StaticString) -> Bool {
        line.count >= text.utf8CodeUnitCount && self.text(line.lowerBound, text.utf8CodeUnitCount) == "\(text)"
    }

    /// Whether a line is a name and digits.
    fileprivate func isDate(_ line: Range<Int>, _ name: StaticString) -> Bool {
        begins(line, with: name) && line.count > name.utf8CodeUnitCount
            && line.dropFirst(name.utf8CodeUnitCount).allSatisfy { (0x30...0x39).contains(self[$0]) }
    }

    /// The bytes that pairs of digits stand for; nil for anything else.
    fileprivate var hexadecimal: SecretBytes? {
        guard count % 2 == 0 else { return nil }
        let bytes = SecretBuffer(capacity: count / 2)
        for index in stride(from: 0, to: count, by: 2) {
            guard let digits = text(index, 2), digits.utf8.first != UInt8(ascii: "+"),
                let byte = UInt8(digits, radix: 16)
            else { return nil }
            bytes.append(byte)
        }
        return bytes.finish()
    }
}
