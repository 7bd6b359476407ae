import KeychainModel
package import KeychainWire
import LinuxSystem

/// The items that were changed last, for programs that show them. It names items and says nothing else of them.
package final class ChangeLog: Sendable {
    private struct State {
        /// The number of the first entry. Another daemon begins with another, so that no number fits two of them.
        var first = UInt64(clamping: Clock.realtimeNanoseconds / 1000)
        var entries: [PersistentReference] = []
        var isKept = false

        var next: UInt64 { first + UInt64(entries.count) }
    }

    private let state = Lock(State())

    /// So many are kept at least. A program that has missed more reads everything again.
    package static let capacity = 1024

    /// Whether somebody has asked, so that the writer notes what it changes.
    package var isKept: Bool { state.withLock { $0.isKept } }

    func keep() { state.withLock { $0.isKept = true } }

    /// Notes what a transaction has changed, after its commit.
    func append(contentsOf items: [PersistentReference]) {
        guard !items.isEmpty else { return }
        state.withLock { state in
            state.entries += items
            guard state.entries.count > 2 * Self.capacity else { return }
            let excess = state.entries.count - Self.capacity
            state.entries.removeFirst(excess)
            state.first += UInt64(excess)
        }
    }

    /// The items that have changed since a number, each once; the largest number asks where to begin.
    package func page(after number: UInt64) -> ChangePage {
        state.withLock { state in
            if number == .max { return ChangePage(next: state.next) }
            guard (state.first...state.next).contains(number) else { return ChangePage(next: state.next, state: .lost) }
            let changed = Set(state.entries[Int(number - state.first)...])
            return ChangePage(next: state.next, items: Array(changed))
        }
    }
}
