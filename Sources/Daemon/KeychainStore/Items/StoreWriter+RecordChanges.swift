package import KeychainModel

extension StoreWriter {
    /// The records that have changed since a moment, in the open transaction. There is one list: of two who ask in
    /// turns, each has to read everything.
    ///
    /// - Parameter moment: nil for somebody who has read nothing.
    /// - Returns: nil for the places where any record may have changed, also by another process; and the moment now.
    package func recordsChanged(
        since moment: RecordMoment?
    ) throws(Refusal) -> (places: Set<RecordPlace>?, now: RecordMoment) {
        let statement = try statement(.dataVersion)
        defer { statement.reset() }
        guard try statement.next() else { throw .noDataVersion }
        return records.take(since: moment, version: statement.integer(0))
    }

    /// Notices what other processes have written, of which nobody knows the groups: each group has another number then.
    package func noteForeignChanges() throws(Refusal) {
        let statement = try statement(.dataVersion)
        defer { statement.reset() }
        guard try statement.next() else { throw .noDataVersion }
        groupNumbers.note(version: statement.integer(0))
    }

    /// Runs `body` in one transaction, as ``transaction(by:_:)``. One that has written no row ends without a
    /// commit, as if it had not been: to look costs no write.
    package func transactionIfNeeded<Result>(_ body: () throws(Refusal) -> Result) throws(Refusal) -> Result {
        var (result, hasWritten): (Result?, Bool) = (nil, true)
        do throws(Refusal) {
            try transaction { () throws(Refusal) in
                let before = database.rowsWritten
                let found = try body()
                (result, hasWritten) = (found, database.rowsWritten != before)
                if !hasWritten { throw .nothingDone }
            }
        } catch { guard !hasWritten else { throw error } }
        guard let result else { throw .nothingDone }
        return result
    }
}

extension Refusal {
    fileprivate static let nothingDone = Refusal(
        .internalError, .internalError, "store", "The transaction ended without a result.",
        do: "Try again; the store was not changed.")

    fileprivate static let noDataVersion = Refusal(
        .internalError, .internalError, "store", "SQLite does not say whether others have changed the store.",
        do: "Report this as a bug.")
}
