import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// An item in the clear, on its way into a row or out of one to be changed.
struct PlainItem {
    let itemClass: ItemClass
    let uuid: [UInt8]
    var attributes: [AttributeID: AttributeValue]
    var value: SecretBytes?
    /// The key that is kept in place of a value; then there is none.
    var sealedKey: SealedKey?

    /// The protection class the attributes name.
    var accessibility: Accessibility {
        attributes[.accessible]?.string.flatMap(Accessibility.init(code:)) ?? itemClass.defaultAccessibility
    }
    var isSynchronizable: Bool { attributes[.synchronizable]?.number ?? 0 != 0 }
    var isTombstone: Bool { attributes[.tombstone]?.number ?? 0 != 0 }

    /// What an item has that says nothing of itself.
    static func defaults(of itemClass: ItemClass) -> [AttributeID: AttributeValue] {
        defaults[Int(itemClass.rawValue) - 1]
    }

    /// With room for what else an item has, so that no add has to make it.
    private static let defaults = ItemClass.allCases.map { itemClass in
        let attributes = AttributeTable.attributes(of: itemClass)
        var values = [AttributeID: AttributeValue](minimumCapacity: attributes.count)
        for attribute in attributes { values[attribute.id] = attribute.defaultValue(in: itemClass) }
        return values
    }

    /// The attributes in their encoded form, by ascending number; what is returned only when it says something is left out
    /// when it says nothing.
    func encoded() -> AttributeList {
        let buffer = SecretBuffer(capacity: 512)
        for (id, value) in attributes.sorted(by: { $0.key < $1.key }) where isKept(id, value) {
            buffer.append(id, value)
        }
        // What this code encodes it can parse.
        return (try? AttributeList(parsing: buffer.copy())) ?? .empty
    }

    private func isKept(_ id: AttributeID, _ value: AttributeValue) -> Bool {
        guard let attribute = AttributeTable.attribute(id: id) else { return false }
        return attribute.returned != .whenNotEmpty || value != attribute.defaultValue(in: itemClass)
    }
}
