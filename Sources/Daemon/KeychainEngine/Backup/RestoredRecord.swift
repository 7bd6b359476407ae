import KeychainBackup
import KeychainModel
import KeychainWire
import LinuxSystem

/// The item of a record. Anybody who knows a backup's passphrase can have made it. So it is checked as a program's
/// request is.
extension BackupRecord {
    /// - Throws: `errSecParam` for what no item is, or for one that does not leave its device.
    func item() throws(Refusal) -> PlainItem {
        guard list.encodedCount <= BackupRecord.most, let item = PlainItem(list, itemClass, uuid: uuid),
            item.sealedKey == nil
        else { throw .noItem("a key of another enclave") }
        for entry in list where entry.id != .valueData { try Self.check(entry, list, itemClass) }
        try Self.check(item)
        return item
    }

    private static func check(
        _ entry: AttributeList.Entry, _ list: AttributeList, _ itemClass: ItemClass
    ) throws(Refusal) {
        guard let attribute = AttributeTable.attribute(id: entry.id), attribute.classes.contains(itemClass),
            attribute.kind.takes(entry.kind), let value = list.value(entry)
        else { throw .noItem("an attribute that the class does not have") }
        if case .date(let date) = value, !date.isFinite { throw .noItem("a date that is none") }
    }

    private static func check(_ item: PlainItem) throws(Refusal) {
        guard let code = item.attributes[.accessible]?.string, let accessibility = Accessibility(code: code),
            !accessibility.isThisDeviceOnly
        else { throw .noItem("a protection class that does not leave its device") }
        if case .data(let bytes)? = item.attributes[.accessControl] {
            guard AccessControl(bytes)?.accessibility == accessibility else { throw .noItem("an access control") }
        }
        let group = item.attributes[.accessGroup]?.string ?? ""
        guard !group.isEmpty, group != AccessGroup.any, group != AccessGroup.token else {
            throw .noItem("a group that nobody writes to")
        }
        guard case .date? = item.attributes[.modificationDate], !item.isTombstone else {
            throw .noItem("no modification date")
        }
        guard item.value?.count ?? 0 <= ItemLimits.valueBytes else { throw .noItem("too large a value") }
    }
}

extension ItemAttribute.Kind {
    /// Whether an item can have a value of this kind.
    func takes(_ kind: AttributeValue.Kind) -> Bool {
        switch self {
        case .blob: kind != .date
        case .string: kind == .string || kind == .data
        case .data: kind == .data
        case .number: kind == .number || kind == .string
        case .date: kind == .date
        case .accessControl: kind == .data
        }
    }
}

extension Refusal {
    fileprivate static func noItem(_ what: String) -> Refusal {
        Refusal(
            .param, .wrongValue, "backup", "The record of the backup is not that of an item: \(what).",
            do: "Use a backup that `security backup` has made; the other items of this one are taken.")
    }
}
