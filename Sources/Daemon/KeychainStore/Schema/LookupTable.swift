import KeychainModel

/// The names and values by which programs of the Secret Service search (`satt`): a row for each pair of an item, by its
/// digest. A search by any of them looks at the rows that have the rarest pair, also in a large store.
///
/// A store of any version may have the table; it is made with the first item that has such attributes. The trigger ends
/// the pairs of an item with its row. A release that does not know it writes nothing to the store, so that no pair is
/// ever missing. Pairs that an item no longer has do no harm: what is found is compared when it is open.
enum LookupTable {
    static let creation = [
        """
        CREATE TABLE IF NOT EXISTS lookup (digest BLOB NOT NULL, item INTEGER NOT NULL, \
        PRIMARY KEY (digest, item), UNIQUE (item, digest)) WITHOUT ROWID
        """,
        """
        CREATE TRIGGER IF NOT EXISTS lookup_goes AFTER DELETE ON genp BEGIN \
        DELETE FROM lookup WHERE item = OLD.id; END
        """,
    ]
    /// As the schema has them.
    static var triggers: [String] {
        creation.dropFirst().map { $0.replacing("IF NOT EXISTS ", with: "", maxReplacements: 1) }
    }

    static let looking = "SELECT 1 FROM sqlite_schema WHERE name = 'lookup'"

    /// The class that has such attributes.
    static let itemClass = LookupAttributes.itemClass

    static let insertion = "INSERT OR IGNORE INTO lookup (digest, item) VALUES (?, ?)"
    static let deletion = "DELETE FROM lookup WHERE item = ?"

    /// How many items have a pair; more than a few are not counted.
    static let count = "SELECT count(*) FROM (SELECT 1 FROM lookup WHERE digest = ? LIMIT 64)"

    /// The condition on a row that has pairs.
    static let anyPair = "id IN (SELECT item FROM lookup)"

    /// Conditions on a row that has so many pairs, the rarest first.
    static func conditions(_ count: Int) -> [String] {
        (0..<count).map { index in
            index == 0
                ? "id IN (SELECT item FROM lookup WHERE digest = ?)"
                : "EXISTS (SELECT 1 FROM lookup WHERE digest = ? AND item = \(itemClass.code).id)"
        }
    }
}
