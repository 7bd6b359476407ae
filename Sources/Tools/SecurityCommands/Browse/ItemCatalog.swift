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
    }

    /// A page of the list of titles.
    struct Group: Equatable {
        let title: String
        let count: Int
    }

    private(set) var items: [ListedItem] = []
    private(set) var deleted: [ListedItem] = []
    /// The items that are shown, in their order.
    private(set) var shown: [ListedItem] = []
    private(set) var scope = Scope()
    private(set) var order = ItemOrder.name
    private(set) var isReversed = false
    /// The words that were typed.
    private(set) var search = ""
    /// Why the words cannot be read; the items are those of the words before.
    private(set) var problem: String?
    /// The selected place among the items shown.
    private(set) var place = 0
    private(set) var groups: [Group] = []
    var own: OwnGroups
    private var filter: ItemFilter?
    /// Counted when the items or the keychain change: each drawing asks for them.
    private var counts: [ListedItem.Kind: Int] = [:]

    init(own: OwnGroups = OwnGroups(groups: [], program: "")) { self.own = own }

    /// The selected item; nil in an empty list.
    var selected: ListedItem? { shown.indices.contains(place) ? shown[place] : nil }

    /// How many items of a kind the chosen keychain has; nil means all kinds. A certificate with its key counts once.
    func count(of kind: ListedItem.Kind?) -> Int {
        guard let kind else { return counts.filter { $0.key != .identity }.values.reduce(0, +) }
        return kind == .deleted ? deleted.count : counts[kind] ?? 0
    }
}

/// Changes of what is shown. The selection stays at its item where that is still shown.
extension ItemCatalog {
    mutating func replace(items new: [ListedItem]) {
        items = order.sort(new)
        countItems()
        refresh()
    }

    mutating func replace(deleted new: [ListedItem]) {
        deleted = order.sort(new)
        refresh()
    }

    /// Forgets all items.
    mutating func clear() {
        (items, deleted, shown, groups, counts, place) = ([], [], [], [], [:], 0)
    }

    mutating func narrow(to new: Scope) {
        let isElsewhere = scope.keychain != new.keychain
        scope = new
        if isElsewhere { countItems() }
        refresh()
    }

    mutating func sort(by new: ItemOrder, reversed: Bool) {
        (order, isReversed) = (new, reversed)
        (items, deleted) = (order.sort(items), order.sort(deleted))
        refresh()
    }

    /// Narrows the list by words and filters, as `security list` does.
    mutating func look(for words: String, now: Double) {
        search = words
        let arguments = words.split(separator: " ").map { Argument(String($0)) }
        do throws(CommandFailure) {
            filter = arguments.isEmpty ? nil : try ItemFilter(arguments, now: now)
            problem = nil
        } catch { problem = error.message ?? "" }
        refresh(now: now)
    }

    mutating func select(_ new: Int) { place = max(0, min(new, shown.count - 1)) }

    mutating func select(_ item: ListedItem) {
        if let index = shown.firstIndex(where: { $0.isSame(as: item) }) { place = index }
    }

    private mutating func refresh(now: Double = 0) {
        let before = selected
        let all = scope.kind == .deleted ? deleted : items
        let fitting = all.filter { isInScope($0) && filter?.matches($0, own, now: now) ?? true }
        shown = isReversed ? fitting.reversed() : fitting
        select(place)
        if let before { select(before) }
    }

    private func isInScope(_ item: ListedItem) -> Bool {
        if let keychain = scope.keychain, item.keychain != keychain { return false }
        if let group = scope.group, own.title(of: item.group) != group { return false }
        // An identity is a certificate with its key: it is shown where identities are asked for.
        guard let kind = scope.kind else { return item.kind != .identity }
        return item.kind == kind
    }

    private mutating func countItems() {
        var byTitle: [String: Int] = [:]
        counts = [:]
        for item in items where scope.keychain.map({ $0 == item.keychain }) ?? true {
            counts[item.kind, default: 0] += 1
            if item.kind != .identity { byTitle[own.title(of: item.group), default: 0] += 1 }
        }
        groups = byTitle.map { Group(title: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.title) < ($0.count, $1.title) }
    }
}
