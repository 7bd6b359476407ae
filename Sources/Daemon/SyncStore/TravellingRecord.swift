package import KeychainEngine
import KeychainModel
import KeychainStore
package import LinuxSystem
package import SyncFormat

extension SyncRecord {
    /// An item of the keychain, or its tombstone, under a stamp.
    ///
    /// - Parameter ties: what the store notes of those before it.
    init(_ item: CircleItem, rid: RecordID = .none, hlc: UInt64, _ ties: SyncItem.Ties) {
        let ties = item.isTombstone ? SyncItem.Ties(base: ties.base) : ties
        self.init(
            kind: item.isTombstone ? Kind.tombstone : Kind.item, itemClass: item.itemClass.rawValue,
            protection: item.accessibility.rawValue, rid: rid, hlc: hlc,
            body: SyncItem(item.attributes, ties, value: item.value).encoded())
    }

    /// The item that an opened record has; nil when it is none that may travel, or its head says something else.
    package var item: CircleItem? {
        guard !isBoxed, let itemClass = ItemClass(rawValue: itemClass), ItemClass.stored.contains(itemClass),
            let body = withBody({ try? SyncItem(decoding: $0) }),
            let item = CircleItem(itemClass, body.attributes, value: body.value),
            item.accessibility.rawValue == protection, item.isTombstone == (kind == Kind.tombstone)
        else { return nil }
        return item
    }

    /// The bytes whose HMAC under the record key names the record; nil for what is no item that may travel.
    package var named: SecretBytes? {
        guard let item else { return nil }
        let message = SecretBuffer(capacity: 256)
        AttributeDigester.append(primaryKeyOf: item.itemClass, item.attributes, to: message)
        return message.finish()
    }
}
