import CommandOptions
import KeychainClient

/// The items that the viewer has read: which of them are shown, in which order, and which one is selected. No value is
/// among them.
struct ItemCatalog {
    /// The part of the keychain that is shown.
    struct Scope: Equatable {
        var keychain: ChosenKeychain?
        var kind: ListedItem.Kind?
        /// The title of a group, as ``OwnGroups`` shows it.
        var group: String?

        /// Whether an item is of the keychain and of the kind.
        fileprivate func has(_ number: UInt32, of table: ItemTable) -> Bool {
            if let keychain, table.keychain(of: number) != keychain { return false }
            // An identity is a certificate with its key: it is shown where identities are asked for.
            guard let kind else { return table.kind(of: number) != .identity }
            return table.kind(of: number) == kind
        }
    }

    /// A page of the list of titles.
    struct Group: Equatable {
        let title: String
        let count: Int
    }

    private var kept = SortedTable()
    private var removed = SortedTable()
    /// The numbers of the items that are shown, in their order.
    private var numbers: [UInt32] = []
    private(set) var scope = Scope()
    private(set) var order = ItemOrder.name
    private(set) var isReversed = false
    /// The words that were typed.
    private(set) var search = ""
    /// Why the words cannot be read; the items are those of the words before.
    private(set) var problem: String?
    /// A sentence about words that look like filters and are none.
    var filterHint: Words? { filter?.hint }
    /// The selected place among the items shown.
    private(set) var place = 0
    private(set) var groups: [Group] = []
    var own: OwnGroups
    private var filter: ItemFilter?
    /// The moment at which the words were typed, in seconds since 2001: what had expired then.
    private var now = 0.0
    /// Counted when the items or the keychain change: each drawing asks for them.
    private var counts: [ListedItem.Kind: Int] = [:]

    init(own: OwnGroups = OwnGroups(groups: [], program: "")) { self.own = own }

    var deleted: ItemTable { removed.table }
    /// Whether nothing was read.
    var isEmpty: Bool { kept.table.count == 0 }
    private var table: ItemTable { scope.kind == .deleted ? removed.table : kept.table }

    /// The items that are shown, in their order.
    var shown: ShownItems { ShownItems(table, numbers) }

    /// The selected item; nil in an empty list.
    var selected: ListedItem? { numbers.indices.contains(place) ? table[numbers[place]] : nil }

    /// How many items of a kind the chosen keychain has; nil means all kinds. A certificate with its key counts once.
    func count(of kind: ListedItem.Kind?) -> Int {
        guard let kind else { return counts.filter { $0.key != .identity }.values.reduce(0, +) }
        return kind == .deleted ? removed.table.count : counts[kind] ?? 0
    }
}

/// Changes of what is shown. The selection stays at its item where that is still shown.
extension ItemCatalog {
    mutating func replace(items new: ItemTable) {
        changing {
            $0.kept = SortedTable(new)
            $0.countItems()
        }
    }

    mutating func replace(deleted new: ItemTable) { changing { $0.removed = SortedTable(new) } }

    /// Takes what has changed in a keychain.
    ///
    /// - Parameters:
    ///   - gone: the lasting names of items that are gone or have a new version.
    ///   - new: the new versions, and new items.
    mutating func replace(_ gone: Set<[UInt8]>, in keychain: ChosenKeychain, with new: [ListedItem]) {
        changing {
            $0.kept.replace($0.kept.table.numbers(of: gone, in: keychain), with: new)
            $0.countItems()
        }
    }

    /// The lasting names of a keychain's items of a kind.
    func references(of kind: ListedItem.Kind, in keychain: ChosenKeychain) -> Set<[UInt8]> {
        let table = kept.table
        return Set(
            table.places.filter { table.kind(of: $0) == kind && table.keychain(of: $0) == keychain }
                .map { table[$0].reference })
    }

    /// Forgets all items.
    mutating func clear() {
        (kept, removed, numbers, groups, counts, place) = (SortedTable(), SortedTable(), [], [], [:], 0)
    }

    /// Changes the items, and finds the selected one again.
    private mutating func changing(_ body: (inout ItemCatalog) -> Void) {
        let before = selected
        body(&self)
        refresh()
        if let before { select(before) }
    }

    mutating func narrow(to new: Scope) {
        let isElsewhere = scope.keychain != new.keychain
        let change = { (catalog: inout ItemCatalog) in
            catalog.scope = new
            if isElsewhere { catalog.countItems() }
        }
        // Deleted items have a table of their own.
        if (scope.kind == .deleted) == (new.kind == .deleted) { keeping(change) } else { changing(change) }
    }

    mutating func sort(by new: ItemOrder, reversed: Bool) {
        keeping { ($0.order, $0.isReversed) = (new, reversed) }
    }

    /// Narrows the list by words and filters, as `security list` does.
    mutating func look(for words: String, now: Double) {
        search = words
        let arguments = words.split(separator: " ").map { Argument(String($0)) }
        do throws(CommandFailure) {
            let new = arguments.isEmpty ? nil : try ItemFilter(arguments, now: now)
            problem = nil
            keeping { ($0.filter, $0.now) = (new, now) }
        } catch { problem = error.message ?? "" }
    }

    mutating func select(_ new: Int) { place = Swift.max(0, Swift.min(new, numbers.count - 1)) }

    mutating func select(_ item: ListedItem) {
        let table = table
        let found = table.numbers(of: [item.reference], in: item.keychain)
        guard let number = found.first(where: { table.kind(of: $0) == item.kind }) else { return }
        if let index = numbers.firstIndex(of: number) { place = index }
    }

    /// Changes how the same items are shown, and finds the selected one again.
    private mutating func keeping(_ body: (inout ItemCatalog) -> Void) {
        let before = numbers.indices.contains(place) ? numbers[place] : nil
        body(&self)
        refresh()
        if let index = before.flatMap({ numbers.firstIndex(of: $0) }) { place = index }
    }

    private mutating func refresh() {
        let ordered = scope.kind == .deleted ? removed.numbers(by: order) : kept.numbers(by: order)
        let isShown = rowsToShow()
        numbers = ordered.filter { isShown[Int($0)] }
        if isReversed { numbers.reverse() }
        select(place)
    }

    /// Which rows are shown. They are looked at as they lie in memory: in the order of the list, most of the time of a
    /// search is spent waiting for the next row.
    private func rowsToShow() -> [Bool] {
        let (table, filter, scope, now) = (table, filter, scope, now)
        let groups = table.groups.map(isGroupInScope)
        return table.numbers.map { number in
            groups[table.group(of: number)] && scope.has(number, of: table)
                && filter?.matches(table.searched(number), now: now) ?? true
        }
    }

    private func isGroupInScope(_ group: String) -> Bool {
        if let wanted = scope.group, own.title(of: group) != wanted { return false }
        return filter?.isMet(by: group, own) ?? true
    }

    private mutating func countItems() {
        let table = kept.table
        var byGroup = [Int](repeating: 0, count: table.groups.count)
        counts = [:]
        for number in table.places where scope.keychain.map({ $0 == table.keychain(of: number) }) ?? true {
            counts[table.kind(of: number), default: 0] += 1
            if table.kind(of: number) != .identity { byGroup[table.group(of: number)] += 1 }
        }
        var byTitle: [String: Int] = [:]
        for (group, count) in byGroup.enumerated() where count > 0 {
            byTitle[own.title(of: table.groups[group]), default: 0] += count
        }
        groups = byTitle.map { Group(title: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.title) < ($0.count, $1.title) }
    }
}
