import KeychainModel
import KeychainPolicy
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

    /// The attributes of an item that gives none itself.
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

    /// The attributes in their encoded form, by ascending number; what is returned only when it says something is left
    /// out when it says nothing.
    func encoded() -> AttributeList {
        let buffer = SecretBuffer(capacity: 512)
        for (id, value) in attributes.sorted(by: { $0.key < $1.key }) where isKept(id, value) {
            buffer.append(id, value)
        }
        // The code can parse its own encoding.
        return (try? AttributeList(parsing: buffer.copy())) ?? .empty
    }

    private func isKept(_ id: AttributeID, _ value: AttributeValue) -> Bool {
        guard let attribute = AttributeTable.attribute(id: id) else { return false }
        return attribute.returned != .whenNotEmpty || value != attribute.defaultValue(in: itemClass)
    }
}

extension PlainItem {
    /// The flags that guard the item's value, for its user or for anchored programs; 0 for none.
    ///
    /// A sealed key is guarded by itself, and may be found by anybody who may use it (rule keys.item.free); so may the
    /// public half of a pair whose access control is about using the private one.
    var guardFlags: UInt64 {
        guard sealedKey == nil, let flags = accessFlags, AccessConstraint(flags: flags).isGuard else { return 0 }
        let isPublicHalf = itemClass == .key && attributes[.keyClass]?.number == 0
        return isPublicHalf && AccessConstraint(flags: flags).guardsKeyUse ? 0 : flags
    }

    /// The item's name for a person.
    var displayName: String { encoded().displayName }

    /// Since when it is as it is: microseconds since 2001.
    var modificationMicroseconds: Int64 {
        guard case .date(let date)? = attributes[.modificationDate] else { return .max }
        return HistoryLimits.microseconds(date)
    }

    /// Later than now and than before: modification dates of an item only grow.
    var nextModificationDate: Double {
        guard case .date(let before)? = attributes[.modificationDate] else { return Clock.secondsSinceReferenceDate }
        return max(Clock.secondsSinceReferenceDate, before + 0.001)
    }

    /// The bits of the item's access control.
    var accessFlags: UInt64? {
        guard case .data(let bytes)? = attributes[.accessControl] else { return nil }
        return AccessControl(bytes)?.flags
    }
}

extension PlainItem {
    /// Takes an opened row apart; nil when it keeps a sealed key of a form this release does not know.
    init?(_ list: AttributeList, _ itemClass: ItemClass, uuid: [UInt8]) {
        let none = [AttributeID: AttributeValue](minimumCapacity: AttributeTable.attributes(of: itemClass).count)
        self.init(itemClass: itemClass, uuid: uuid, attributes: none, value: list.secret(.valueData))
        do throws(Refusal) { sealedKey = try list.sealedKey() } catch { return nil }
        for entry in list where entry.id != .valueData && entry.id != .sealedKey {
            attributes[entry.id] = list.value(entry)
        }
    }
}

extension AuthorizedRequest {
    /// The protection class of an item to be added: named, the sealed key's, or that of its class.
    func addedAccessibility() throws(Refusal) -> Accessibility {
        if let named = request.query.accessibility { return named }
        if let key = try request.sealedKey() { return key.binding.accessibility }
        return (request.itemClass ?? .genericPassword).defaultAccessibility
    }
}
