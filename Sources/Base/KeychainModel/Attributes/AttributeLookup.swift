/// Indexes of the table for fast lookups.
extension AttributeTable {
    private static let byID: [ItemAttribute?] = {
        let count = (rows.map(\.id.rawValue).max() ?? 0) + 1
        var table: [ItemAttribute?] = Array(repeating: nil, count: Int(count))
        for row in rows where row.id != .restricted { table[Int(row.id.rawValue)] = row }
        return table
    }()
    private static let byConstant = Dictionary(
        uniqueKeysWithValues: rows.flatMap { row in row.constants.map { ($0, row) } })

    /// The attribute with this number; nil for an unused number.
    package static func attribute(id: AttributeID) -> ItemAttribute? {
        Int(id.rawValue) < byID.count ? byID[Int(id.rawValue)] : nil
    }

    /// The attribute whose constant has this name.
    package static func attribute(constant: String) -> ItemAttribute? { byConstant[constant] }

    /// The attributes that satisfy the predicate.
    package static func set(where holds: (ItemAttribute) -> Bool) -> AttributeSet {
        rows.filter(holds).reduce(0) { $0 | $1.id.bit }
    }

    private static let memberships = ItemClass.allCases.map { itemClass in
        rows.filter { row in
            row.id != .restricted
                && (itemClass == .identity
                    ? row.classes.contains(.certificate) || row.classes.contains(.key)
                    : row.classes.contains(itemClass))
        }
    }

    /// The attributes of a class, in the order of the table. An identity has those of certificates and keys.
    package static func attributes(of itemClass: ItemClass) -> [ItemAttribute] {
        memberships[Int(itemClass.rawValue) - 1]
    }

    private static let indexedRows = ItemClass.allCases.map { itemClass in
        let indexes = itemClass == .identity ? [.certificate, .key] : [itemClass]
        let indexed = Set(indexes.flatMap { $0.indexes.joined() })
        return attributes(of: itemClass).filter { indexed.contains($0.id) }
    }

    /// The attributes of a class that have a column, in the order of the table.
    package static func indexed(of itemClass: ItemClass) -> [ItemAttribute] {
        indexedRows[Int(itemClass.rawValue) - 1]
    }

    /// The attributes that a search compares, as a set of ``AttributeID/bit``. Other rules check the access group, and
    /// whether items are synchronised or tombstones.
    package static let compared = set {
        $0.search != .none && ![.accessGroup, .synchronizable, .tombstone].contains($0.id)
    }

    private static let primaryKeys = ItemClass.allCases.map { itemClass in
        rows.filter { $0.keyIn.contains(itemClass) }.sorted { $0.id < $1.id }
    }

    /// The attributes that together make an item of the class unique, by ascending number (rule
    /// items.primary-key.attributes).
    package static func primaryKey(of itemClass: ItemClass) -> [ItemAttribute] {
        primaryKeys[Int(itemClass.rawValue) - 1]
    }
}

extension ItemAttribute {
    /// The half of an identity that the attribute applies to: the certificate where both have it.
    package var identityClass: ItemClass { classes.contains(.certificate) ? .certificate : .key }

    /// Whether items of the class have the attribute.
    package func belongs(to itemClass: ItemClass) -> Bool {
        itemClass == .identity
            ? classes.contains(.certificate) || classes.contains(.key) : classes.contains(itemClass)
    }
}
