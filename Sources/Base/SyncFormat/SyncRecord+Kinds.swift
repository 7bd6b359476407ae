package import KeychainModel
import LinuxSystem

extension SyncRecord {
    /// The protection of all records of shelves. Theirs is in the shelf's key.
    private static var shelfProtection: UInt8 { Accessibility.afterFirstUnlock.rawValue }

    /// Whether merging takes the record: it is a version of an item or of a shelf.
    package var isVersion: Bool { [Kind.item, Kind.tombstone, Kind.shelf].contains(kind) }

    package var isShelf: Bool { kind == Kind.shelf }
    package var isDeletedShelf: Bool { kind == Kind.tombstone && itemClass == ShelfID.classNumber }
    /// Whether it is of a shelf: an unlocked machine alone can look at the shelf that it meets.
    package var isOfShelf: Bool { isShelf || isDeletedShelf }

    /// A shelf under a stamp.
    package init(_ shelf: SyncShelf, rid: RecordID = .none, hlc: UInt64) {
        self.init(shelfOfKind: Kind.shelf, rid, hlc, shelf.encoded())
    }

    /// The tombstone of a shelf. Its body has no attributes, and the id as its value.
    package init(deletedShelf id: ShelfID, rid: RecordID = .none, hlc: UInt64) {
        let body = SyncItem(.empty, value: SecretBytes(copying: id.bytes.span)).encoded()
        self.init(shelfOfKind: Kind.tombstone, rid, hlc, body)
    }

    /// A shelf, or the tombstone of one, whose body was left in the store.
    package init(bareShelf isTombstone: Bool, rid: RecordID, hlc: UInt64) {
        self.init(shelfOfKind: isTombstone ? Kind.tombstone : Kind.shelf, rid, hlc, SecretBytes(count: 0))
    }

    private init(shelfOfKind kind: UInt8, _ rid: RecordID, _ hlc: UInt64, _ body: SecretBytes) {
        self.init(
            kind: kind, itemClass: ShelfID.classNumber, protection: Self.shelfProtection, rid: rid, hlc: hlc, body: body
        )
    }

    /// The name of the shelf of an opened record or of a tombstone, in place of a primary key; nil for what is none.
    package var shelfID: ShelfID? {
        guard isDeletedShelf else { return shelf?.id }
        guard let item = withBody({ span in try? SyncItem(decoding: span) }), item.ties == .none,
            item.attributes.entries.isEmpty, let id = item.value.withSpan({ ShelfID($0) }), id != .zero
        else { return nil }
        return id
    }

    /// The shelf that an opened record has.
    package var shelf: SyncShelf? {
        guard isShelf, !isBoxed else { return nil }
        return withBody { span in try? SyncShelf(decoding: span) }
    }

    /// The smallest version of the format that a reader must know, so that it does not read past the record.
    package var leastVersion: UInt16 {
        isOfShelf ? SyncLimits.shelfVersion : SyncLimits.firstVersion
    }

    /// Whether kind, class, protection and box of a version go together.
    package var isConsistent: Bool {
        guard isVersion, isBoxed == needsBox else { return false }
        guard isOfShelf else { return (1...4).contains(itemClass) && (1...3).contains(protection) }
        return itemClass == ShelfID.classNumber && protection == Self.shelfProtection
    }

    /// Whether the body is one of the kind, where that is not for others to find out: that of a shelf or of its
    /// tombstone.
    package var hasBodyOfKind: Bool { isOfShelf ? shelfID != nil : true }

    /// Lends what versions of equal stamps are told apart by: the body, and of a shelf what is the same everywhere.
    package func withCompared<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        guard let shelf else { return withBody(body) }
        let compared = shelf.compared
        return body(compared.span)
    }

    /// Whether both have a shelf, and another one: who has one of two must not get the keys of the other in its place.
    package func isOtherShelf(than other: SyncRecord) -> Bool {
        guard let shelf, let other = other.shelf else { return false }
        return shelf.compared != other.compared
    }
}

extension Sequence<SyncRecord> {
    /// The smallest version of the format that a reader of all these records must know.
    package var leastVersion: UInt16 { reduce(SyncLimits.firstVersion) { Swift.max($0, $1.leastVersion) } }
}
