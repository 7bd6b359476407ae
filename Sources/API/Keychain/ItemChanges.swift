internal import Foundation
internal import Security

/// What has happened to the items of a query.
public enum ItemChange<Item: KeychainItem>: Hashable, Sendable {
    /// An item is there that was not; without its value.
    case added(Item)
    /// An item is another than it was; without its value.
    case changed(Item)
    /// An item is no longer there; what it was.
    case removed(Item)
}

extension KeychainQuery {
    /// What happens to the items that match from now on, whoever does it: this program, or another of its group.
    ///
    ///     for await change in query.changes() { reload() }
    ///
    /// The keychain is asked again and again, so that what comes and goes between two looks is not seen, and several
    /// changes of one item are one. While it is locked, or cannot be reached, nothing is reported; afterwards, what has
    /// happened meanwhile. The sequence ends with the task that reads it.
    ///
    /// - Parameter interval: how long to wait between two looks.
    public func changes(checkedEvery interval: Duration = .seconds(1)) -> AsyncStream<ItemChange<Item>> {
        // What is there now counts, not what is there when the task gets its turn.
        let first = try? look()
        return AsyncStream { continuation in
            let task = Task {
                var known = first
                while !Task.isCancelled {
                    try? await Task.sleep(for: interval)
                    guard let now = try? await withoutBlocking({ () throws(KeychainError) in try look() }) else {
                        continue
                    }
                    for change in Self.difference(from: known ?? now, to: now) { continuation.yield(change) }
                    known = now
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func look() throws(KeychainError) -> [Data: Item] {
        Dictionary(
            try withoutAsking().all().compactMap { item in item.record.map { ($0.persistentReference, item) } },
            uniquingKeysWith: { $1 })
    }

    private static func difference(from old: [Data: Item], to new: [Data: Item]) -> [ItemChange<Item>] {
        let arrived = new.compactMap { reference, item -> ItemChange<Item>? in
            guard let before = old[reference] else { return .added(item) }
            return before.record == item.record ? nil : .changed(item)
        }
        let gone = old.filter { new[$0.key] == nil }.map { ItemChange.removed($0.value) }
        return gone + arrived
    }
}
