/// The order of a list of items.
enum ItemOrder: String, CaseIterable {
    case name, kind, account, group, changed, created

    init(_ word: String) throws(CommandFailure) {
        guard let order = Self(rawValue: word) else {
            throw .usage("\"\(word)\" is none of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = order
    }

    /// The items in their order; equal ones by name and account, and then as they were.
    func sort(_ items: [ListedItem]) -> [ListedItem] {
        let keyed = items.enumerated().map { index, item in
            (
                item: item, text: sortText(of: item), newest: newest(item),
                name: SearchText("\(item.name)\0\(item.account)"), index
            )
        }
        return keyed.sorted { left, right in
            if left.newest != right.newest { return left.newest > right.newest }
            if !left.text.isEqual(to: right.text) { return left.text < right.text }
            if !left.name.isEqual(to: right.name) { return left.name < right.name }
            return left.4 < right.4
        }.map(\.item)
    }

    private func sortText(of item: ListedItem) -> SearchText {
        switch self {
        case .kind: SearchText(item.kind.rawValue)
        case .account: SearchText(item.account)
        case .group: SearchText(item.group)
        case .name, .changed, .created: SearchText("")
        }
    }

    private func newest(_ item: ListedItem) -> Double {
        switch self {
        case .changed: item.changed ?? -.infinity
        case .created: item.created ?? -.infinity
        case .name, .kind, .account, .group: 0
        }
    }
}
