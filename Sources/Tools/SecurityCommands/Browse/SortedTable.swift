import KeychainClient

/// A table with the orders of its items that were asked for.
struct SortedTable {
    private(set) var table: ItemTable
    private var orders: [ItemOrder: [UInt32]]

    init(_ table: ItemTable = ItemTable()) {
        self.table = table
        orders = [.name: table.sorted(by: .name)]
    }

    /// The numbers of the items in an order.
    mutating func numbers(by order: ItemOrder) -> [UInt32] {
        if let known = orders[order] { return known }
        let sorted = table.sorted(by: order, names: orders[.name] ?? [])
        orders = orders.filter { $0.key == .name }
        orders[order] = sorted
        return sorted
    }

    /// Takes what has changed: items that are gone or have another version, and new versions.
    mutating func replace(_ gone: [UInt32], with new: [ListedItem]) {
        gone.forEach { table.remove($0) }
        guard !table.isSparse else {
            var kept = table.compacted()
            new.forEach { kept.append($0) }
            return self = SortedTable(kept)
        }
        var names = (orders.removeValue(forKey: .name) ?? []).filter { !table.isGone($0) }
        for item in new {
            let number = table.append(item)
            names.insert(number, at: table.place(of: number, in: names))
        }
        orders = [.name: names]
    }
}
