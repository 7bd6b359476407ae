import KeychainClient
import TerminalScreen

/// The keys of the list.
extension Browser {
    mutating func takeList(_ event: InputEvent) -> [Effect] {
        guard case .key(let key) = event else { return [] }
        if move(key) { return [] }
        switch key {
        case .tab, .backTab, .left: leaveList(key)
        case .escape: widen()
        case .character("s"): catalog.sort(by: catalog.order.next, reversed: false)
        case .character("S"): catalog.sort(by: catalog.order, reversed: !catalog.isReversed)
        case .character(let digit) where ("1"..."7").contains(digit): return showCategory(digit)
        default: return takeCommon(key, catalog.selected)
        }
        return []
    }

    /// The keys that mean the same in the list and in the screen of an item.
    mutating func takeCommon(_ key: InputEvent.Key, _ item: ListedItem?) -> [Effect] {
        switch key {
        case .character("q"): return [.quit]
        case .character("?"): layers.append(.help)
        case .character("/"): beginSearch()
        case .character("R"): return [.reload]
        case .character("L"): return [.lock]
        case .character("a"):
            let form = EditForm(nil, in: scope.keychain ?? usualKeychain, of: keychains)
            layers.append(.form(form))
        case .character("u"): return undo(item)
        default: return item.map { act(key, $0) } ?? []
        }
        return []
    }

    private mutating func act(_ key: InputEvent.Key, _ item: ListedItem) -> [Effect] {
        if case .character(let letter) = key, let obstacle = obstacle(letter, item) {
            note = obstacle
            return []
        }
        switch key {
        case .enter, .right, .character(" "): return open(item, .attributes)
        case .character("x") where item.hasCertificate:
            layers.append(.export(ItemMark(item), TextField(CertificateExport.fileName(of: item))))
        case .character("v") where item.hasCertificate: return open(item, .trust)
        case .character("h"): return open(item, .history)
        case .character("w"): return open(item, .access)
        case .character("r"): return reveal(item)
        case .character("c"): return [.copy(ItemMark(item))]
        case .character("y"): return [.copyReference(ItemMark(item))]
        case .character("e"): return edit(item)
        case .character("d"): ask(.delete, item)
        case .character("D"): ask(.purge, item)
        default: break
        }
        return []
    }

    /// Why a letter does nothing with an item; nil where it does.
    private func obstacle(_ letter: Character, _ item: ListedItem) -> Words? {
        let isPassword = item.kind == .password || item.kind == .internet
        if "rced".contains(letter), item.kind == .deleted { return "The item is deleted. u brings it back." }
        if "rce".contains(letter), !isPassword {
            return item.hasCertificate
                ? "A certificate has no value to show. x exports it, v checks its trust."
                : "The value of a key is not shown, and it is not edited here."
        }
        if !catalog.own.have(item.group) {
            if "edD".contains(letter) { return "This item belongs to another program; only that program changes it." }
            if "rc".contains(letter) { return "This value belongs to another program; only that program reads it." }
        }
        if "dD".contains(letter), item.kind == .identity {
            return "Its certificate and its key are deleted one by one."
        }
        return nil
    }

    /// Waits for a value in the screen of its item.
    private mutating func reveal(_ item: ListedItem) -> [Effect] {
        let effects = open(item, .attributes)
        change(item) { $0.secret = .asking }
        return effects + [.reveal(ItemMark(item))]
    }

    private mutating func ask(_ act: BrowseQuestion.Act, _ item: ListedItem) {
        layers.append(.question(BrowseQuestion(act: act, item: ItemMark(item))))
    }

    /// Shows an item in place of the one that is shown.
    mutating func open(_ item: ListedItem, _ page: ItemDetail.Page) -> [Effect] {
        if case .detail(var detail)? = layers.last, detail.item.isSame(as: item) {
            detail.page = page
            layers[layers.count - 1] = .detail(detail)
            return detail.effects
        }
        let detail = ItemDetail(item, page: page)
        layers.append(.detail(detail))
        return detail.effects
    }

    private mutating func edit(_ item: ListedItem) -> [Effect] {
        let name = item.kind == .internet ? "srvr" : "svce"
        let texts = ["labl": item.label, "agrp": item.group, "acct": item.account, name: item.name]
        layers.append(.form(EditForm(item, values: texts)))
        return [.readItem(ItemMark(item))]
    }

    /// Brings the selected item or the open one back where it is deleted, and else the one that was deleted last.
    private mutating func undo(_ item: ListedItem?) -> [Effect] {
        guard let item = item?.kind == .deleted ? item : lastDeleted else {
            note = "u brings back the last deletion. Older ones are under Deleted (7)."
            return []
        }
        return [.restore(ItemMark(item))]
    }

    private var scope: ItemCatalog.Scope { catalog.scope }

    /// Looks through the list, from the screen of an item too.
    private mutating func beginSearch() {
        catalog.look(for: "", now: 0)
        layers = [.search(TextField())]
        pane = .list
    }

    /// Goes to the sidebar; where there is no room for it, Tab narrows the list to one keychain after the other.
    private mutating func leaveList(_ key: InputEvent.Key) {
        if size.hasSidebar {
            pane = .sidebar
        } else if key != .left, keychains.count > 1 {
            let all = [nil] + keychains.map(Optional.some)
            let place = (all.firstIndex(of: scope.keychain) ?? 0) + (key == .tab ? 1 : -1) + all.count
            catalog.narrow(to: .init(keychain: all[place % all.count]))
        }
    }

    /// Takes back what the list is narrowed by: the words and the category first, then the keychain.
    private mutating func widen() {
        let narrowed = ItemCatalog.Scope(keychain: scope.keychain)
        let isNarrow = !catalog.search.isEmpty || scope != narrowed
        catalog.look(for: "", now: 0)
        catalog.narrow(to: isNarrow ? narrowed : .init())
    }

    /// - Returns: whether the key moves the selection.
    private mutating func move(_ key: InputEvent.Key) -> Bool {
        let page = max(1, size.rows - 6)
        switch key {
        case .up, .character("k"): catalog.select(catalog.place - 1)
        case .down, .character("j"): catalog.select(catalog.place + 1)
        case .pageUp: catalog.select(catalog.place - page)
        case .pageDown: catalog.select(catalog.place + page)
        case .home, .character("g"): catalog.select(0)
        case .end, .character("G"): catalog.select(Int.max)
        default: return false
        }
        return true
    }

    /// Shows the category of a digit.
    mutating func showCategory(_ digit: Character) -> [Effect] {
        let kinds = SidebarEntry.kinds
        guard let number = digit.wholeNumberValue, kinds.indices.contains(number - 1) else { return [] }
        return show(entry: .category(kinds[number - 1]))
    }
}

/// The keys of the sidebar.
extension Browser {
    /// The lines of the sidebar.
    var sidebar: [SidebarEntry] { SidebarEntry.all(keychains, catalog) }

    mutating func takeSidebar(_ event: InputEvent) -> [Effect] {
        guard case .key(let key) = event else { return [] }
        let entries = sidebar
        switch key {
        case .up, .character("k"): return moveSidebar(to: sidebarPlace - 1, entries)
        case .down, .character("j"): return moveSidebar(to: sidebarPlace + 1, entries)
        case .home: return moveSidebar(to: 0, entries)
        case .end: return moveSidebar(to: entries.count - 1, entries)
        case .tab, .backTab, .right, .enter, .escape:
            pane = .list
            return []
        default: return takeList(event)
        }
    }

    private mutating func moveSidebar(to place: Int, _ entries: [SidebarEntry]) -> [Effect] {
        sidebarPlace = max(0, min(place, entries.count - 1))
        return entries.indices.contains(sidebarPlace) ? show(entry: entries[sidebarPlace]) : []
    }

    /// Shows what a line of the sidebar is about.
    mutating func show(entry: SidebarEntry) -> [Effect] {
        var scope = catalog.scope
        switch entry {
        case .keychain(let keychain): scope = .init(keychain: keychain == scope.keychain ? nil : keychain)
        case .category(let kind): (scope.kind, scope.group) = (kind, nil)
        case .group(let title): (scope.kind, scope.group) = (nil, title)
        }
        catalog.narrow(to: scope)
        return scope.kind == .deleted ? [.readDeleted] : []
    }
}

/// The keys of what lies on the list.
extension Browser {
    mutating func takeSearch(_ field: TextField, _ event: InputEvent, _ now: Double) -> [Effect] {
        var field = field
        switch event {
        case .key(.escape):
            layers.removeLast()
            catalog.look(for: "", now: now)
        case .key(.enter), .key(.down), .key(.tab): layers.removeLast()
        default:
            guard field.take(event: event) else { return [] }
            layers[layers.count - 1] = .search(field)
            catalog.look(for: field.text, now: now)
        }
        return []
    }

    mutating func takeDetail(_ detail: ItemDetail, _ event: InputEvent) -> [Effect] {
        guard case .key(let key) = event else { return [] }
        var detail = detail
        switch key {
        // The same key that opened it closes it.
        case .escape, .left, .backspace, .character(" "): layers.removeLast()
        case .tab, .backTab:
            return open(detail.item, detail.page(after: key == .tab ? 1 : -1))
        case .character("u") where detail.selectedChange != nil && detail.item.kind != .deleted:
            if let change = detail.selectedChange { ask(.revert(change), detail.item) }
        case _ where selectChange(in: &detail, key): layers[layers.count - 1] = .detail(detail)
        default:
            guard let line = scroll(of: detail, key) else { return takeCommon(key, detail.item) }
            detail.scroll = line
            layers[layers.count - 1] = .detail(detail)
        }
        return []
    }

    /// Moves among the changes of an item.
    ///
    /// - Returns: whether the key does that here.
    private func selectChange(in detail: inout ItemDetail, _ key: InputEvent.Key) -> Bool {
        guard detail.selectedChange != nil, let last = detail.history?.indices.last else { return false }
        switch key {
        case .up, .character("k"): detail.version = max(0, detail.version - 1)
        case .down, .character("j"): detail.version = min(last, detail.version + 1)
        case .home, .pageUp, .character("g"): detail.version = 0
        case .end, .pageDown, .character("G"): detail.version = last
        default: return false
        }
        return true
    }

    /// The first line that the screen of an item shows after a key; nil for a key that does not scroll.
    private func scroll(of detail: ItemDetail, _ key: InputEvent.Key) -> Int? {
        // The screen says it when it is drawn.
        let last = min(lastScroll, 1_000_000)
        let (here, page) = (min(detail.scroll, last), max(1, size.rows - 8))
        switch key {
        case .up, .character("k"): return max(0, here - 1)
        case .down, .character("j"): return min(last, here + 1)
        case .pageUp: return max(0, here - page)
        case .pageDown: return min(last, here + page)
        case .home, .character("g"): return 0
        case .end, .character("G"): return last
        default: return nil
        }
    }

    mutating func takeHelp(_ event: InputEvent) -> [Effect] {
        switch event {
        case .key(.down), .key(.character("j")): helpPlace = min(helpPlace + 1, lastScroll)
        case .key(.up), .key(.character("k")): helpPlace = max(0, helpPlace - 1)
        case .key(.pageDown): helpPlace = min(helpPlace + max(1, size.rows - 4), lastScroll)
        case .key(.pageUp): helpPlace = max(0, helpPlace - max(1, size.rows - 4))
        default:
            helpPlace = 0
            return takeFailure(event)
        }
        return []
    }

    mutating func takeFailure(_ event: InputEvent) -> [Effect] {
        if case .key = event { layers.removeLast() }
        return []
    }

    mutating func takeLocked(_ event: InputEvent) -> [Effect] {
        switch event {
        case .key(.enter): return [.unlock]
        case .key(.character("q")), .key(.escape): return [.quit]
        case .key(.character("R")): return [.reload]
        case .key(.tab): return turn(by: 1)
        case .key(.backTab): return turn(by: -1)
        case .key(.character("?")): layers.append(.help)
        default: break
        }
        return []
    }

    /// Goes to another keychain, which may be open.
    private mutating func turn(by step: Int) -> [Effect] {
        guard keychains.count > 1 else { return [] }
        let here = keychains.firstIndex(of: scope.keychain ?? keychains[0]) ?? 0
        catalog.narrow(to: .init(keychain: keychains[(here + step + keychains.count) % keychains.count]))
        return [.reload]
    }

    mutating func takeLost(_ event: InputEvent) -> [Effect] {
        switch event {
        // These may be the next letters of what is being typed.
        case .key where hasChangedForm: note = "A form is open. Ctrl-C twice gives it up and leaves."
        case .key(.character("q")), .key(.escape): return [.quit]
        case .key(.character("r")), .key(.character("R")), .key(.enter): return [.reload]
        default: break
        }
        return []
    }
}

extension ItemOrder {
    /// The order that follows, in turn.
    fileprivate var next: ItemOrder {
        let all = Self.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }
}

extension ItemDetail {
    /// The effects that read its page.
    var effects: [Browser.Effect] {
        let mark = ItemMark(item)
        switch page {
        case .attributes: return [.readItem(mark)]
        case .access: return [.readItem(mark), .readUses(mark)]
        case .trust: return [.readItem(mark), .readTrust(mark)]
        case .history: return [.readItem(mark), .readHistory(mark)]
        }
    }

    /// The page that is so many behind this one, in turn.
    fileprivate func page(after step: Int) -> Page {
        let all = pages
        return all[((all.firstIndex(of: page) ?? 0) + step + all.count) % all.count]
    }
}
