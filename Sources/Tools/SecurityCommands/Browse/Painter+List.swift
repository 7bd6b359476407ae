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
        var row = main.row
        let entries = browser.sidebar
        for (index, entry) in entries.enumerated() {
            if index == 0 || entries[index - 1].heading != entry.heading {
                if index > 0 { row += 1 }
                guard row < main.end else { return }
                put(say(entry.heading), row, 0, room: browser.sidebarWidth, style: .bold)
                row += 1
            }
            guard row < main.end else { return }
            draw(entry, index, row)
            row += 1
        }
    }

    private mutating func draw(_ entry: SidebarEntry, _ index: Int, _ row: Int) {
        let room = browser.sidebarWidth
        let isHere = browser.pane == .sidebar && browser.layers.isEmpty && index == browser.sidebarPlace
        let count = count(of: entry)
        put(entry.isShown(in: browser.catalog.scope) ? ">" : " ", row, 0)
        put(title(of: entry), row, 2, room: room - 3 - count.count)
        put(count, row, room - count.count)
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

    private func count(of entry: SidebarEntry) -> String {
        switch entry {
        case .keychain: return ""
        // Some deleted items ask for their user; they are not read before somebody looks at them.
        case .category(.deleted) where browser.catalog.deleted.isEmpty: return ""
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
        var start = 0
        while start < field.cursor, columns(field, start..<field.cursor) >= room { start += 1 }
        put(String(field.characters[start...]).shown, row, column, room: max(0, room))
        if hasCursor { picture.cursor = (row, column + columns(field, start..<field.cursor)) }
    }

    private func columns(_ field: TextField, _ range: Range<Int>) -> Int {
        width.columns(String(field.characters[range]).shown)
    }

    private mutating func drawHeadings(_ row: Int, _ area: Area) {
        for column in columns(area) {
            let isOrder = browser.catalog.order == column.order
            let mark = isOrder ? " \(browser.catalog.isReversed ? frame.down : frame.up)" : ""
            put(say(column.heading) + mark, row, column.start, room: column.room, style: .bold)
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
        for column in columns(area) {
            put(column.text(item, self), row, column.start, room: column.room)
        }
        picture.addTarget(.item(index), row, area.column..<(area.column + area.columns))
        guard isHere else { return }
        let style: CellStyle = browser.pane == .list ? .reversed : .bold
        picture.grid.restyle(row, area.column, count: area.columns, style)
        if browser.pane == .list, browser.layers.isEmpty { picture.cursor = (row, area.column) }
    }

    private mutating func drawEmpty(_ area: Area) {
        if browser.reading != nil { return }
        let isNarrowed = !browser.catalog.search.isEmpty || browser.catalog.scope != .init()
        let lines: [Words] =
            isNarrowed
            ? [
                "Nothing matches.", "", "Narrow with kind:pass group:git account:octo changed:<7d",
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
        let kind = say(Words(item.kind.phrase))
        let dot = frame.isASCII ? "-" : "·"
        let title = "\(DisplayName.shown(item.name)) \(dot) \(kind)"
        put(title, area.row, area.column + 1, room: area.columns - 2, style: .bold)
        let lines: [(Words, String)] = [
            ("Account", DisplayName.shown(item.account)), ("Group", browser.catalog.own.title(of: item.group)),
            ("Opens", item.protection),
            ("Changed", item.changed.map { say(ItemDate(seconds: $0).long(now: now)) } ?? ""),
        ]
        for (index, line) in lines.filter({ !$0.1.isEmpty }).prefix(max(0, area.rows - 1)).enumerated() {
            put(say(line.0), area.row + 1 + index, area.column + 2, room: 9)
            put(line.1, area.row + 1 + index, area.column + 12, room: area.columns - 13)
        }
    }
}

/// The columns of the list.
extension Painter {
    struct ListColumn {
        let heading: Words
        let order: ItemOrder?
        let start, room: Int
        let text: (ListedItem, Painter) -> String
    }

    private static let all: [(Words, ItemOrder?, Int, @Sendable (ListedItem, Painter) -> String)] = [
        ("NAME", .name, 14, { item, _ in DisplayName.shown(item.name) }),
        ("KIND", .kind, 5, { item, painter in painter.say(Words(item.kind.rawValue)) }),
        ("ACCOUNT", .account, 10, { item, _ in DisplayName.shown(item.account) }),
        ("GROUP", .group, 12, { item, painter in painter.browser.catalog.own.title(of: item.group) }),
        (
            "CHANGED", .changed, 11,
            { item, painter in
                item.changed.map { painter.say(ItemDate(seconds: $0).short(now: painter.now)) } ?? ""
            }
        ),
    ]

    /// The columns that fit, from the left. The name gets what is left over.
    func columns(_ area: Area) -> [ListColumn] {
        var kept = Self.all
        let gaps = { (count: Int) in 2 * (count - 1) + 2 }
        while kept.count > 2, kept.reduce(gaps(kept.count), { $0 + $1.2 }) > area.columns { kept.removeLast() }
        let extra = max(0, area.columns - kept.reduce(gaps(kept.count)) { $0 + $1.2 })
        var (columns, start) = ([ListColumn](), area.column + 1)
        for (index, column) in kept.enumerated() {
            let room = column.2 + (index == 0 ? extra : 0)
            columns.append(
                ListColumn(heading: column.0, order: column.1, start: start, room: room, text: column.3))
            start += room + 2
        }
        return columns
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
