package import KeychainModel
package import LinuxSystem

/// An item, or its tombstone, as it travels between the machines of a circle: without UUID, owner and user.
///
/// It holds that the item may travel. Members of a circle can be in wrong hands, so what comes is checked as a
/// program's request is.
package struct CircleItem: Sendable {
    package let itemClass: ItemClass
    package let attributes: AttributeList
    package let value: SecretBytes
    package let accessibility: Accessibility
    package let isTombstone: Bool

    /// Takes what another machine has sent.
    ///
    /// - Returns: nil for what is no item that may travel, and for a list that this release would write in another way.
    package init?(_ itemClass: ItemClass, _ attributes: AttributeList, value: SecretBytes) {
        guard let item = PlainItem(attributes, itemClass, uuid: []), item.value == nil,
            value.count <= ItemLimits.valueBytes, attributes.isOfItem(itemClass),
            item.encoded().isEqual(to: attributes)
        else { return nil }
        self.init(item, value: value)
    }

    /// - Returns: nil for an item that stays on its machine.
    init?(_ item: PlainItem, value: SecretBytes) {
        guard item.staying == nil, !item.isTombstone || value.count == 0 else { return nil }
        (itemClass, attributes, self.value) = (item.itemClass, item.encoded(), value)
        (accessibility, isTombstone) = (item.accessibility, item.isTombstone)
    }

    /// The item under a UUID of this keychain.
    func plainItem(uuid: [UInt8]) -> PlainItem? {
        guard var item = PlainItem(attributes, itemClass, uuid: uuid) else { return nil }
        item.value = isTombstone ? nil : value
        return item
    }

    /// When it was changed, in microseconds since 1970, as far as that is one of a record's times.
    package var modified: UInt64 {
        guard case .date(let date)? = attributes[.modificationDate] else { return 1 }
        let microseconds = ((date + Self.epoch) * 1_000_000).rounded()
        return UInt64(exactly: min(max(microseconds, 1), Self.lastTime)) ?? 1
    }

    /// Whether both have the same value and the same attributes but for their dates.
    func isSame(as other: CircleItem) -> Bool {
        guard itemClass == other.itemClass, isTombstone == other.isTombstone, value.isEqual(to: other.value),
            var plain = other.plainItem(uuid: [])
        else { return false }
        for date in [AttributeID.creationDate, .modificationDate] { plain.attributes[date] = attributes[date] }
        return plain.encoded().isEqual(to: attributes)
    }

    /// The seconds from 1970 to 2001.
    private static let epoch = 978_307_200.0
    private static let lastTime = 9e15
}

extension AttributeList {
    /// Whether each entry is an attribute that items of a class have, of its kind.
    fileprivate func isOfItem(_ itemClass: ItemClass) -> Bool {
        entries.allSatisfy { entry in
            guard let attribute = AttributeTable.attribute(id: entry.id), attribute.classes.contains(itemClass),
                attribute.kind.takes(entry.kind), let value = value(entry)
            else { return false }
            if case .date(let date) = value { return date.isFinite }
            return true
        }
    }

    fileprivate func isEqual(to other: AttributeList) -> Bool {
        withEncoded { mine in other.withEncoded { theirs in mine.isEqual(to: theirs) } }
    }
}
