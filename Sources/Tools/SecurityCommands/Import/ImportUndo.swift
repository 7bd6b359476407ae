import KeychainModel
import KeychainWire

/// `import-from --undo csv`: deletes what imports have added and nobody has changed since.
enum ImportUndo {
    private static let call = "import-from"

    static func delete(in session: Session) throws(CommandFailure) {
        var (deleted, changed) = (0, 0)
        for itemClass in [ItemClass.internetPassword, .genericPassword] {
            for item in try imported(itemClass, session) {
                guard item.attributes[.creationDate] == item.attributes[.modificationDate] else {
                    changed += 1
                    continue
                }
                try StoredLogin.delete(item, session)
                deleted += 1
            }
        }
        session.output.write(
            session.text("\(deleted) imported items were deleted; \(changed) were changed since, and stay.") + "\n")
    }

    private static func imported(
        _ itemClass: ItemClass, _ session: Session
    ) throws(CommandFailure) -> [ItemResponse.Item] {
        do throws(CommandFailure) {
            return try session.sendAll(call) { () throws(Refusal) in
                var builder = ItemRequestBuilder(.copyMatching)
                try builder.set("class", .string(itemClass.code))
                try builder.set("desc", .string(ImportedLogin.kind))
                try builder.set("m_Limit", .string("m_LimitAll"))
                for key in ["r_Attributes", "r_PersistentRef"] { try builder.set(key, .boolean(true)) }
                return try builder.build()
            }.items
        } catch {
            guard error.isStatus(.itemNotFound) else { throw error }
            return []
        }
    }
}
