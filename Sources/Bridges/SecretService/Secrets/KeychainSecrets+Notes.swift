import KeychainModel
import KeychainWire

/// Items and collections that an import has added: each has a comment, by which it is taken back.
extension KeychainSecrets {
    /// Deletes the items with a comment that nobody has changed since they were added.
    ///
    /// - Returns: how many, and how many stay.
    func deleteUnchanged(withNote note: String) throws(Refusal) -> (deleted: Int, changed: Int) {
        let items = try noted(note, service: nil).compactMap(item)
        let unchanged = items.filter { $0.created == $0.modified }
        for item in unchanged { try delete(item.reference) }
        try deleteUnchangedMasters(withNote: note)
        return (unchanged.count, items.count - unchanged.count)
    }

    /// Deletes the collections with a comment that have no item, and that nobody has given another label or alias. The
    /// one that always exists keeps its record.
    ///
    /// - Returns: how many.
    func deleteEmptyCollections(withNote note: String) throws(Refusal) -> Int {
        var deleted = 0
        for record in try noted(note, service: Self.service) {
            guard let name = record.attributes[.account]?.string, let reference = record.reference,
                name != SecretCollection.login, record.date(.creationDate) == record.date(.modificationDate),
                try names(in: name, atMost: 1).isEmpty
            else { continue }
            try delete(reference)
            deleted += 1
        }
        return deleted
    }

    func noted(_ note: String, service: String?) throws(Refusal) -> [ItemResponse.Item] {
        try send(
            try search(service: service) { (builder: inout ItemRequestBuilder) throws(Refusal) in
                try builder.set("icmt", .string(note))
                for key in ["r_Attributes", "r_PersistentRef"] { try builder.set(key, .boolean(true)) }
            })
    }
}
