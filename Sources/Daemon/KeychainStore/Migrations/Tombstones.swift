import KeychainModel

/// The tombstones of a store that belongs to no circle: nobody is told of what they say.
struct Tombstones {
    private let database: Database
    private let digester: AttributeDigester

    init(_ database: Database, _ digester: AttributeDigester) { (self.database, self.digester) = (database, digester) }

    /// Removes them, in the open transaction. A row that is not as it was written stays: it may have been an item.
    func remove() throws(Refusal) {
        for itemClass in ItemClass.stored {
            let ids = try authentic(of: itemClass)
            try refusing { () throws(DatabaseError) in
                let deletion = try database.prepare("DELETE FROM \(itemClass.code) WHERE id = ?", "be tidied up")
                for id in ids {
                    try deletion.bind(integer: id, at: 1)
                    try deletion.run()
                }
            }
        }
    }

    private func authentic(of itemClass: ItemClass) throws(Refusal) -> [Int64] {
        let columns = Schema.rowColumns(of: itemClass)
        let statement = try refusing { () throws(DatabaseError) in
            try database.prepare("SELECT \(columns) FROM \(itemClass.code) WHERE tomb = 1", "be tidied up")
        }
        var ids: [Int64] = []
        while try statement.next() {
            if try digester.isAuthentic(statement, from: 0, itemClass) { ids.append(statement.integer(0)) }
        }
        return ids
    }
}
