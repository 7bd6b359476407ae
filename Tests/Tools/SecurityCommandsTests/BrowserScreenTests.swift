import KeychainClient
import LinuxSystem
import TerminalScreen
import TerminalText
import TestSupport
import Testing

@testable import SecurityCommands

@Suite("What the viewer's screens say") struct BrowserScreenTests {
    private static func text(_ browser: Browser, _ language: UserLanguage = .english) -> String {
        let grid = Painter.draw(browser, now: BrowserTests.now, say: language.text).grid
        return (0..<grid.rows).map { grid.text($0) }.joined(separator: "\n")
    }

    @Test("The page of keys is whole at 80 columns, in every language", arguments: [UserLanguage.english, .chinese])
    func help(language: UserLanguage) throws {
        var browser = try BrowserTests.browser()
        browser.layers = [.help]
        let shown = Self.text(browser, language)
        // The one mark stands for the digits of the categories.
        #expect(shown.split(separator: "…", omittingEmptySubsequences: false).count == 2, "\(shown)")
        #expect(shown.contains("security browse --linear"))
    }

    @Test("A long value is shown whole on the screen of an item, with its spaces, and the lines below it move down")
    func longValues() throws {
        var browser = try BrowserTests.browser()
        let selected = try #require(browser.catalog.selected)
        var detail = ItemDetail(selected)
        let address = "https://" + String(repeating: "long-name.", count: 12) + "end"
        detail.lines = [("Service", address), ("Comment", "two  spaces"), ("Account", "ann")]
        browser.layers = [.detail(detail)]
        let shown = Self.text(browser)
        let parts = shown.split(separator: "\n").map { $0.drop { $0 != "│" }.dropFirst().filter { $0 != " " } }
        #expect(parts.joined().contains("Service" + address.filter { $0 != " " } + "Comment"))
        #expect(shown.contains("two  spaces") && shown.contains("Account    ann"))
    }

    @Test("A text is broken between words where it can be", arguments: 4...30)
    func breaks(room: Int) throws {
        let painter = Painter(try BrowserTests.browser(), now: BrowserTests.now)
        for text in ["", "a", "one two  three", "   deep", "averyverylongword and more", "部门部门部门 x", "end "] {
            let lines = painter.wrapped(text, room)
            #expect(lines.allSatisfy { painter.width.columns($0) <= room })
            #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
            if painter.width.columns(text) <= room { #expect(lines == [text]) }
        }
        #expect(painter.wrapped("one two three", 8) == ["one two", "three"])
    }

    @Test("A value of 60,000 characters is drawn at once", .patient)
    func hugeValues() throws {
        var browser = try BrowserTests.browser()
        var detail = ItemDetail(try #require(browser.catalog.selected))
        for character in ["x", "部", "e\u{301}", "x "] {
            detail.lines = [("Comment", String(repeating: character, count: 60_000))]
            browser.layers = [.detail(detail)]
            #expect(Self.text(browser).contains("Comment"))
        }
    }

    @Test("A field that is full is drawn at once, with its cursor in sight", .patient)
    func fullField() throws {
        var browser = try BrowserTests.browser()
        for character in ["x", "部", "e\u{301}"] {
            browser.layers = [.search(TextField(String(repeating: character, count: 1_024)))]
            for _ in 0..<100 {
                let cursor = try #require(Painter.draw(browser, now: BrowserTests.now).cursor)
                #expect((50..<80).contains(cursor.column), "\(cursor)")
            }
        }
    }

    @Test("A word that looks at the time means the same after others have changed something")
    func expired() throws {
        var catalog = ItemCatalog(own: OwnGroups(groups: ["g"], program: "security"))
        let key = try ItemTableTests.item("old", expires: BrowserTests.now - 1, number: 1)
        catalog.replace(items: ItemTable([key, try ItemTableTests.item("none", number: 2)]))
        catalog.look(for: "expired:yes", now: BrowserTests.now)
        #expect(catalog.shown.map(\.name) == ["old"])
        catalog.replace([], in: .login, with: [try ItemTableTests.item("new", number: 3)])
        #expect(catalog.shown.map(\.name) == ["old"])
        catalog.sort(by: .name, reversed: true)
        #expect(catalog.shown.map(\.name) == ["old"])
    }

    @Test("The mark of the order is seen at every heading", arguments: [80, 120])
    func headings(columns: Int) throws {
        var browser = try BrowserTests.browser(ScreenSize(rows: 24, columns: columns))
        for order in [ItemOrder.name, .kind, .account, .group] {
            browser.catalog.sort(by: order, reversed: false)
            let heading = try #require(Self.text(browser).split(separator: "\n").first { $0.contains("NAME") })
            #expect(heading.contains("▲") && !heading.contains("…"), "\(order)")
        }
    }

    @Test("Escape gives up what was typed when it comes twice")
    func leavesForm() throws {
        let press = { (browser: inout Browser, keys: [InputEvent.Key]) in
            keys.flatMap { browser.take(.key($0), now: BrowserTests.now) }
        }
        var browser = try BrowserTests.browser()
        #expect(press(&browser, [.character("a"), .character("x"), .escape]).isEmpty)
        #expect(browser.layers.count == 1 && browser.note != nil)
        // Another key means that the form is wanted.
        #expect(press(&browser, [.character("y"), .escape]).isEmpty && browser.layers.count == 1)
        #expect(press(&browser, [.escape]).isEmpty && browser.layers.isEmpty)
        // A form without a change has nothing to lose.
        #expect(press(&browser, [.character("a"), .escape]).isEmpty && browser.layers.isEmpty)
    }

    @Test(
        "A question shows its answers, however long the name is",
        arguments: [ScreenSize(rows: 10, columns: 40), ScreenSize(rows: 24, columns: 80)])
    func longNames(size: ScreenSize) throws {
        for name in [String(repeating: "name ", count: 300), String(repeating: "部", count: 900)] {
            var browser = try BrowserTests.browser(size)
            browser.catalog.replace(items: ItemTable([try ItemTableTests.item(name, group: StandInKeychain.ownGroup)]))
            for key: Character in ["d", "D"] {
                browser.layers = []
                _ = browser.take(.key(.character(key)), now: BrowserTests.now)
                #expect(Self.text(browser).contains("[ delete") && Self.text(browser).contains("Esc ]"))
            }
        }
    }

    @Test("A message in the middle begins with a capital and without the name of the command")
    func sentences() throws {
        var browser = try BrowserTests.browser()
        for (message, shown) in [("browse: the value is long", "The value is long"), ("no clipboard", "No clipboard")] {
            browser.layers = [.failure(FailureText(.failed(message, cause: "C.", remedy: "R.")))]
            #expect(Self.text(browser).contains("│ \(shown) "))
        }
    }
}
