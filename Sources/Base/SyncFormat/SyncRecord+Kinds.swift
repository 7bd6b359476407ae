import KeychainModel
import LinuxSystem

extension SyncRecord {
    /// The class of shelves. The other classes are those of items.
    package static let shelfClass: UInt8 = 6

    /// Whether merging takes the record: it is a version of an item or of a shelf.
    package var isVersion: Bool { [Kind.item, Kind.tombstone, Kind.shelf].contains(kind) }

    package var isShelf: Bool { kind == Kind.shelf }
    package var isDeletedShelf: Bool { kind == Kind.tombstone && itemClass == Self.shelfClass }

    /// That of all tombstones of shelves, which locked machines read: there is nothing in them but an id.
    private static var protectionOfDeleted: UInt8 { Accessibility.afterFirstUnlock.rawValue }

    /// The tombstone of a shelf. Its body has no attributes, and the id as its value.
    package init(deletedShelf id: [UInt8], rid: RecordID = .none, hlc: UInt64) {
        self.init(
            kind: Kind.tombstone, itemClass: Self.shelfClass, protection: Self.protectionOfDeleted, rid: rid, hlc: hlc,
            body: SyncItem(.empty, value: SecretBytes(copying: id.span)).encoded())
    }

    /// What names the shelf of an opened record or of a tombstone, in place of a primary key; nil for what is none.
    package var shelfID: [UInt8]? {
        guard isDeletedShelf else { return shelf?.id }
        guard let item = withBody({ span in try? SyncItem(decoding: span) }), item.previous == nil,
            item.attributes.entries.isEmpty, item.value.count == SyncShelf.idBytes
        else { return nil }
        return item.value.withSpan { $0.array(0, $0.count) }
    }

    /// The smallest version of the format that a reader must know, so that it does not read past the record.
    package var leastVersion: UInt16 {
        isVersion && itemClass == Self.shelfClass ? SyncLimits.shelfVersion : SyncLimits.firstVersion
    }

    /// Whether kind, class, protection and box of a version go together.
    package var isConsistent: Bool {
        guard isVersion, (1...3).contains(protection), isBoxed == needsBox else { return false }
        switch kind {
        case Kind.item: return (1...4).contains(itemClass)
        case Kind.shelf: return itemClass == Self.shelfClass
        default: return (1...4).contains(itemClass) || isDeletedShelf && protection == Self.protectionOfDeleted
        }
    }

    /// Whether the body is one of the kind, where that is not for others to find out: that of a shelf or of its tombstone.
    package var hasBodyOfKind: Bool { isShelf || isDeletedShelf ? shelfID != nil : true }

    /// The shelf that an opened record has.
    package var shelf: SyncShelf? {
        guard isShelf, !isBoxed else { return nil }
        return withBody { span in try? SyncShelf(decoding: span) }
    }

    /// Lends what versions of equal stamps are told apart by: the body, without the key that is sealed for one machine.
    package func withCompared<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        guard let shelf else { return withBody(body) }
        return shelf.compared.withSpan(body)
    }
}

extension Sequence<SyncRecord> {
    /// The smallest version of the format that a reader of all these records must know.
    package var leastVersion: UInt16 { reduce(SyncLimits.firstVersion) { Swift.max($0, $1.leastVersion) } }
}
