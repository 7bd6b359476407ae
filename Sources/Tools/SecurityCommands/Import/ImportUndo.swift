import KeychainModel
import KeychainWire

/// `import-from --undo csv`: deletes what imports from there have added and nobody has changed since. The history keeps
/// it: the file that it came from may be gone by then.
enum ImportUndo {
    private static let call = "import-from"

    static func delete(from source: LoginSource, in session: Session) throws(CommandFailure) {
        var (deleted, changed) = (0, 0)
        for itemClass in [ItemClass.internetPassword, .genericPassword] {
            for item in try imported(itemClass, source, session) {
                guard item.attributes[.creationDate] == item.attributes[.modificationDate] else {
                    changed += 1
                    continue
                }
                try delete(item, session)
                deleted += 1
            }
        }
        if session.writesJSON {
            return session.output.write(
                .object([("deleted", .number(Int64(deleted))), ("changed", .number(Int64(changed)))]))
        }
        session.output.write(
            session.text("\(deleted) imported items were deleted; \(changed) were changed since, and stay.") + "\n")
    }

    private static func delete(_ item: ItemResponse.Item, _ session: Session) throws(CommandFailure) {
        _ = try session.send(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.delete)
            try builder.set("v_PersistentRef", item.reference)
            return try builder.build()
        }
    }

    private static func imported(
        _ itemClass: ItemClass, _ source: LoginSource, _ session: Session
    ) throws(CommandFailure) -> [ItemResponse.Item] {
        try session.items(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.copyMatching)
            try builder.set("class", .string(itemClass.code))
            try builder.set("desc", .string(source.kind))
            try builder.set("m_Limit", .string("m_LimitAll"))
            for key in ["r_Attributes", "r_PersistentRef"] { try builder.set(key, .boolean(true)) }
            return try builder.build()
        }
    }
}
