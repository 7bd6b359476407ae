import KeychainModel
import TerminalScreen
import TerminalText

/// The screen of one item.
extension Painter {
    /// The column of what stands behind the labels.
    private static let textColumn = 13
    /// The rows of the title and the pages, with their rules.
    private static let frameRows = 4

    /// The rows and columns of a value in the screen of an item.
    ///
    /// - Parameter isASCII: whether the terminal shows nothing else.
    static func secretRoom(_ browser: Browser, isASCII: Bool = false) -> SecretLines.Room {
        let painter = Painter(browser, now: 0)
        let columns =
            browser.size.isWide ? painter.main.columns - painter.main.columns * 3 / 5 - 1 : painter.main.columns
        return .init(rows: painter.main.rows - frameRows, columns: max(1, columns - textColumn - 16), isASCII: isASCII)
    }

    mutating func drawDetail(_ detail: ItemDetail, _ area: Area) {
        let title = detail.item.title
        put(title, area.row, area.column + 1, room: area.columns - 22, style: .bold)
        let kind = say(Words(detail.item.kind.phrase))
        put(kind, area.row, area.column + area.columns - width.columns(kind) - 1)
        rule(area.row + 1, area.column, area.columns)
        let body = Area(row: area.row + 2, column: area.column, rows: area.rows - Self.frameRows, columns: area.columns)
        switch detail.page {
        case .attributes: drawAttributes(detail, body)
        case .access: draw(accessLines(detail), body, detail.scroll)
        case .trust: draw((detail.trust ?? [say("checking …")]).map { ("", $0) }, body, detail.scroll)
        case .history: drawHistory(detail, body)
        }
        rule(area.end - 2, area.column, area.columns)
        drawPages(detail, area)
    }

    private mutating func drawPages(_ detail: ItemDetail, _ area: Area) {
        var column = area.column + 1
        let titles: [(ItemDetail.Page, Words)] = [
            (.attributes, "Attributes"), (.access, "Access"), (.trust, "Trust"), (.history, "History"),
        ]
        for (other, title) in titles where detail.pages.contains(other) {
            let text = other == detail.page ? "[\(say(title))]" : " \(say(title)) "
            column += put(text, area.end - 1, column, style: other == detail.page ? .bold : []) + 1
        }
    }

    private mutating func drawAttributes(_ detail: ItemDetail, _ area: Area) {
        guard let lines = detail.lines else { return draw([("", say("reading …"))], area, 0) }
        let rows = detail.item.kind == .password || detail.item.kind == .internet ? drawPassword(detail, area) : 0
        draw(
            lines, Area(row: area.row + rows, column: area.column, rows: area.rows - rows, columns: area.columns),
            detail.scroll)
    }

    /// - Returns: the rows that it takes.
    private mutating func drawPassword(_ detail: ItemDetail, _ area: Area) -> Int {
        put(say("Password"), area.row, area.column + 2)
        let column = area.column + Self.textColumn
        switch detail.secret {
        case .hidden: put(String(repeating: frame.dot, count: 10), area.row, column)
        case .asking: put(say("waiting for the answer"), area.row, column, room: area.columns - Self.textColumn)
        case .shown(let until, let columns, _):
            picture.secret = (area.row, column)
            for (index, count) in columns.enumerated() {
                picture.grid.markSecret(area.row + index, column, count: count)
            }
            let left = max(0, Int((until - now).rounded(.up)))
            let text = say("hides in \(left) s")
            put(text, area.row, area.column + area.columns - width.columns(text) - 1)
            return columns.count
        }
        return 1
    }

    private mutating func draw(_ lines: [(label: String, text: String)], _ area: Area, _ scroll: Int) {
        let lines = lines.flatMap { line in
            let start = line.label.isEmpty ? 2 : Self.textColumn
            return wrapped(line.text, max(8, area.columns - start - 1)).enumerated().map { index, text in
                (label: index == 0 ? line.label : "", text: text, start: start)
            }
        }
        picture.lastScroll = max(0, lines.count - area.rows)
        let first = min(scroll, picture.lastScroll)
        for (index, line) in lines.dropFirst(first).prefix(max(0, area.rows)).enumerated() {
            put(say(Words(line.label)), area.row + index, area.column + 2, room: Self.textColumn - 3)
            put(line.text, area.row + index, area.column + line.start, room: area.columns - line.start - 1)
        }
    }

    private func accessLines(_ detail: ItemDetail) -> [(label: String, text: String)] {
        accessLines(detail.item) + [("", say("LATEST REQUESTS for items of this group and kind"))]
            + (detail.uses ?? [say("reading …")]).map { ("", $0) }
    }

    private func accessLines(_ item: ListedItem) -> [(label: String, text: String)] {
        let own = browser.catalog.own
        let meaning: Words =
            own.have(item.group)
            ? "This command reads and changes it." : "Only that program reads it; its value is not shown here."
        return [
            ("", say("PROGRAM")), ("Belongs to", own.title(of: item.group)), ("", say(meaning)),
            ("", say("GROUP")), ("Group", DisplayName.shown(item.group)),
            ("Keychain", DisplayName.shown(item.keychain.name)),
            ("", say("PROTECTION")), ("Opens", item.protection), ("", say(item.opening)),
            ("", say("Nobody who is root on this machine can be kept out: SECURITY.md.")),
        ]
    }
}

extension ListedItem {
    /// The meaning of the protection class.
    fileprivate var opening: Words {
        switch accessibility {
        case .whenUnlocked, .whenUnlockedThisDeviceOnly: "It is open while the keychain is unlocked."
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly:
            "It stays open after the first unlock, until a restart or a logout from the desktop."
        case .always, .alwaysThisDeviceOnly: "It is always open."
        case .whenPasscodeSetThisDeviceOnly: "It is open while the keychain is unlocked, and goes with its password."
        case nil: ""
        }
    }
}
