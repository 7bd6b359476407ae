import KeychainClient
import TerminalScreen

/// The keys of the list.
extension Browser {
    mutating func takeList(_ event: InputEvent) -> [Effect] {
        guard case .key(let key) = event else { return [] }
        if move(key) { return [] }
        switch key {
        case .tab, .backTab, .left: if size.hasSidebar { pane = .sidebar }
        case .escape: clearSearch()
        case .character("/"): layers.append(.search(TextField(catalog.search)))
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
        case .character("R"): return [.reload]
        case .character("L"): return [.lock]
        case .character("a"): layers.append(.form(EditForm(nil)))
        case .character("u"): return undo()
        default: return item.map { act(key, $0) } ?? []
        }
        return []
    }

    private mutating func act(_ key: InputEvent.Key, _ item: ListedItem) -> [Effect] {
        switch key {
        case .enter, .right, .character(" "): return open(item, .attributes)
        case .character("x") where item.kind == .certificate: ask(.export, item)
        case .character("v") where item.kind == .certificate: return open(item, .trust)
        case .character("h"): return open(item, .history)
        case .character("w"): return open(item, .access)
        case .character("r") where item.kind != .deleted: return open(item, .attributes) + [.reveal(ItemMark(item))]
        case .character("c") where item.kind != .deleted: return [.copy(ItemMark(item))]
        case .character("y"): return [.copyReference(ItemMark(item))]
        case .character("e") where item.kind == .password || item.kind == .internet: return edit(item)
        case .character("d") where item.kind != .deleted && item.kind != .identity: ask(.delete, item)
        case .character("D"): ask(.purge, item)
        default: break
        }
        return []
    }

    private mutating func ask(_ act: BrowseQuestion.Act, _ item: ListedItem) {
        layers.append(.question(BrowseQuestion(act: act, item: ItemMark(item))))
    }

    /// Shows an item in place of the one that is shown.
    mutating func open(_ item: ListedItem, _ page: ItemDetail.Page) -> [Effect] {
        if case .detail(var detail)? = layers.last, detail.item.isSame(as: item) {
            detail.page = page
            layers[layers.count - 1] = .detail(detail)
        } else {
            layers.append(.detail(ItemDetail(item, page: page)))
        }
        switch page {
        case .attributes: return [.readItem(ItemMark(item))]
        case .access: return [.readItem(ItemMark(item)), .readUses(ItemMark(item))]
        case .trust: return [.readItem(ItemMark(item)), .readTrust(ItemMark(item))]
        case .history: return [.readItem(ItemMark(item)), .readHistory(ItemMark(item))]
        }
    }

    private mutating func edit(_ item: ListedItem) -> [Effect] {
        guard catalog.own.have(item.group) else {
            note = "This item belongs to another program; only that program changes it."
            return []
        }
        let name = item.kind == .internet ? "srvr" : "svce"
        let texts = ["labl": item.label, "agrp": item.group, "acct": item.account, name: item.name]
        layers.append(.form(EditForm(item, values: texts)))
        return [.readItem(ItemMark(item))]
    }

    private func undo() -> [Effect] {
        if scope.kind == .deleted, let item = catalog.selected { return [.restore(ItemMark(item))] }
        return lastDeleted.map { [.restore(ItemMark($0))] } ?? []
    }

    private var scope: ItemCatalog.Scope { catalog.scope }

    private mutating func clearSearch() {
        catalog.look(for: "", now: 0)
        catalog.narrow(to: .init(keychain: scope.keychain))
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
        case .up, .character("k"), .down, .character("j"):
            detail.scroll = max(0, detail.scroll + (key == .up || key == .character("k") ? -1 : 1))
            layers[layers.count - 1] = .detail(detail)
        case .character("r"):
            detail.secret = .asking
            layers[layers.count - 1] = .detail(detail)
            return [.reveal(ItemMark(detail.item))]
        default: return takeCommon(key, detail.item)
        }
        return []
    }

    mutating func takeForm(_ form: EditForm, _ event: InputEvent) -> [Effect] {
        var form = form
        switch event {
        case .key(.escape):
            layers.removeLast()
            if form.isChanged { note = "Nothing was saved." }
        case .key(.control("s")):
            guard form.isChanged else {
                note = "Nothing was changed."
                return []
            }
            return [.save(form, overwrites: false)]
        default:
            form.take(event: event)
            layers[layers.count - 1] = .form(form)
        }
        return []
    }

    mutating func takeQuestion(_ question: BrowseQuestion, _ event: InputEvent) -> [Effect] {
        guard case .key(let key) = event else { return [] }
        layers.removeLast()
        guard key == .character(question.key) else {
            note = "Nothing was changed."
            return []
        }
        switch question.act {
        case .delete: return [.delete(question.item)]
        case .purge: return [.purge(question.item)]
        case .overwrite(let form): return [.save(form, overwrites: true)]
        case .export: return [.export(question.item)]
        }
    }

    mutating func takeHelp(_ event: InputEvent) -> [Effect] {
        switch event {
        case .key(.down), .key(.character("j")), .key(.pageDown): helpPlace += 1
        case .key(.up), .key(.character("k")), .key(.pageUp): helpPlace = max(0, helpPlace - 1)
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
        case .key(.character("?")): layers.append(.help)
        default: break
        }
        return []
    }

    mutating func takeLost(_ event: InputEvent) -> [Effect] {
        switch event {
        case .key(.character("q")), .key(.escape): return [.quit]
        case .key(.character("r")), .key(.character("R")), .key(.enter): return [.reload]
        default: return []
        }
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
    /// The page that is so many behind this one, in turn.
    fileprivate func page(after step: Int) -> Page {
        let all = pages
        return all[((all.firstIndex(of: page) ?? 0) + step + all.count) % all.count]
    }
}
