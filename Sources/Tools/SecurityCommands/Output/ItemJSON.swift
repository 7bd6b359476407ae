import KeychainModel
import KeychainWire
import LinuxSystem

extension ItemResponse.Item {
    /// Its group is that of one executable, which no signature and no entitlement vouches for (rule
    /// command.dump.unsigned).
    var isOfUnsignedProgram: Bool { attributes[.accessGroup]?.string.map(AccessGroup.isOfUnsigned) ?? false }
}

/// An item as `--json` shows it: its class, and all its attributes under the keys a query uses.
enum ItemJSON {
    static func object(_ item: ItemResponse.Item, keychain path: String) -> [(key: String, value: JSONValue)] {
        [
            ("keychain", .string(path)), ("class", .string(item.itemClass.code)),
            ("unsigned", .boolean(item.isOfUnsignedProgram)),
            ("attributes", .object(attributes(item.attributes, of: item.itemClass))),
        ]
    }

    static func attributes(_ list: AttributeList, of itemClass: ItemClass) -> [(key: String, value: JSONValue)] {
        AttributeTable.attributes(of: itemClass).compactMap { attribute in
            list[attribute.id].map { (attribute.code, json(of: $0)) }
        }.sorted { $0.0 < $1.0 }
    }

    private static func json(of value: AttributeValue) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .data(let bytes): .bytes(SecretBytes(copying: bytes.span))
        case .number(let number): .number(number)
        case .date(let seconds): .string(CalendarDate(secondsSinceReferenceDate: seconds).iso8601)
        }
    }
}
