package import LinuxSystem

/// The textual form of DER (RFC 7468): base64 between two lines that name its type.
package struct PEM: Sendable {
    /// The label after BEGIN, such as `CERTIFICATE`.
    package let label: String
    package let content: SecretBytes

    package init(label: String, content: SecretBytes) {
        self.label = label
        self.content = content
    }

    /// Why a text is not PEM.
    package enum Malformed: Error, Equatable, Sendable {
        /// The text or the number of blocks exceeds the limit.
        case tooLarge
        /// A block does not end, or ends with another label.
        case unterminated
        /// Headers from the time before RFC 7468, as in old encrypted keys.
        case headers
        /// The text between the lines is not base64.
        case notBase64
    }

    /// More than the certificates of a whole operating system; a bundle of those has 250 KB.
    package static let mostBytes = 16 << 20
    package static let mostBlocks = 4096

    /// Reads all blocks of a text. It ignores text outside of them, as the RFC allows.
    ///
    /// - Throws: `Malformed` for a block that cannot be read. A text without blocks gives an empty list.
    package static func read(_ text: Span<UInt8>) throws(Malformed) -> [PEM] {
        guard text.count <= mostBytes else { throw .tooLarge }
        var (lines, blocks) = (TextLines(text.count), [PEM]())
        while let line = lines.next(in: text) {
            guard let label = Self.label(text, line, "-----BEGIN ") else { continue }
            guard blocks.count < mostBlocks else { throw .tooLarge }
            blocks.append(PEM(label: label, content: try content(of: label, in: text, &lines)))
        }
        return blocks
    }

    private static func content(
        of label: String, in text: Span<UInt8>, _ lines: inout TextLines
    ) throws(Malformed) -> SecretBytes {
        var decoder = Base64Decoder()
        while let line = lines.next(in: text) {
            if let end = Self.label(text, line, "-----END ") {
                guard end == label else { throw .unterminated }
                return try decoder.finish()
            }
            for index in line { try decoder.add(text[index]) }
        }
        throw .unterminated
    }

    /// The label of a line that begins with `prefix` and ends with five hyphens.
    private static func label(_ text: Span<UInt8>, _ line: Range<Int>, _ prefix: String) -> String? {
        // Any other line may be a secret, and a `String` would leave a copy of it in memory. No label is as long as the
        // limit.
        guard line.count <= 80, line.count > prefix.utf8.count, text[line.lowerBound] == UInt8(ascii: "-"),
            let found = text.text(line.lowerBound, line.count), found.hasPrefix(prefix),
            found.hasSuffix("-----"), found.utf8.count >= prefix.utf8.count + 5
        else { return nil }
        return String(found.dropFirst(prefix.count).dropLast(5))
    }

    /// The block as text, for content that is not secret.
    package static func text(label: String, _ content: Span<UInt8>) -> String {
        let buffer = SecretBuffer()
        append(label: label, content, to: buffer)
        return buffer.withSpan { $0.text(0, $0.count) } ?? ""
    }

    /// Appends the block: lines of 64 characters.
    package static func append(label: String, _ content: Span<UInt8>, to buffer: SecretBuffer) {
        buffer.append(Array("-----BEGIN \(label)-----\n".utf8).span)
        for start in stride(from: 0, to: content.count, by: 48) {
            buffer.append(base64: content.extracting(start..<min(start + 48, content.count)))
            buffer.append(UInt8(ascii: "\n"))
        }
        buffer.append(Array("-----END \(label)-----\n".utf8).span)
    }
}

/// The lines of a text, without line ends and trailing blanks.
private struct TextLines {
    private var position = 0
    private let end: Int

    init(_ count: Int) { end = count }

    mutating func next(in text: Span<UInt8>) -> Range<Int>? {
        guard position < end else { return nil }
        let start = position
        while position < end, text[position] != 0x0A { position += 1 }
        var last = position
        if position < end { position += 1 }
        while last > start, [0x0D, 0x20, 0x09].contains(text[last - 1]) { last -= 1 }
        return start..<last
    }
}
