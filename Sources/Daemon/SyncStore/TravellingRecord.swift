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

    /// A shelf of the keychain under a stamp.
    init(_ shelf: CircleShelf, rid: RecordID = .none, hlc: UInt64) {
        let body = SyncShelf(
            id: shelf.id, made: shelf.made, name: shelf.name, commitment: shelf.commitment, key: shelf.key)
        self.init(body, rid: rid, hlc: hlc)
    }

    /// The shelf that an opened record has; nil when it is none that may travel.
    var travellingShelf: CircleShelf? {
        guard let shelf else { return nil }
        return CircleShelf(
            id: shelf.id, key: shelf.key, name: shelf.name, made: shelf.made, commitment: shelf.commitment)
    }

    /// The item that an opened record has; nil when it is none that may travel, or its head says something else.
    package var item: CircleItem? {
        guard !isBoxed, !isShelf, let itemClass = ItemClass(rawValue: itemClass), ItemClass.stored.contains(itemClass),
            let body = withBody({ try? SyncItem(decoding: $0) }),
            let item = CircleItem(itemClass, body.attributes, value: body.value),
            item.accessibility.rawValue == protection, item.isTombstone == (kind == Kind.tombstone)
        else { return nil }
        return item
    }

    /// The bytes whose HMAC under the record key names the record; nil for what is no item that may travel.
    package var named: SecretBytes? {
        let message = SecretBuffer(capacity: 256)
        if let shelfID {
            message.append(itemClass)
            message.append(shelfID.bytes.span)
            return message.finish()
        }
        guard let item else { return nil }
        AttributeDigester.append(primaryKeyOf: item.itemClass, item.attributes, to: message)
        return message.finish()
    }
}
