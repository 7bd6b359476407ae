import KeychainModel
import KeychainWire
import LinuxSystem

/// An item as `--json` shows it: its class, and all its attributes under the keys a query uses.
enum ItemJSON {
    static func object(_ item: ItemResponse.Item, keychain path: String) -> [(key: String, value: JSONValue)] {
        [
            ("keychain", .string(path)), ("class", .string(item.itemClass.code)),
            ("attributes", .object(attributes(item))),
        ]
    }

    private static func attributes(_ item: ItemResponse.Item) -> [(key: String, value: JSONValue)] {
        AttributeTable.attributes(of: item.itemClass).compactMap { attribute in
            item.attributes[attribute.id].map { (attribute.code, json($0)) }
        }.sorted { $0.0 < $1.0 }
    }

    private static func json(_ value: AttributeValue) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .data(let bytes): .bytes(SecretBytes(copying: bytes.span))
        case .number(let number): .number(number)
        case .date(let seconds): .string(CalendarDate(secondsSinceReferenceDate: seconds).iso8601)
        }
    }
}
