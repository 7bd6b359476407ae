import DER
package import LinuxSystem

/// A JSON value (RFC 8259), written on one line.
package indirect enum JSONValue {
    case null
    case boolean(Bool)
    case number(Int64)
    case string(String)
    /// A string when the bytes are UTF-8, otherwise `{"base64": …}`; never in ordinary memory.
    case bytes(SecretBytes)
    case array([JSONValue])
    /// In this order.
    case object([(key: String, value: JSONValue)])

    func append(to buffer: SecretBuffer) {
        switch self {
        case .null: buffer.append(utf8: "null")
        case .boolean(let flag): buffer.append(utf8: flag ? "true" : "false")
        case .number(let number): buffer.append(utf8: "\(number)")
        case .string(let text): buffer.append(jsonString: Array(text.utf8).span)
        case .bytes(let bytes): bytes.withSpan { Self.append($0, to: buffer) }
        case .array(let values):
            buffer.append(list: values, between: "[", "]") { $0.append(to: buffer) }
        case .object(let members):
            buffer.append(list: members, between: "{", "}") { member in
                buffer.append(jsonString: Array(member.key.utf8).span)
                buffer.append(utf8: ":")
                member.value.append(to: buffer)
            }
        }
    }

    private static func append(_ bytes: Span<UInt8>, to buffer: SecretBuffer) {
        if (try? UTF8Span(validating: bytes)) != nil { return buffer.append(jsonString: bytes) }
        buffer.append(utf8: "{\"base64\":\"")
        buffer.append(base64: bytes)
        buffer.append(utf8: "\"}")
    }
}

extension SecretBuffer {
    fileprivate func append<Element>(
        list elements: [Element], between opening: String, _ closing: String, _ append: (Element) -> Void
    ) {
        self.append(utf8: opening)
        for (index, element) in elements.enumerated() {
            if index > 0 { self.append(utf8: ",") }
            append(element)
        }
        self.append(utf8: closing)
    }

    /// Well-formed UTF-8 between quotation marks. Characters with no place in a line for people are escaped, though the
    /// grammar demands that for a few only: the text may come to a terminal, and means the same.
    fileprivate func append(jsonString bytes: Span<UInt8>) {
        append(UInt8(ascii: "\""))
        bytes.visitCharacters { scalar, bytes in
            append(jsonCharacter: scalar, bytes)
            return true
        }
        append(UInt8(ascii: "\""))
    }

    private func append(jsonCharacter scalar: Unicode.Scalar, _ bytes: Span<UInt8>) {
        switch scalar {
        case "\"": append(utf8: "\\\"")
        case "\\": append(utf8: "\\\\")
        case "\n": append(utf8: "\\n")
        case "\t": append(utf8: "\\t")
        case _ where ForeignText.isShown(scalar): append(bytes)
        default:
            for unit in String(scalar).utf16 {
                append(utf8: "\\u")
                append(hex: [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)].span)
            }
        }
    }
}
