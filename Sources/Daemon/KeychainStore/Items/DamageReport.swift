import LinuxSystem

/// Which rows were found not to be as they were written; each is told once. Shared by all connections of an
/// ``ItemStore``.
package final class DamageReport: Sendable {
    private struct State {
        var known: Set<Row> = []
        var tell: (@Sendable (String) -> Void)?
    }

    private struct Row: Hashable {
        let table: String
        let id: Int64
    }

    /// Of more rows nobody is told: then it is the whole store that needs to be looked at.
    private static let most = 100
    private let state = Lock(State())

    /// Has each row told to somebody, as a line without names or values.
    package func tell(_ body: @escaping @Sendable (String) -> Void) { state.withLock { $0.tell = body } }

    func note(_ id: Int64, of table: String) {
        let tell = state.withLock { state -> (@Sendable (String) -> Void)? in
            guard state.known.count < Self.most,
                state.known.insert(Row(table: table, id: id)).inserted
            else { return nil }
            return state.tell
        }
        tell?(
            "Row \(id) of \(table) is not as it was written and is hidden. "
                + "Run `security verify-keychain`; if the item is needed, \(StoreFile.restoringSnapshot).")
    }
}
