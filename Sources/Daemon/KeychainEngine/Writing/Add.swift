import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// `SecItemAdd` (rules items.add.rules, items.add.any).
extension ItemWriter {
    func add(_ request: AuthorizedRequest, _ write: PendingWrite) throws(Refusal) {
        guard request.parts.isEmpty else { return try addIdentity(request, write) }
        let rowKey = rowKeys.take(for: try request.addedAccessibility())
        let gate = write.gate ?? plainGate
        var item = try newItem(request, uuid: rowKey?.uuid ?? Randomness.bytes(RowKeyRecord.rowBytes), past: gate)
        if request.request.updatesExisting, let changed = try updateTwin(of: item, request, past: gate) {
            item = changed
        } else {
            try put(try seal(item, with: rowKey, past: gate, request.request.authenticationUI), at: nil)
        }
        write.writer.begin(id: write.id, notice: item.notice)
        answer(item, request.request.returns, into: write.writer)
        write.writer.end()
    }

    func newItem(_ request: AuthorizedRequest, uuid: [UInt8], past gate: AccessControlGate) throws(Refusal) -> PlainItem
    {
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
        try settleKey(of: &item, isNew: true, past: gate, request)
        return item
    }

    /// The item as an add with return keys gives it back.
    func answer(_ item: PlainItem, _ returns: ReturnFlags, into writer: ResponseWriter) {
        guard !returns.isEmpty else { return }
        writer.beginItem(item.itemClass)
        if returns.needAttributes(of: item.itemClass) {
            item.encoded().storage.withSpan { writer.buffer.append($0) }
        }
        if let key = item.sealedKey {
            if returns.contains(.reference) { writer.buffer.append(.sealedKey, .data(key.bytes)) }
        } else if returns.needValue(of: item.itemClass) {
            (item.value ?? SecretBytes(count: 0)).withSpan { writer.buffer.append(.valueData, .data, $0) }
        }
        if returns.contains(.persistentReference),
            let bytes = PersistentReference(item.itemClass, uuid: item.uuid).bytes
        {
            writer.buffer.append(.persistentReference, .data(bytes))
        }
        writer.endItem()
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
