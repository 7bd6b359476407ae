package import KeychainModel
import LinuxSystem

/// Looking at the records of a circle.
extension StoreReader {
    /// Whether other machines have not got the last change of a record; nil where the keychain belongs to no circle.
    ///
    /// - Throws: what SQLite says.
    package func isUnsent(_ primaryKey: Span<UInt8>, of itemClass: ItemClass) throws(Refusal) -> Bool? {
        try refusing { () throws(DatabaseError) in
            guard try database.integer(CircleTables.looking, "be searched") != nil else { return nil }
            let statement = try database.prepare(CircleTables.isMarked, "be searched")
            try statement.bind(integer: Int64(itemClass.rawValue), at: 1)
            statement.bind(blob: primaryKey, at: 2)
            return try statement.step() && statement.integer(0) != 0
        }
    }
}
