import DER
import KeychainModel
import KeychainWire
import LinuxSystem

/// Items as `item` shows them: a line for each attribute, sorted by code, and a line of equals signs after each item.
struct ItemLines {
    private let session: Session
    private let writesJSON: Bool
    private static let end = "====\n"
    private static let width = 10
    private static let digits = Array("0123456789ABCDEF".utf8)

    init(_ session: Session, writesJSON: Bool) { (self.session, self.writesJSON) = (session, writesJSON) }

    func write(item: ItemResponse.Item) {
        if writesJSON { return session.output.write(.object(json(of: item))) }
        var lines = AttributeTable.attributes(of: item.itemClass).compactMap { attribute in
            item.attributes[attribute.id].map { (code: attribute.code, text: text(of: $0, attribute)) }
        }
        lines.append(("class", item.itemClass.code))
        if let reference = item.referenceBytes { lines.append(("v_PersistentRef", Self.base64(reference))) }
        for line in lines.sorted(by: { $0.code < $1.code }) {
            session.output.write("\(Self.padded(line.code)) : \(line.text)\n")
        }
        if let value = item.attributes.secret(.valueData) { write(value) }
        session.output.write(Self.end)
    }

    /// The value: text between slashes where it is text, and its bytes.
    private func write(_ value: SecretBytes) {
        session.output.write { buffer in
            buffer.append(utf8: Self.padded("v_Data") + " : ")
            value.withSpan { bytes in
                if value.isShown {
                    buffer.append(utf8: "/")
                    buffer.append(bytes)
                    buffer.append(utf8: "/ ")
                } else {
                    buffer.append(utf8: "not printable ")
                }
                for index in bytes.indices {
                    buffer.append(Self.digits[Int(bytes[index] >> 4)])
                    buffer.append(Self.digits[Int(bytes[index] & 15)])
                }
            }
            buffer.append(utf8: "\n")
        }
    }

    private func json(of item: ItemResponse.Item) -> [(key: String, value: JSONValue)] {
        var members = ItemJSON.attributes(item.attributes, of: item.itemClass)
        members.append(("class", .string(item.itemClass.code)))
        if let bytes = item.referenceBytes { members.append(("v_PersistentRef", .string(Self.base64(bytes)))) }
        if let value = item.attributes.secret(.valueData) { members.append(("v_Data", .bytes(value))) }
        return members.sorted { $0.key < $1.key }
    }

    private func text(of value: AttributeValue, _ attribute: ItemAttribute) -> String {
        switch value {
        case .string(let text): return text
        case .number(let number): return "\(number)"
        case .date(let seconds):
            let text = CalendarDate(secondsSinceReferenceDate: seconds).iso8601
            return text.prefix(19).replacing("T", with: " ") + " +0000"
        case .data(let bytes):
            if attribute.id == .accessControl, let control = AccessControl(bytes) { return control.text }
            let shown = String(validating: bytes, as: UTF8.self).flatMap { DisplayName.shown($0) == $0 ? $0 : nil }
            return (shown.map { "/\($0)/ " } ?? "not printable ") + bytes.upperHex
        }
    }

    private static func padded(_ code: String) -> String {
        code + String(repeating: " ", count: max(0, width - code.count))
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let buffer = SecretBuffer(capacity: 64)
        buffer.append(base64: bytes.span)
        return buffer.withSpan { $0.text(0, $0.count) } ?? ""
    }
}
