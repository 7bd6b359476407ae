/// Sorting: an order is a rank for each row, and rows of the same rank stay in the order that they had.
extension ItemTable {
    /// The numbers of the items in an order; equal ones by name and account, and then as they came.
    func sorted(by order: ItemOrder) -> [UInt32] {
        sorted(by: order, names: arranged(arranged(places, by: ranks(for: .account)), by: ranks(for: .name)))
    }

    /// The same, when the order by name is known.
    func sorted(by order: ItemOrder, names: [UInt32]) -> [UInt32] {
        order == .name ? names : arranged(names, by: ranks(for: order))
    }

    /// The rows by their ranks.
    private func arranged(_ rows: [UInt32], by ranks: [UInt32]) -> [UInt32] {
        var places = [Int](repeating: 0, count: Int(ranks.max() ?? 0) + 2)
        for row in rows { places[Int(ranks[Int(row)]) + 1] += 1 }
        for rank in places.indices.dropFirst() { places[rank] += places[rank - 1] }
        var arranged = rows
        for row in rows {
            let rank = Int(ranks[Int(row)])
            arranged[places[rank]] = row
            places[rank] += 1
        }
        return arranged
    }

    private func ranks(for order: ItemOrder) -> [UInt32] {
        switch order {
        case .name: textRanks(name)
        case .account: textRanks(account)
        case .kind: kindRanks()
        case .group: groupRanks()
        case .changed: momentRanks(changed)
        case .created: momentRanks(created)
        }
    }

    private func kindRanks() -> [UInt32] {
        let ranks = Self.ranks(of: ListedItem.Kind.allCases.map(\.rawValue))
        let kinds = Dictionary(uniqueKeysWithValues: zip(ListedItem.Kind.allCases, ranks))
        return numbers.map { kinds[kind(of: $0)] ?? 0 }
    }

    private func groupRanks() -> [UInt32] {
        let ranks = Self.ranks(of: groups)
        return numbers.map { ranks[group(of: $0)] }
    }

    private static func ranks(of texts: [String]) -> [UInt32] {
        let texts = texts.map { SearchText($0).bytes }
        let ranks = TextRanks(of: texts.indices.map(UInt32.init)) { row, offset in
            let text = texts[Int(row)]
            return text.sortKey(of: text.indices, from: offset)
        }
        return ranks.ranks(count: texts.count)
    }

    private func textRanks(_ text: (UInt32) -> Range<Int>) -> [UInt32] {
        let ranks = TextRanks(of: places) { row, offset in sortKey(of: text(row), from: offset) }
        return ranks.ranks(count: numbers.count)
    }

    /// The newest first. Most rows come in the order of their making, which is quickly sorted.
    private func momentRanks(_ moment: (UInt32) -> Double) -> [UInt32] {
        let sorted = numbers.reversed().map { (moment: moment($0), row: $0) }.sorted { $0.moment > $1.moment }
        var ranks = [UInt32](repeating: 0, count: sorted.count)
        var (rank, before) = (UInt32(0), Double.infinity)
        for (moment, row) in sorted {
            if moment != before { rank += 1 }
            (ranks[Int(row)], before) = (rank, moment)
        }
        return ranks
    }

    /// Where a new row goes in the order by name.
    func place(of number: UInt32, in names: [UInt32]) -> Int {
        var (low, high) = (0, names.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(names[middle], number) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func isBefore(_ left: UInt32, _ right: UInt32) -> Bool {
        for part in [name, account] {
            if let isBefore = isBefore(part(left), part(right)) { return isBefore }
        }
        return left < right
    }
}
