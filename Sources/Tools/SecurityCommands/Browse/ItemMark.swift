/// An item as effects and forms name it: two are equal when they are the same item of the same keychain.
struct ItemMark: Equatable {
    let item: ListedItem
    init(_ item: ListedItem) { self.item = item }
    static func == (left: Self, right: Self) -> Bool { left.item.isSame(as: right.item) }
}
