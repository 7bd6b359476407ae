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
