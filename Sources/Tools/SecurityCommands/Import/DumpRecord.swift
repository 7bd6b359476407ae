import LinuxSystem

/// An item in the text that `security dump-keychain -d` writes, on macOS or here (rules command.dump.layout and
/// command.dump.cells).
///
///     record    = "keychain: " cell LF "version: " number LF "class: " cell LF "attributes:" LF
///                 *attribute ["data:" LF [cell LF]]
///     attribute = 4SP (DQUOTE code DQUOTE / "0x" number SP) "<" type ">=" ("<NULL>" / cell) LF
///     cell      = [DQUOTE text DQUOTE / "0x" digits SP [SP DQUOTE escaped DQUOTE]]
struct DumpRecord {
    /// The class: four characters, or a number.
    private(set) var itemClass: [UInt8] = []
    /// The values of the attributes, by their codes or numbers; those that are NULL are not there.
    private(set) var cells: [String: SecretBytes] = [:]
    private(set) var value: SecretBytes?
    /// Whether the next line is the value.
    private var isBeforeValue = false

    /// Reads all records, each as soon as it is whole.
    ///
    /// - Parameter body: takes a record.
    /// - Throws: a failure that names the line where the text is no such dump.
    static func forEach(of text: Span<UInt8>, _ body: (DumpRecord) -> Void) throws(CommandFailure) {
        var record: DumpRecord?
        var (start, line) = (0, 1)
        for end in text.indices where text[end] == UInt8(ascii: "\n") {
            let content = text.extracting(start..<end)
            if content.begins(with: "keychain: ") {
                if let record { body(record) }
                record = DumpRecord()
            } else if record?.take(content) != true {
                throw .badDump(line: line, isWithAccess: content.begins(with: "access: "))
            }
            (start, line) = (end + 1, line + 1)
        }
        guard start == text.count, let record else { throw .badDump(line: line) }
        body(record)
    }

    /// Takes a line; false for one that has no place in a dump. Lists of access are none: their texts are not escaped,
    /// and could pass for lines of other items.
    private mutating func take(_ line: Span<UInt8>) -> Bool {
        if isBeforeValue {
            isBeforeValue = false
            guard line.begins(with: "\"") || line.begins(with: "0x") else { return line.count == 0 || line[0] == .less }
            value = line.cell
            return value != nil
        }
        if line.begins(with: "    ") { return takeAttribute(line) }
        if line.begins(with: "class: ") {
            guard let cell = line.extracting(7...).cell else { return false }
            itemClass = cell.withSpan { $0.array(0, $0.count) }
            return true
        }
        isBeforeValue = line.isEqual(to: "data:")
        return isBeforeValue || line.isEqual(to: "attributes:") || line.begins(with: "version: ")
    }

    private mutating func takeAttribute(_ line: Span<UInt8>) -> Bool {
        guard let opening = line.indices.first(where: { line[$0] == .less }),
            let closing = line.indices.dropFirst(opening).first(where: { line[$0] == .greater }),
            closing + 1 < line.count, line[closing + 1] == UInt8(ascii: "="),
            let tag = line.text(4, opening - 4)
        else { return false }
        let content = line.extracting((closing + 2)...)
        if content.isEqual(to: "<NULL>") { return true }
        guard let cell = content.cell else { return false }
        cells[String(tag.filter { $0 != "\"" && $0 != " " })] = cell
        return true
    }
}

extension UInt8 {
    fileprivate static let less = UInt8(ascii: "<")
    fileprivate static let greater = UInt8(ascii: ">")
}

extension Span<UInt8> {
    fileprivate func begins(with text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && extracting(..<text.utf8CodeUnitCount).isEqual(to: text)
    }

    fileprivate func isEqual(to text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && self.text(0, count) == "\(text)"
    }

    /// The bytes that a cell stands for; nil when it is none.
    fileprivate var cell: SecretBytes? {
        let mark = UInt8(ascii: "\"")
        if count == 0 { return SecretBytes(count: 0) }
        if self[0] == mark {
            return count > 1 && self[count - 1] == mark ? SecretBytes(copying: extracting(1..<(count - 1))) : nil
        }
        guard begins(with: "0x") else { return nil }
        let end = indices.first { self[$0] == UInt8(ascii: " ") } ?? count
        guard end > 2, end % 2 == 0 else { return nil }
        let bytes = SecretBuffer(capacity: (end - 2) / 2)
        for index in stride(from: 2, to: end, by: 2) {
            let digits = (WrittenByte.hexDigit(self[index]), WrittenByte.hexDigit(self[index + 1]))
            guard let high = digits.0, let low = digits.1 else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes.finish()
    }
}

extension CommandFailure {
    fileprivate static func badDump(line: Int, isWithAccess: Bool = false) -> CommandFailure {
        .failed(
            "import-from: line \(line) is none of a dump of a keychain",
            cause: isWithAccess
                ? "Lists of access are not read; nothing was imported."
                : "The dump is damaged or cut; nothing was imported.",
            remedy: "Write it again, with -d alone: security dump-keychain -d > FILE")
    }
}
