import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import TerminalScreen
import TerminalText
import Testing

@testable import SecurityCommands

@Suite("The viewer's keys") struct BrowserTests {
    static let now = StandInKeychain.date + 3600

    /// A viewer with items of this command's and one of another program's.
    static func browser(_ size: ScreenSize = ScreenSize(rows: 24, columns: 80)) throws -> Browser {
        var browser = Browser(size: size)
        browser.catalog.own = OwnGroups(groups: [StandInKeychain.ownGroup], program: "security")
        browser.catalog.replace(items: try items())
        return browser
    }

    static func items() throws -> [ListedItem] {
        let names = [("api", StandInKeychain.ownGroup), ("deploy", StandInKeychain.ownGroup), ("theirs", "program:/x")]
        return try names.enumerated().map { try item($1.0, $1.1, UInt64($0)) }
    }

    private func browser(_ size: ScreenSize = ScreenSize(rows: 24, columns: 80)) throws -> Browser {
        try Self.browser(size)
    }

    private func item(_ name: String, _ group: String, _ number: UInt64) throws -> ListedItem {
        try Self.item(name, group, number)
    }

    private static func item(_ name: String, _ group: String, _ number: UInt64) throws -> ListedItem {
        let writer = ResponseWriter()
        writer.begin(id: 1)
        writer.beginItem(.genericPassword)
        writer.buffer.append(.service, .string(name))
        writer.buffer.append(.account, .string("ann"))
        writer.buffer.append(.accessGroup, .string(group))
        writer.buffer.append(.persistentReference, .data([UInt8(number)]))
        writer.endItem()
        writer.end(cursor: 0)
        let response = try ItemResponse(status: 0, body: writer.buffer.copy(from: FrameHeader.size))
        return ListedItem(try #require(response.items.first), in: .login)
    }

    private func press(_ browser: inout Browser, _ text: String) -> [Browser.Effect] {
        text.flatMap { browser.take(.key(.character($0)), now: Self.now) }
    }

    private func reveal(_ browser: inout Browser) {
        _ = press(&browser, "r")
        guard case .detail(var detail)? = browser.layers.last else { return }
        detail.secret = .shown(until: Self.now + 30, columns: [10])
        browser.layers[browser.layers.count - 1] = .detail(detail)
    }

    @Test(
        "Every event but the answer of the terminal hides a value before anything else",
        arguments: [
            InputEvent.key(.character("c")), .key(.character("q")), .key(.down), .key(.tab), .key(.control("l")),
            .key(.control("z")), .key(.control("c")), .mouse(.init(.press, row: 5, column: 5)), .focus(false),
            .focus(true), .paste("x"), .pasteTooLong, .key(.enter), .key(.escape),
        ])
    func hides(event: InputEvent) throws {
        var browser = try browser()
        reveal(&browser)
        #expect(browser.hidingTime != nil)
        #expect(browser.take(event, now: Self.now).first == .hide)
        #expect(browser.hidingTime == nil)
        #expect(Painter.draw(browser, now: Self.now).secret == nil)
    }

    @Test("The key that shows a value hides it and does nothing more, and so does Escape")
    func hideOnly() throws {
        for key: InputEvent.Key in [.character("r"), .escape] {
            var browser = try browser()
            reveal(&browser)
            #expect(browser.take(.key(key), now: Self.now) == [.hide])
            #expect(browser.layers.count == 1)
        }
    }

    @Test("Space spells a value that is shown, and the next Space hides it")
    func spells() throws {
        var browser = try browser()
        reveal(&browser)
        #expect(browser.take(.key(.character(" ")), now: Self.now) == [.spell])
        guard case .detail(var detail)? = browser.layers.last else {
            Issue.record("no item is shown")
            return
        }
        detail.secret = .shown(until: Self.now + 30, columns: [10], isSpelled: true)
        browser.layers[browser.layers.count - 1] = .detail(detail)
        #expect(browser.take(.key(.character(" ")), now: Self.now).first == .hide)
        #expect(browser.hidingTime == nil)
    }

    @Test(
        "A value is spelled by the names of its characters, and a long one not at all",
        arguments: [
            ("p9#T 部", ["p nine hash ", "capital-t space ", "部 "]), ("", [""]), ("\u{1}", nil),
            (String(repeating: "#", count: 100), nil),
        ])
    func spelling(value: String, rows: [String]?) {
        let bytes = SecretBytes(copying: Array(value.utf8).span)
        let lines = SecretLines(spelling: bytes, room: 16)
        #expect(lines?.lines.map { $0.withSpan { $0.text(0, $0.count) ?? "" } } == rows)
        #expect(lines?.columns.allSatisfy { $0 <= 16 } ?? true)
    }

    @Test("The file of a certificate is named by letters and digits alone")
    func fileName() throws {
        #expect(CertificateExport.fileName(of: try item("../a b/部", StandInKeychain.ownGroup, 1)) == "---a-b--.pem")
        #expect(CertificateExport.fileName(of: try item("", StandInKeychain.ownGroup, 1)) == "certificate.pem")
    }

    @Test("A lock forgets the items and everything that lies on the list")
    func lock() throws {
        var browser = try browser()
        reveal(&browser)
        browser.lockDown()
        #expect(browser.layers.isEmpty && browser.catalog.items.isEmpty && browser.catalog.shown.isEmpty)
        let picture = Painter.draw(browser, now: Self.now)
        let text = (0..<24).map { picture.grid.text($0) }.joined()
        #expect(!text.contains("deploy") && text.contains("This keychain is locked."))
        #expect(press(&browser, "rcdDyeau").isEmpty)
    }

    @Test("Only the key of a question answers it with yes")
    func question() throws {
        for key: InputEvent.Key in [.enter, .escape, .character("d"), .character("n"), .tab, .control("y")] {
            var browser = try browser()
            #expect(press(&browser, "d").isEmpty)
            #expect(browser.take(.key(key), now: Self.now).isEmpty)
            #expect(browser.layers.isEmpty)
        }
        var browser = try browser()
        let item = try #require(browser.catalog.selected)
        #expect(press(&browser, "dy") == [.delete(ItemMark(item))])
    }

    @Test("The mouse neither deletes nor reveals, wherever it clicks")
    func mouse() throws {
        for row in 0..<24 {
            for column in 0..<80 {
                for start in ["", "d", "D", "\r", "e"] {
                    var browser = try browser()
                    _ = start == "\r" ? browser.take(.key(.enter), now: Self.now) : press(&browser, start)
                    let effects = (0..<2).flatMap { _ in
                        let target = Painter.draw(browser, now: Self.now).target(row, column)
                        return browser.take(
                            .mouse(.init(.press, row: row, column: column)), at: target, now: Self.now)
                    }
                    #expect(effects.allSatisfy { !$0.isChange }, "\(row) \(column) after \(start)")
                }
            }
        }
    }

    @Test("In ASCII nothing else is drawn, whatever is cut", arguments: ["", "d", "?", "w", "e", "/部"])
    func ascii(keys: String) throws {
        for (rows, columns) in [(10, 40), (24, 80)] {
            var browser = try browser(ScreenSize(rows: rows, columns: columns))
            browser.catalog.replace(items: [try item(String(repeating: "部é…", count: 30), StandInKeychain.ownGroup, 4)])
            _ = press(&browser, keys)
            let grid = Painter.draw(browser, frame: .ascii, now: Self.now).grid
            for row in 0..<rows { #expect(grid.text(row).utf8.allSatisfy { $0 < 0x80 }, "\(grid.text(row))") }
        }
    }

    @Test("The help of a small screen is scrolled, and every other key closes it")
    func help() throws {
        var browser = try browser(.least)
        _ = press(&browser, "?")
        #expect(!Self.text(browser).contains("quit"))
        for _ in 0..<30 { _ = browser.take(.key(.down), now: Self.now) }
        #expect(Self.text(browser).contains("quit"))
        #expect(browser.take(.key(.escape), now: Self.now).isEmpty && browser.layers.isEmpty)
    }

    private static func text(_ browser: Browser) -> String {
        let grid = Painter.draw(browser, now: now).grid
        return (0..<grid.rows).map { grid.text($0) }.joined(separator: "\n")
    }

    @Test("Items of other programs are not edited")
    func foreign() throws {
        var browser = try browser()
        browser.catalog.select(2)
        #expect(press(&browser, "e").isEmpty)
        #expect(browser.layers.isEmpty && browser.note != nil)
    }

    @Test("The selection stays at its item when the list changes")
    func selection() throws {
        var browser = try browser()
        browser.catalog.select(1)
        browser.catalog.replace(items: [try item("aaa", StandInKeychain.ownGroup, 9)] + browser.catalog.items)
        #expect(browser.catalog.selected?.name == "deploy")
        browser.catalog.sort(by: .name, reversed: true)
        #expect(browser.catalog.selected?.name == "deploy")
        browser.catalog.look(for: "api", now: Self.now)
        #expect(browser.catalog.selected?.name == "api")
        browser.catalog.look(for: "none of them", now: Self.now)
        #expect(browser.catalog.selected == nil)
    }

    @Test("A row of the screen is exactly as wide as the terminal, whatever is on it")
    func widths() throws {
        let width = TextWidth()
        for (rows, columns) in [(24, 80), (10, 40), (12, 59), (40, 120), (60, 200), (5, 20)] {
            for keys in ["", "/gi", "?", "d", "e", "a", "w"] {
                var browser = try browser(ScreenSize(rows: rows, columns: columns))
                browser.catalog.replace(items: [try item("部门\u{301}😀 \u{1B}[2J", "部门", 4)])
                _ = press(&browser, keys)
                let grid = Painter.draw(browser, now: Self.now).grid
                for row in 0..<rows { #expect(width.columns(grid.text(row)) == columns, "\(keys) \(row)") }
            }
        }
    }
}

extension Browser.Effect {
    /// Whether it shows a value or changes the keychain.
    fileprivate var isChange: Bool {
        switch self {
        case .delete, .purge, .restore, .save, .reveal: true
        default: false
        }
    }
}

extension Grid {
    /// A row as text; a value is a row of bullets.
    func text(_ row: Int) -> String {
        (0..<columns).reduce(into: "") { text, column in
            switch self[row, column].content {
            case .character(let character): text.append(character)
            case .covered: break
            case .secret: text.append("•")
            }
        }
    }
}
