import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import TerminalScreen
import TerminalText
import TestSupport
import Testing

@testable import SecurityCommands

@Suite("The viewer's keys") struct BrowserTests {
    static let now = StandInKeychain.date + 3600

    /// A viewer with items of this command's and one of another program's.
    static func browser(_ size: ScreenSize = ScreenSize(rows: 24, columns: 80)) throws -> Browser {
        var browser = Browser(size: size)
        browser.catalog.own = OwnGroups(groups: [StandInKeychain.ownGroup], program: "security")
        browser.catalog.replace(items: ItemTable(try items()))
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
            ("e\u{301}", ["e U+301 "]),
            (String(repeating: "#", count: 100), nil),
        ])
    func spelling(value: String, rows: [String]?) {
        let bytes = SecretBytes(copying: Array(value.utf8).span)
        let lines = SecretLines(spelling: bytes, room: .init(rows: 8, columns: 16))
        #expect(lines?.lines.map { $0.withSpan { $0.text(0, $0.count) ?? "" } } == rows)
        #expect(lines?.columns.allSatisfy { $0 <= 16 } ?? true)
    }

    @Test(
        "A value of which a mark would begin a row is shown in hexadecimal",
        arguments: [
            ("\u{301}a", ["0xcc8161"]), ("1234567e\u{301}", ["0x3132333435363765", "cc81"]),
            ("e\u{301}", ["e\u{301}"]), ("", [""]),
        ])
    func marks(value: String, rows: [String]) {
        let room = SecretLines.Room(rows: 4, columns: rows.count > 1 ? 8 : 20)
        let lines = SecretLines(SecretBytes(copying: Array(value.utf8).span), room: room)
        let shown = lines?.lines.map { $0.withSpan { $0.text(0, $0.count) ?? "" } }
        #expect(shown?.joined() == rows.joined())
    }

    @Test("Wherever the divider is dragged to, a value stays in the room of its item", arguments: [60, 80, 120, 200])
    func divider(columns: Int) throws {
        for place in stride(from: 0, to: columns, by: 7) {
            var browser = try browser(ScreenSize(rows: 24, columns: columns))
            browser.isDragging = true
            _ = browser.take(.mouse(.init(.release, row: 5, column: place)), now: Self.now)
            _ = press(&browser, "r")
            guard case .detail(var detail)? = browser.layers.last else {
                Issue.record("no item is shown")
                return
            }
            let room = Painter.secretRoom(browser).columns
            detail.lines = []
            detail.secret = .shown(until: Self.now + 30, columns: [room, room])
            browser.layers[browser.layers.count - 1] = .detail(detail)
            let grid = Painter.draw(browser, now: Self.now).grid
            let rows = (0..<24).map { grid.text($0) }.filter { $0.contains("•") }
            #expect(rows.count == 2 && rows.allSatisfy { $0.filter { $0 == "•" }.count == room }, "\(place)")
        }
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
        #expect(browser.layers.isEmpty && browser.catalog.count(of: nil) == 0 && browser.catalog.shown.isEmpty)
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
            let step = full(1, gate: 5)
            for column in stride(from: row % step, to: 80, by: step) {
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
            browser.catalog.replace(
                items: ItemTable([try item(String(repeating: "部é…", count: 30), StandInKeychain.ownGroup, 4)]))
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
        _ = browser.take(.key(.pageUp), now: Self.now)
        _ = browser.take(.key(.pageUp), now: Self.now)
        #expect(browser.helpPlace == 30 - 12)
        _ = browser.take(.key(.pageDown), now: Self.now)
        #expect(browser.helpPlace == 30 - 6)
        #expect(browser.take(.key(.escape), now: Self.now).isEmpty && browser.layers.isEmpty)
    }

    private static func text(_ browser: Browser) -> String {
        let grid = Painter.draw(browser, now: now).grid
        return (0..<grid.rows).map { grid.text($0) }.joined(separator: "\n")
    }

    @Test("The keys of a page move through the screen of an item too")
    func scrolls() throws {
        var browser = try browser()
        _ = browser.take(.key(.enter), now: Self.now)
        browser.lastScroll = 40
        let moves: [(InputEvent.Key, Int)] = [
            (.pageDown, 16), (.down, 17), (.pageUp, 1), (.end, 40), (.pageDown, 40), (.character("g"), 0),
            (.character("G"), 40), (.home, 0), (.pageUp, 0),
        ]
        for (key, line) in moves {
            #expect(browser.take(.key(key), now: Self.now).isEmpty)
            guard case .detail(let detail)? = browser.layers.last else {
                Issue.record("no item is shown")
                return
            }
            #expect(detail.scroll == line, "\(key)")
        }
    }

    @Test("A new search begins with no words, and a window without a sidebar has the keys in the list")
    func beginnings() throws {
        var browser = try browser()
        #expect(press(&browser, "/api").isEmpty && browser.catalog.shown.count == 1)
        _ = browser.take(.key(.enter), now: Self.now)
        #expect(press(&browser, "/dep").isEmpty && browser.catalog.shown.map(\.name) == ["deploy"])
        _ = browser.take(.key(.escape), now: Self.now)
        _ = browser.take(.key(.tab), now: Self.now)
        #expect(browser.pane == .sidebar)
        _ = browser.resize(to: .least)
        #expect(browser.pane == .list)
    }

    @Test("Where the sidebar has no room, Tab goes from one keychain to the next, and then to all")
    func narrowTab() throws {
        var browser = try browser(.least)
        #expect(!KeyHint.of(browser).contains { $0.key == .tab })
        let name = try #require(NamedKeychain.Identifier("00000000-0000-4000-8000-000000000000"))
        let other = ChosenKeychain.named(NamedKeychain(name, path: "/x"))
        browser.keychains = [.login, other]
        #expect(KeyHint.of(browser).contains { $0.key == .tab })
        for (key, keychain) in [
            (InputEvent.Key.tab, ChosenKeychain.login), (.tab, other), (.tab, nil), (.backTab, other), (.left, other),
        ] {
            #expect(browser.take(.key(key), now: Self.now).isEmpty)
            #expect(browser.catalog.scope.keychain == keychain && browser.pane == .list)
        }
    }

    @Test("The last line names the keys that the selected item has")
    func hints() throws {
        var browser = try browser()
        let names = { (browser: Browser) in KeyHint.of(browser).map(\.name) }
        #expect(names(browser) == ["Enter", "c", "r", "e", "a", "d", "/", "Tab", "u"])
        let identity = try ItemTableTests.item("Our Root", group: StandInKeychain.ownGroup, of: .identity)
        browser.catalog.replace(items: ItemTable([identity]))
        browser.catalog.narrow(to: .init(kind: .identity))
        #expect(names(browser) == ["Enter", "v", "x", "a", "/", "Tab", "u"])
        let key = try ItemTableTests.item("Our Root", group: StandInKeychain.ownGroup, of: .key)
        browser.catalog.replace(items: ItemTable([key]))
        browser.catalog.narrow(to: .init())
        #expect(names(browser) == ["Enter", "a", "d", "/", "Tab", "u"])
        browser.catalog.replace(items: ItemTable([]))
        #expect(names(browser) == ["a", "/", "Tab", "u"])
    }

    @Test("Items of other programs are not edited")
    func foreign() throws {
        var browser = try browser()
        browser.catalog.select(2)
        #expect(press(&browser, "e").isEmpty)
        #expect(browser.layers.isEmpty && browser.note != nil)
    }

    @Test("To move, sort, search and choose a category asks the keychain nothing")
    func requests() throws {
        var browser = try browser()
        #expect(press(&browser, "jkGgsSsSs123456").isEmpty)
        for key: InputEvent.Key in [.tab, .down, .down, .up, .tab, .pageDown, .end, .escape] {
            #expect(browser.take(.key(key), now: Self.now).isEmpty)
        }
        #expect(press(&browser, "/api").isEmpty && browser.catalog.shown.count == 1)
        #expect(browser.take(.key(.enter), now: Self.now).isEmpty)
    }

    @Test("Escape takes back the words and the category first, then the keychain")
    func widens() throws {
        var browser = try browser()
        browser.catalog.narrow(to: .init(keychain: .login, kind: .password))
        browser.catalog.look(for: "api", now: Self.now)
        #expect(browser.take(.key(.escape), now: Self.now).isEmpty)
        #expect(browser.catalog.scope == .init(keychain: .login) && browser.catalog.search.isEmpty)
        #expect(browser.take(.key(.escape), now: Self.now).isEmpty)
        #expect(browser.catalog.scope == .init())
    }

    @Test("Tab leaves a locked keychain for the next, where there is one")
    func locked() throws {
        var browser = try browser()
        browser.lockDown()
        #expect(browser.take(.key(.tab), now: Self.now).isEmpty)
        let name = try #require(NamedKeychain.Identifier("00000000-0000-4000-8000-000000000000"))
        let other = ChosenKeychain.named(NamedKeychain(name, path: "/x"))
        browser.keychains = [.login, other]
        #expect(browser.take(.key(.tab), now: Self.now) == [.reload] && browser.catalog.scope.keychain == other)
        #expect(browser.take(.key(.backTab), now: Self.now) == [.reload])
        #expect(browser.catalog.scope.keychain == .login)
    }

    @Test("The cursor of a form stays in its field when the attributes arrive, and typed text stays where it is")
    func lateAttributes() throws {
        var form = EditForm(try item("api", StandInKeychain.ownGroup, 1), values: ["svce": "api"])
        form.take(event: .key(.tab))
        form.fill(["svce": "api", "acct": "ann", "labl": "api", "icmt": "text"])
        #expect(form.place == 1 && !form.isChanged)
        form.take(event: .key(.character("x")))
        #expect(form.changes.map(\.text) == ["annx"])
    }

    @Test("The selection stays at its item when the list changes")
    func selection() throws {
        var browser = try browser()
        browser.catalog.select(1)
        let items = [try item("aaa", StandInKeychain.ownGroup, 9)] + (try Self.items())
        browser.catalog.replace(items: ItemTable(items))
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
                browser.catalog.replace(items: ItemTable([try item("部门\u{301}😀 \u{1B}[2J", "部门", 4)]))
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
