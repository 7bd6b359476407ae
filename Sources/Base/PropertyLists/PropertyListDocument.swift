import DER
import LinuxSystem

extension PropertyList {
    /// The value as a document in Apple's XML format, one element a line.
    package var document: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        \(element(indent: ""))</plist>

        """
    }

    private func element(indent: String) -> String {
        switch self {
        case .string(let text): Self.line("string", text.escapedForXML, indent)
        case .boolean(let flag): "\(indent)<\(flag)/>\n"
        case .integer(let number): Self.line("integer", "\(number)", indent)
        case .real(let number): Self.line("real", "\(number)", indent)
        case .date(let text): Self.line("date", text.escapedForXML, indent)
        case .data(let bytes): Self.line("data", Self.base64(bytes), indent)
        case .array(let values):
            "\(indent)<array>\n" + values.map { $0.element(indent: indent + "\t") }.joined() + "\(indent)</array>\n"
        case .dictionary(let entries):
            "\(indent)<dict>\n" + entries.map { Self.lines($0, indent + "\t") }.joined() + "\(indent)</dict>\n"
        }
    }

    private static func lines(_ entry: Entry, _ indent: String) -> String {
        line("key", entry.key.escapedForXML, indent) + entry.value.element(indent: indent)
    }

    private static func line(_ element: String, _ text: String, _ indent: String) -> String {
        "\(indent)<\(element)>\(text)</\(element)>\n"
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let buffer = SecretBuffer()
        buffer.append(base64: bytes.span)
        return buffer.finish().withSpan { String(decoding: $0.array(0, $0.count), as: UTF8.self) }
    }
}

extension String {
    /// Scalars are escaped, as XML reads them: with a combining one behind it a mark is another of Swift's characters.
    fileprivate var escapedForXML: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
