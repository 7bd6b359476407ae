package import KeychainModel
import LinuxSystem

/// Which items a transaction changes.
extension StoreWriter {
    /// Notes changes from now on, for ``ChangeLog`` and ``GroupNumbers``. Until somebody asks for them they would cost
    /// each write a third of its statements for nothing.
    package func watchChanges() throws(Refusal) {
        // Nothing is written to another schema, whose tables may be missing.
        guard !changeLog.isKept, foreignObjects == nil else { return }
        try refusing { () throws(DatabaseError) in
            for statement in ChangeTable.creation { try database.execute(statement, "be written") }
        }
        changeLog.keep()
    }

    /// Takes what was changed since the last time, in the open transaction.
    ///
    /// - Parameter areShown: whether programs that show items hear of them after the commit. The programs of a group
    ///   always hear that something in it has changed.
    package func settleChanges(areShown: Bool) throws(Refusal) {
        guard changeLog.isKept else { return }
        let statement = try statement(.readChanges)
        var found = false
        do throws(Refusal) {
            while try statement.next() {
                found = true
                changedGroups.insert(statement.withBlob(2) { $0.array(0, $0.count) })
                guard areShown, let itemClass = ItemClass(rawValue: UInt8(truncatingIfNeeded: statement.integer(0)))
                else { continue }
                changed.append(PersistentReference(itemClass, uuid: statement.withBlob(1) { $0.array(0, $0.count) }))
            }
        } catch {
            statement.reset()
            throw error
        }
        statement.reset()
        if found { try run(.dropChanges) }
    }
}
