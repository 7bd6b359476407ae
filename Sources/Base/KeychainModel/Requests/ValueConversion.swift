/// The conversion of values to an attribute's type (rules items.attributes.kinds, queries.match.bytes).
extension ItemAttribute {
    /// Converts a value from a program's dictionary.
    ///
    /// - Throws: `errSecParam` when the attribute does not take such a value.
    package func accept(_ raw: RawValue) throws(Refusal) -> AttributeValue {
        if let value = convert(raw) { return value }
        throw Refusal(
            .param, .wrongType, code, "\(displayName) cannot be \(raw.kindName).", do: "Give it \(acceptedKinds).")
    }

    /// Whether the attribute can have a value of this kind. Attributes of frames are checked by it.
    package func allows(_ valueKind: AttributeValue.Kind) -> Bool {
        switch kind {
        case .blob: valueKind != .date
        case .string: valueKind == .string
        case .data: valueKind == .data
        case .number: valueKind == .number || valueKind == .string
        case .date: valueKind == .date
        case .accessControl: valueKind == .data
        }
    }

    private func convert(_ raw: RawValue) -> AttributeValue? {
        switch (kind, raw) {
        case (.blob, .string(let text)), (.string, .string(let text)): .string(text)
        case (.blob, .data(let bytes)), (.data, .data(let bytes)): .data(bytes)
        case (.accessControl, .accessControl(let control)): .data(control.bytes)
        case (.blob, .number(let number)), (.number, .number(let number)): .number(number)
        case (.string, .data(let bytes)): String(validating: bytes, as: UTF8.self).map { .string($0) }
        case (.string, .uuid(let bytes)): .string(uuidText(bytes))
        case (.data, .string(let text)): .data(Array(text.utf8))
        case (.data, .number(let number)): .data(Int32(truncatingIfNeeded: number).littleEndianBytes)
        case (.number, .boolean(let flag)): .number(flag ? 1 : 0)
        case (.number, .string(let text)): decimal(text)
        case (.date, .date(let seconds)): .date(seconds)
        default: nil
        }
    }

    /// A string that is not a plain decimal number stays a string; an empty port is refused (rule items.internet.port).
    private func decimal(_ text: String) -> AttributeValue? {
        if let number = Int64(text), String(number) == text { return .number(number) }
        return text.isEmpty && id == .port ? nil : .string(text)
    }

    private func uuidText(_ bytes: [UInt8]) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
        }
        return text
    }

    private var acceptedKinds: String {
        switch kind {
        case .blob: "a string, data or a number"
        case .string: "a string"
        case .data: "data or a string"
        case .number: "a number, a boolean or a decimal string"
        case .date: "a date"
        case .accessControl: "a SecAccessControl"
        }
    }
}
