import KeychainClient
import TerminalScreen
import TerminalText

/// Draws the viewer. Everything in it is safe to show: names have passed ``DisplayName``.
struct Painter {
    let browser: Browser
    let frame: FrameCharacters
    let width: TextWidth
    /// Seconds since 2001.
    let now: Double
    /// Gives a text in the user's language.
    let say: (Words) -> String
    var picture: Picture

    init(
        _ browser: Browser, frame: FrameCharacters = .lines, width: TextWidth = TextWidth(), now: Double,
        say: @escaping (Words) -> String = { $0 }
    ) {
        (self.browser, self.frame, self.width, self.now, self.say) = (browser, frame, width, now, say)
        picture = Picture(browser.size, width)
    }

    /// The whole screen.
    static func draw(
        _ browser: Browser, frame: FrameCharacters = .lines, width: TextWidth = TextWidth(), now: Double,
        say: @escaping (Words) -> String = { $0 }
    ) -> Picture {
        var painter = Painter(browser, frame: frame, width: width, now: now, say: say)
        painter.drawAll()
        return painter.picture
    }

    private mutating func drawAll() {
        guard size.isEnough else { return drawTooSmall() }
        if case .help? = browser.layers.last { return drawHelp() }
        drawHeader()
        if size.hasSidebar { drawSidebar() }
        drawMain()
        drawFooter()
    }

    var size: ScreenSize { browser.size }

    /// The part right of the sidebar.
    var main: Area {
        let left = size.hasSidebar ? browser.sidebarWidth + 1 : 0
        return Area(row: 2, column: left, rows: size.rows - 3, columns: size.columns - left)
    }

    private mutating func drawMain() {
        if browser.lost != nil { return drawLost() }
        if browser.status.isLocked { return drawLocked() }
        let isBeside = size.isWide
        let list = isBeside ? Area(row: 2, column: main.column, rows: main.rows, columns: main.columns * 3 / 5) : main
        let right = Area(
            row: 2, column: list.column + list.columns + 1, rows: main.rows,
            columns: main.columns - list.columns - 1)
        switch browser.layers.last(where: \.coversList) {
        case .detail(let detail):
            if isBeside { drawList(list) }
            drawDetail(detail, isBeside ? right : main)
        case .form(let form):
            if isBeside { drawList(list) }
            drawForm(form, isBeside ? right : main)
        default:
            drawList(list)
            if isBeside { drawSummary(right) }
        }
        if isBeside { drawDivider(right.column - 1) }
        drawDialog()
    }

    private mutating func drawDivider(_ column: Int) {
        for row in main.row..<main.end { put(String(frame.vertical), row, column) }
    }

    private mutating func drawTooSmall() {
        let least = ScreenSize.least
        put(say("\(least.columns)×\(least.rows) at least"), 0, 0)
    }

    /// Writes a text, in ASCII where the terminal shows nothing else.
    @discardableResult
    mutating func put(_ text: String, _ row: Int, _ column: Int, room: Int? = nil, style: CellStyle = []) -> Int {
        guard frame.isASCII else { return picture.grid.put(text, row, column, room: room, style: style) }
        // The mark of a text that was cut is no ASCII either.
        let cut = width.cut(text, to: max(0, min(room ?? size.columns, size.columns - column)))
        return picture.grid.put(cut.inASCII, row, column, room: room, style: style)
    }

    mutating func rule(_ row: Int, _ column: Int, _ columns: Int) {
        picture.grid.fill(frame.horizontal, row, column, count: columns)
    }
}

/// The first and the last line.
extension Painter {
    private mutating func drawHeader() {
        let name = browser.shownKeychain.name
        let isKnown = !browser.isStatusOld || browser.lost != nil
        let protection = size.columns >= 60 && isKnown ? say(browser.status.protection) : ""
        let words = [DisplayName.shown(name), state, protection].filter { !$0.isEmpty }
        let keys = size.columns >= 60 ? "\(say("?:help")) \(say("q:quit")) " : "\(say("?:help")) "
        let left = size.columns - width.columns(keys)
        put(keys, 0, left)
        picture.addTarget(.press(.character("?")), 0, left..<(left + width.columns(say("?:help"))))
        let count = itemCount
        let column = max(0, left - width.columns(count) - (size.columns >= 60 ? 8 : 2))
        put(count, 0, column)
        put(words.joined(separator: frame.isASCII ? " - " : " · "), 0, 1, room: column - 2, style: .bold)
        rule(1, 0, size.columns)
        if size.hasSidebar { put(String(frame.crossing), 1, browser.sidebarWidth) }
    }

    private var state: String {
        if browser.lost != nil { return say("not reachable") }
        if browser.isStatusOld { return "…" }
        return browser.status.isLocked ? say("LOCKED") : say("unlocked")
    }

    private var itemCount: String {
        guard browser.lost == nil, !browser.status.isLocked else { return "" }
        if let count = browser.reading { return say("reading: \(count.grouped)") }
        let count = browser.catalog.count(of: nil)
        return count == 1 ? say("1 item") : say("\(count.grouped) items")
    }

    private mutating func drawFooter() {
        let row = size.rows - 1
        if let note = browser.note {
            put(say(note), row, 1, room: size.columns - 2)
            return
        }
        var column = 1
        for hint in KeyHint.of(browser) {
            let text = "\(hint.name):\(say(hint.meaning))"
            guard column + width.columns(text) < size.columns else { break }
            put(text, row, column)
            picture.addTarget(.press(hint.key), row, column..<(column + width.columns(text)))
            column += width.columns(text) + 1
        }
    }
}

extension Browser.Layer {
    /// Whether it stands in place of the list.
    fileprivate var coversList: Bool {
        switch self {
        case .detail, .form: true
        case .search, .export, .question, .failure, .help: false
        }
    }
}

extension String {
    private static let written: [Character: String] = [
        "…": "~", "·": "-", "×": "x", "└": "`", "↑": "Up", "↓": "Down", "←": "Left", "→": "Right",
    ]

    /// The text with a question mark for each character that is not ASCII, two for a wide one.
    fileprivate var inASCII: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        return reduce(into: "") { text, character in
            if let written = Self.written[character] { return text += written }
            text +=
                character.isASCII ? String(character) : String(repeating: "?", count: TextWidth().columns(character))
        }
    }
}
