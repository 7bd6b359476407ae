import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// The rows of the last list at each terminal, so that a person can name an item by the number of its row.
///
/// They are in memory alone, and gone when the keychain is locked.
final class ListedRows: Sendable {
    /// A session at a terminal: another login at the same terminal has rows of its own.
    struct Place: Hashable, Sendable {
        let user: UInt32
        let session: TerminalSession
    }

    private struct Rows {
        let rows: [ListedRow]
        /// The number of the device's state in which they were shown.
        let epoch: UInt32
    }

    private struct State {
        var rows: [Place: Rows] = [:]
        /// The places in the order of their last list.
        var order: [Place] = []
    }

    /// As many terminals of a user have rows; of more, those whose last list is the oldest have none.
    static let mostPlaces = 16
    private let state = Lock(State())

    /// Keeps the rows of a list in place of those before.
    func keep(_ rows: [ListedRow], at place: Place, in epoch: UInt32) {
        state.withLock { state in
            state.order.removeAll { $0 == place }
            state.order.append(place)
            state.rows[place] = Rows(rows: rows, epoch: epoch)
            let places = state.order.filter { $0.user == place.user }
            guard places.count > Self.mostPlaces else { return }
            state.order.removeAll { $0 == places[0] }
            state.rows[places[0]] = nil
        }
    }

    /// A row by its number, counted from 1; nil where there is none.
    func row(_ number: UInt32, at place: Place, in epoch: UInt32) -> ListedRow? {
        state.withLock { state in
            guard let kept = state.rows[place] else { return nil }
            guard kept.epoch == epoch else {
                state.rows[place] = nil
                state.order.removeAll { $0 == place }
                return nil
            }
            guard number > 0, Int(number) <= kept.rows.count else { return nil }
            return kept.rows[Int(number) - 1]
        }
    }
}

extension KeychainEngine {
    /// Keeps the rows that the keychain's own command has shown at its terminal.
    ///
    /// - Throws: `errSecMissingEntitlement` for every other program; `errSecParam` (`rows.no-terminal`) without a
    ///   terminal.
    func keep(_ shown: [ListedRow], for caller: CallerIdentity) throws(Refusal) {
        rows.keep(shown, at: try place(of: caller), in: enclave.epoch.value)
    }

    /// The row with a number of the last list at the caller's terminal.
    ///
    /// - Throws: as ``keep(_:for:)``; `errSecItemNotFound` (`rows.none`) when there is none.
    func row(_ number: UInt32, for caller: CallerIdentity) throws(Refusal) -> ListedRow {
        guard let row = rows.row(number, at: try place(of: caller), in: enclave.epoch.value) else {
            throw .noSuchRow(number)
        }
        return row
    }

    private func place(of caller: CallerIdentity) throws(Refusal) -> ListedRows.Place {
        try AccessPolicy.requireInspector(caller)
        guard let session = TerminalSession(of: caller.process) else { throw .noTerminal }
        return ListedRows.Place(user: caller.user, session: session)
    }
}

extension Refusal {
    fileprivate static let noTerminal = Refusal(
        .param, .rowsWithoutTerminal, "row", "The program has no terminal, and so no list to take a row of.",
        do: "Name the item by its words or its reference.")

    fileprivate static func noSuchRow(_ number: UInt32) -> Refusal {
        Refusal(
            .itemNotFound, .noSuchRow, "row",
            "The last `security list` on this terminal has no row \(number), or the keychain was locked since.",
            do: "List the items again: security list")
    }
}
