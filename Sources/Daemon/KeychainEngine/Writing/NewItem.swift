import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

extension WriteCommand {
    /// The item that an add describes.
    ///
    /// - Throws: `errSecParam` for attributes that contradict each other or the key; what the enclave says of the key.
    func newItem(_ request: AuthorizedRequest, uuid: [UInt8]) throws(Refusal) -> PlainItem {
        let (query, itemClass) = (request.request.query, request.request.itemClass ?? .genericPassword)
        var item = PlainItem(
            itemClass: itemClass, uuid: uuid, attributes: PlainItem.defaults(of: itemClass),
            value: query.secret(.valueData))
        try item.apply(query)
        let now = Clock.secondsSinceReferenceDate
        item.attributes[.creationDate] = .date(now)
        item.attributes[.modificationDate] = .date(now)
        item.attributes[.accessGroup] = .string(request.targetGroup)
        item.sealedKey = try request.request.sealedKey()
        if item.attributes[.accessible] == nil {
            item.attributes[.accessible] = .string(try request.addedAccessibility().code)
        }
        try settleKey(of: &item, isNew: true)
        return item
    }
}

extension ResponseWriter {
    /// Appends an item as an add with return keys gives it back.
    func append(_ item: PlainItem, _ returns: ReturnFlags) {
        guard !returns.isEmpty else { return }
        beginItem(item.itemClass)
        if returns.needAttributes(of: item.itemClass) {
            item.encoded().storage.withSpan { buffer.append($0) }
        }
        if let key = item.sealedKey {
            if returns.contains(.reference) { buffer.append(.sealedKey, .data(key.bytes)) }
        } else if returns.needValue(of: item.itemClass) {
            (item.value ?? SecretBytes(count: 0)).withSpan { buffer.append(.valueData, .data, $0) }
        }
        if returns.contains(.persistentReference),
            let bytes = PersistentReference(item.itemClass, uuid: item.uuid).bytes
        {
            buffer.append(.persistentReference, .data(bytes))
        }
        endItem()
    }
}

extension PlainItem {
    /// Takes over the attributes that a program may set, in the form they are kept in.
    mutating func apply(_ list: AttributeList) throws(Refusal) {
        for entry in list {
            guard let attribute = AttributeTable.attribute(id: entry.id), attribute.setBy == .program else { continue }
            guard let value = list.value(entry) else { throw .notUTF8(attribute) }
            switch attribute.id {
            case .accessible:
                attributes[.accessible] = value
                attributes[.accessControl] = nil
            case .accessControl:
                attributes[.accessible] = list.accessibility.map { .string($0.code) }
                // One that came with another item says no more than the class.
                attributes[.accessControl] = list.accessControl?.flags == nil ? nil : value
            // "Any" is for searching; an item is one or the other (rules items.add.rules, items.add.any).
            case .synchronizable:
                if let number = value.number { attributes[.synchronizable] = .number(number == 0 ? 0 : 1) }
            default: attributes[attribute.id] = value
            }
        }
    }

    /// A warning to the caller about an item that was stored nevertheless.
    var notice: Refusal? {
        if isSynchronizable, accessibility.isThisDeviceOnly {
            return Refusal(
                .success, .contradiction, "sync",
                "The item is marked for all devices, but its protection class ties it to this one.",
                do: "Use a protection class without ThisDeviceOnly; as it is, the item is never synchronised.")
        }
        if accessibility.isDiscouraged, itemClass != .certificate {
            return Refusal(
                .success, .wrongValue, "pdmn", "Items of the class Always can be read while the device is locked.",
                do: "Use kSecAttrAccessibleAfterFirstUnlock for what is needed in the background.")
        }
        return nil
    }
}

extension Refusal {
    static func notUTF8(_ attribute: ItemAttribute) -> Refusal {
        Refusal(
            .param, .wrongValue, attribute.code, "\(attribute.displayName) is a string that is not UTF-8.",
            do: "Give it as data.")
    }
}
