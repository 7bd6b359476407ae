import KeychainClient
import TerminalScreen
import TerminalText

/// The sidebar.
extension Painter {
    mutating func drawSidebar() {
        for row in main.row..<main.end { put(String(frame.vertical), row, browser.sidebarWidth) }
        for row in 1..<main.end {
            picture.addTarget(.divider, row, browser.sidebarWidth..<(browser.sidebarWidth + 1))
        }
        let lines = sidebarLines
        // The line that was chosen, or that the cursor is in, is in sight.
        let chosen = lines.lastIndex { line in
            guard case .entry(let index, let entry) = line else { return false }
            let isHere = browser.pane == .sidebar
            return isHere ? index == browser.sidebarPlace : entry.isShown(in: browser.catalog.scope)
        }
        let first = max(0, (chosen ?? 0) - main.rows + 1)
        for (row, line) in zip(main.row..<main.end, lines.dropFirst(first)) {
            switch line {
            case .blank: break
            case .heading(let words): put(say(words), row, 0, room: browser.sidebarWidth, style: .bold)
            case .entry(let index, let entry): draw(entry, index, row)
            }
        }
    }

    private enum SidebarLine {
        case blank
        case heading(Words)
        case entry(Int, SidebarEntry)
    }

    private var sidebarLines: [SidebarLine] {
        let entries = browser.sidebar
        return entries.enumerated().flatMap { index, entry -> [SidebarLine] in
            let begins = index == 0 || entries[index - 1].heading != entry.heading
            let before: [SidebarLine] = begins ? (index > 0 ? [.blank] : []) + [.heading(entry.heading)] : []
            return before + [.entry(index, entry)]
        }
    }

    private mutating func draw(_ entry: SidebarEntry, _ index: Int, _ row: Int) {
        let room = browser.sidebarWidth
        let isHere = browser.pane == .sidebar && browser.layers.isEmpty && index == browser.sidebarPlace
        let count = count(of: entry)
        put(entry.isShown(in: browser.catalog.scope) ? ">" : " ", row, 0)
        put(title(of: entry), row, 2, room: room - 3 - width.columns(count))
        put(count, row, room - width.columns(count))
        if isHere {
            picture.grid.restyle(row, 0, count: room, .reversed)
            picture.cursor = (row, 0)
        }
        picture.addTarget(.sidebar(index), row, 0..<room)
    }

    private func title(of entry: SidebarEntry) -> String {
        switch entry {
        case .keychain(let keychain): DisplayName.shown(keychain.name)
        case .category(let kind): say(SidebarEntry.title(of: kind))
        case .group(let title): title
        }
    }

    private func isLocked(_ keychain: ChosenKeychain) -> Bool {
        browser.locked.contains(keychain) || browser.status.isLocked && keychain == browser.statusKeychain
    }

    /// The text right of the title.
    private func count(of entry: SidebarEntry) -> String {
        switch entry {
        // A word, so that no colour is needed.
        case .keychain(let keychain): return isLocked(keychain) ? say("locked") : ""
        // Some deleted items ask for their user; they are not read before somebody looks at them.
        case .category(.deleted) where browser.catalog.deleted.count == 0: return ""
        case .category(let kind): return "\(browser.catalog.count(of: kind))"
        case .group(let title): return "\(browser.catalog.groups.first { $0.title == title }?.count ?? 0)"
        }
    }
}

/// The list.
extension Painter {
    mutating func drawList(_ area: Area) {
        let summary = !size.isWide && size.rows >= 20 ? 6 : 0
        var top = area.row
        if let search = searchText { drawSearch(search, top, area); top += 1 }
        drawHeadings(top, area)
        let rows = Area(
            row: top + 1, column: area.column, rows: max(1, area.end - top - 1 - summary), columns: area.columns)
        drawRows(rows)
        guard summary > 0 else { return }
        rule(area.end - summary, area.column, area.columns)
        drawSummary(
            Area(row: area.end - summary + 1, column: area.column, rows: summary - 1, columns: area.columns))
    }

    private var searchText: TextField? {
        if case .search(let field)? = browser.layers.last { return field }
        return browser.catalog.search.isEmpty ? nil : TextField(browser.catalog.search)
    }

    private mutating func drawSearch(_ field: TextField, _ row: Int, _ area: Area) {
        let label = say("Search:") + " "
        let used = put(label, row, area.column + 1)
        let count =
            browser.catalog.problem
            ?? say("\(browser.catalog.shown.count.grouped) of \(browser.catalog.count(of: nil).grouped)")
        let room = area.columns - used - 3 - min(area.columns / 2, width.columns(count))
        let start = area.column + 1 + used
        drawField(field, row, start, room, hasCursor: isSearching)
        put(count, row, start + room + 1, room: area.columns - used - room - 2)
    }

    private var isSearching: Bool { if case .search? = browser.layers.last { true } else { false } }

    /// A text with its cursor in sight.
    mutating func drawField(_ field: TextField, _ row: Int, _ column: Int, _ room: Int, hasCursor: Bool) {
        // Each character is looked at once: a field may be full.
        var (start, used) = (field.cursor, 0)
        while start > 0 {
            used += columns(field, start - 1..<start)
            guard used < room else { break }
            start -= 1
        }
        put(String(field.characters[start...]).shown, row, column, room: max(0, room))
        if hasCursor { picture.cursor = (row, column + columns(field, start..<field.cursor)) }
    }

    private func columns(_ field: TextField, _ range: Range<Int>) -> Int {
        width.columns(String(field.characters[range]).shown)
    }

    private var listColumns: ListColumns {
        ListColumns(browser: browser, isASCII: frame.isASCII, now: now, say: say)
    }

    private mutating func drawHeadings(_ row: Int, _ area: Area) {
        for column in listColumns.fitting(area) {
            let isOrder = browser.catalog.order == column.order
            let mark = isOrder ? "\(browser.catalog.isReversed ? frame.down : frame.up)" : ""
            let heading = say(column.heading)
            let isTight = width.columns("\(heading) \(mark)") > column.room
            put(isTight ? heading + mark : "\(heading) \(mark)", row, column.start, room: column.room, style: .bold)
            if let order = column.order {
                picture.addTarget(.sort(order), row, column.start..<(column.start + column.room))
            }
        }
    }

    private mutating func drawRows(_ area: Area) {
        let shown = browser.catalog.shown
        guard !shown.isEmpty else { return drawEmpty(area) }
        let first = max(0, min(browser.catalog.place - area.rows / 2, shown.count - area.rows))
        for index in first..<min(shown.count, first + area.rows) {
            draw(shown[index], index, area.row + index - first, area)
        }
    }

    private mutating func draw(_ item: ListedItem, _ index: Int, _ row: Int, _ area: Area) {
        let isHere = index == browser.catalog.place
        put(isHere ? ">" : " ", row, area.column)
        for column in listColumns.fitting(area) {
            put(column.text(item, listColumns), row, column.start, room: column.room)
        }
        picture.addTarget(.item(index), row, area.column..<(area.column + area.columns))
        guard isHere else { return }
        let style: CellStyle = browser.pane == .list ? .reversed : .bold
        picture.grid.restyle(row, area.column, count: area.columns, style)
        if browser.pane == .list, browser.layers.isEmpty { picture.cursor = (row, area.column) }
    }

    private mutating func drawEmpty(_ area: Area) {
        if browser.reading != nil { return }
        if browser.catalog.search.isEmpty, browser.catalog.scope == .init(kind: .deleted) {
            put(say("Nothing was deleted lately."), area.row, area.column + 2, room: area.columns - 3)
            return
        }
        let isNarrowed = !browser.catalog.search.isEmpty || browser.catalog.scope != .init()
        let hint = browser.catalog.filterHint.map { [$0] } ?? []
        let lines: [Words] =
            isNarrowed
            ? ["Nothing matches."] + hint + [
                "", "Narrow with kind:pass group:git account:octo changed:<7d",
                "Esc shows all items.",
            ]
            : ["This keychain is empty.", "", "a adds an item. Programs add theirs by themselves."]
        for (index, line) in lines.prefix(area.rows).enumerated() {
            put(say(line), area.row + index, area.column + 2, room: area.columns - 3)
        }
    }

    /// The lines below the list, or to its right.
    mutating func drawSummary(_ area: Area) {
        guard let item = browser.catalog.selected else { return }
        let kind = (item.kind == .deleted ? say("deleted") + ", " : "") + say(Words(item.formerKind.phrase))
        let dot = frame.isASCII ? "-" : "·"
        let title = "\(DisplayName.shown(item.name)) \(dot) \(kind)"
        put(title, area.row, area.column + 1, room: area.columns - 2, style: .bold)
        let lines: [(Words, String)] = [
            ("Label", DisplayName.shown(item.ownLabel ?? "")), ("Account", DisplayName.shown(item.account)),
            ("Keychain", browser.hasManyKeychains ? DisplayName.shown(item.keychain.name) : ""),
            ("Group", browser.catalog.own.title(of: item.group)),
            ("Opens", item.protection),
            (
                item.kind == .deleted ? "Deleted" : "Changed",
                item.changed.map { say(ItemDate(seconds: $0).long(now: now)) } ?? ""
            ),
        ]
        for (index, line) in lines.filter({ !$0.1.isEmpty }).prefix(max(0, area.rows - 1)).enumerated() {
            put(say(line.0), area.row + 1 + index, area.column + 2, room: 9)
            put(line.1, area.row + 1 + index, area.column + 12, room: area.columns - 13)
        }
    }
}

extension SidebarEntry {
    fileprivate var heading: Words {
        switch self {
        case .keychain: "KEYCHAINS"
        case .category: "CATEGORY"
        case .group: "BY PROGRAM"
        }
    }

    fileprivate static func title(of kind: ListedItem.Kind?) -> Words {
        switch kind {
        case nil: "All"
        case .password: "Passwords"
        case .internet: "Internet"
        case .certificate: "Certs"
        case .key: "Keys"
        case .identity: "Identities"
        case .deleted: "Deleted"
        }
    }
}

extension String {
    /// The text in a form that steers nothing.
    fileprivate var shown: String { DisplayName.shown(self) }
}
