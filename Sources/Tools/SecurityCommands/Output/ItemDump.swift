import KeychainModel
import KeychainWire
import LinuxSystem

/// An item as `find-…-password` and `dump-keychain` print it, byte for byte as macOS's command does (rule
/// command.dump.layout).
enum ItemDump {
    static func append(_ item: ItemResponse.Item, keychain path: String, to buffer: SecretBuffer) {
        buffer.append(utf8: "keychain: \(path.quoted)\nversion: 512\nclass: ")
        buffer.append(cell: record(of: item).span)
        buffer.append(utf8: "\nattributes:\n")
        for column in DumpLayout.columns(of: item.itemClass) { append(column, of: item, to: buffer) }
    }

    private static func append(_ column: DumpLayout.Column, of item: ItemResponse.Item, to buffer: SecretBuffer) {
        buffer.append(utf8: "    \(column.tag)<\(column.type.rawValue)>=")
        if let bytes = bytes(of: column, in: item) {
            buffer.append(cell: bytes.span)
        } else {
            buffer.append(utf8: "<NULL>")
        }
        buffer.append(utf8: "\n")
    }

    private static func bytes(of column: DumpLayout.Column, in item: ItemResponse.Item) -> [UInt8]? {
        if column.id == .keyClass { return record(of: item) }
        guard let value = item.attributes[column.id], !isMissing(value, column.id) else { return nil }
        switch value {
        case .string(let text): return Array(text.utf8)
        case .data(let bytes): return bytes
        case .number(let number): return UInt32(truncatingIfNeeded: number).bigEndianBytes
        case .date(let seconds): return Array("\(CalendarDate(secondsSinceReferenceDate: seconds).compact)\0".utf8)
        }
    }

    /// An identifying attribute that was not given is empty here (rule command.dump.absent), and absent in macOS's
    /// files.
    private static func isMissing(_ value: AttributeValue, _ id: AttributeID) -> Bool {
        guard case .emptyString? = AttributeTable.attribute(id: id)?.missing else { return false }
        return value.bytes.isEmpty
    }

    /// The class as macOS's keychain files name it: four characters or a number.
    private static func record(of item: ItemResponse.Item) -> [UInt8] {
        switch item.itemClass {
        case .genericPassword, .internetPassword, .identity: Array(item.itemClass.code.utf8)
        case .certificate: UInt32(0x8000_1000).bigEndianBytes
        case .key: keyRecord(item.attributes[.keyClass]?.number).bigEndianBytes
        }
    }

    private static func keyRecord(_ keyClass: Int64?) -> UInt32 {
        switch keyClass {
        case 1: 0x10
        case 2: 0x11
        default: 0x0F
        }
    }
}

extension UInt32 {
    fileprivate var bigEndianBytes: [UInt8] { littleEndianBytes.reversed() }
}
