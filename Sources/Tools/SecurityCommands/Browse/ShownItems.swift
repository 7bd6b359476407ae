/// The items that a list shows, in its order. Each is read from the table when it is asked for.
struct ShownItems: RandomAccessCollection {
    private let table: ItemTable
    private let numbers: [UInt32]

    init(_ table: ItemTable, _ numbers: [UInt32]) { (self.table, self.numbers) = (table, numbers) }

    var startIndex: Int { 0 }
    var endIndex: Int { numbers.count }
    subscript(index: Int) -> ListedItem { table[numbers[index]] }
}
