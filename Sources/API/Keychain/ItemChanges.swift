internal import Foundation
internal import Security

/// A change of the items of a query.
public enum ItemChange<Item: KeychainItem>: Hashable, Sendable {
    /// A new item, without its value.
    case added(Item)
    /// A changed item, without its value.
    case changed(Item)
    /// A deleted item, as it was.
    case removed(Item)
}

extension KeychainQuery {
    /// Reports changes of the matching items from now on, by this program or another of its group.
    ///
    ///     for await change in query.changes() { reload() }
    ///
    /// The sequence asks the keychain repeatedly. It does not see items that come and go between two requests, and
    /// reports several changes of one item as one. While the keychain is locked or unreachable it reports nothing;
    /// afterwards it reports the changes of that time. The sequence ends with the task that reads it.
    ///
    /// - Parameter interval: the time between two requests.
    public func changes(checkedEvery interval: Duration = .seconds(1)) -> AsyncStream<ItemChange<Item>> {
        // The present items count, not those at the time when the task starts to run.
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
