import LinuxSystem

extension SyncRecord {
    /// The class of shelves. The other classes are those of items.
    package static let shelfClass: UInt8 = 6

    /// Whether merging takes the record: it is a version of an item or of a shelf.
    package var isVersion: Bool { [Kind.item, Kind.tombstone, Kind.shelf].contains(kind) }

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
        default: return (1...4).contains(itemClass) || itemClass == Self.shelfClass
        }
    }

    /// Whether the body is one of the kind, where that is not for others to find out: a shelf's.
    package var hasBodyOfKind: Bool { kind != Kind.shelf || shelf != nil }

    /// The shelf that an opened record has.
    package var shelf: SyncShelf? {
        guard kind == Kind.shelf, !isBoxed else { return nil }
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
