import KeychainClient
import KeychainModel
import LinuxSystem
import TerminalScreen
import Testing

@testable import SecurityCommands

@Suite("The viewer's forms and questions") struct BrowserFormTests {
    private static let now = BrowserTests.now

    private func press(_ browser: inout Browser, _ text: String) -> [Browser.Effect] {
        text.flatMap { browser.take(.key(.character($0)), now: Self.now) }
    }

    private static func text(_ browser: Browser) -> String {
        let grid = Painter.draw(browser, now: now).grid
        return (0..<grid.rows).map { grid.text($0) }.joined(separator: "\n")
    }

    private func keychain(_ path: String = "/x/second.keychain") throws -> ChosenKeychain {
        .named(
            NamedKeychain(try #require(NamedKeychain.Identifier("00000000-0000-4000-8000-000000000000")), path: path))
    }

    @Test("A form takes nothing but Escape until its item was read")
    func unread() throws {
        var browser = try BrowserTests.browser()
        let item = try #require(browser.catalog.selected)
        #expect(press(&browser, "e") == [.readItem(ItemMark(item))])
        #expect(Self.text(browser).contains("reading …"))
        let events: [InputEvent] = [
            .key(.character("x")), .key(.down), .key(.control("u")), .key(.control("s")), .paste("x"),
        ]
        for event in events { #expect(browser.take(event, now: Self.now).isEmpty) }
        browser.fillForm(item, ["svce": "api", "acct": "ann", "icmt": "comment"])
        guard case .form(let form)? = browser.layers.last else {
            Issue.record("the form is gone")
            return
        }
        #expect(form.isFilled && !form.isChanged && form.place == 0 && !Self.text(browser).contains("reading …"))
        // One that is not read takes Escape, and goes when it cannot be read.
        for leave in [
            { (browser: inout Browser) in _ = browser.take(.key(.escape), now: Self.now) }, { $0.removeUnreadForms() },
        ] {
            var browser = try BrowserTests.browser()
            _ = press(&browser, "e")
            leave(&browser)
            #expect(browser.layers.isEmpty)
        }
    }

    @Test("A new item goes into the keychain that its form was begun in")
    func keptKeychain() throws {
        var browser = try BrowserTests.browser()
        let second = try keychain()
        (browser.keychains, browser.usualKeychain) = ([.login, second], second)
        _ = press(&browser, "ax")
        #expect(Self.text(browser).contains("Keychain   [second"))
        browser.catalog.narrow(to: .init(keychain: .login))
        guard case .save(let form, overwrites: false)? = browser.take(.key(.control("s")), now: Self.now).first else {
            Issue.record("nothing is saved")
            return
        }
        #expect(form.keychain == second)
        browser.layers = []
        _ = press(&browser, "a")
        #expect(Self.text(browser).contains("Keychain   [login"))
        browser.size = .least
        #expect(Self.text(browser).contains("Keychain   [login"))
    }

    @Test("u in the screen of a deleted item brings that one back")
    func undo() throws {
        var browser = try BrowserTests.browser()
        let items = try ["one", "two"].enumerated().map {
            try ItemTableTests.item($1, number: UInt8($0) + 40, isDeleted: true)
        }
        browser.catalog.replace(deleted: ItemTable(items))
        _ = press(&browser, "7")
        _ = browser.take(.key(.enter), now: Self.now)
        // Another program's change moves the selection meanwhile.
        browser.catalog.select(1)
        #expect(press(&browser, "u") == [.restore(ItemMark(items[0]))])
        browser.layers = []
        #expect(press(&browser, "u") == [.restore(ItemMark(items[1]))])
    }

    @Test(
        "A key that does nothing with an item says why",
        arguments: [
            (ItemClass.identity, false, "dDrce"), (.certificate, false, "rce"), (.key, false, "rce"),
            (.genericPassword, true, "rced"),
        ])
    func obstacles(itemClass: ItemClass, isDeleted: Bool, keys: String) throws {
        for key in keys {
            var browser = try BrowserTests.browser()
            browser.catalog.own = OwnGroups(groups: ["g", StandInKeychain.ownGroup], program: "security")
            let item = try ItemTableTests.item("Our Root", of: itemClass, isDeleted: isDeleted)
            browser.catalog.replace(items: ItemTable([item]))
            browser.catalog.replace(deleted: ItemTable([item]))
            browser.catalog.narrow(to: .init(kind: item.kind))
            #expect(press(&browser, String(key)).isEmpty && browser.layers.isEmpty && browser.note != nil, "\(key)")
        }
    }

    @Test("An item of another program is not deleted, and the last line offers only what works")
    func foreign() throws {
        var browser = try BrowserTests.browser()
        browser.catalog.select(2)
        for key in ["d", "D"] {
            #expect(press(&browser, key).isEmpty && browser.layers.isEmpty && browser.note != nil)
        }
        #expect(KeyHint.of(browser).map(\.name) == ["Enter", "a", "/", "Tab", "u"])
        _ = browser.take(.key(.enter), now: Self.now)
        #expect(KeyHint.of(browser).map(\.name) == ["w", "y", "Tab", "Esc"])
    }

    @Test("A question that the screen has no room for is not answered")
    func tooSmall() throws {
        var browser = try BrowserTests.browser(ScreenSize(rows: 9, columns: 39))
        _ = press(&browser, "d")
        #expect(browser.question == nil && press(&browser, "y").isEmpty && browser.layers.isEmpty)
    }

    @Test("A question below a lost or locked keychain is none that the screen has")
    func covered() throws {
        var browser = try BrowserTests.browser()
        _ = press(&browser, "d")
        #expect(browser.question?.act == .delete)
        browser.lost = FailureText(.failed("x", cause: "y", remedy: "z"))
        #expect(browser.question == nil)
    }

    @Test("A click on the key that tries a lost keychain again works")
    func tryNow() throws {
        var browser = try BrowserTests.browser()
        browser.lost = FailureText(.failed("x", cause: "y", remedy: "z"))
        let picture = Painter.draw(browser, now: Self.now)
        let target = picture.target(23, 2)
        #expect(target == .press(.character("r")))
        #expect(browser.take(.mouse(.init(.press, row: 23, column: 2)), at: target, now: Self.now) == [.reload])
    }

    @Test("The sidebar keeps its width in bounds when the window becomes narrower")
    func sidebarWidth() throws {
        var browser = try BrowserTests.browser(ScreenSize(rows: 24, columns: 120))
        browser.sidebarWidth = 40
        _ = browser.resize(to: ScreenSize(rows: 24, columns: 60))
        #expect(browser.sidebarWidth == 20)
    }

    @Test("The line of the sidebar that is chosen is in sight", arguments: [10, 12, 24])
    func sidebarScrolls(rows: Int) throws {
        var browser = try BrowserTests.browser(ScreenSize(rows: rows, columns: 80))
        browser.pane = .sidebar
        for (index, entry) in browser.sidebar.enumerated() {
            browser.sidebarPlace = index
            _ = browser.show(entry: entry)
            let picture = Painter.draw(browser, now: Self.now)
            let cursor = try #require(picture.cursor, "\(index)")
            #expect(picture.target(cursor.row, 1) == .sidebar(index))
        }
    }

    @Test("Refusals speak the viewer's language, and keep the case of a name")
    func refusals() throws {
        let gone = FailureText(.refused(call: "browse", .nothingFound))
        #expect(gone.problem == "Another program has deleted this item.")
        let browser = try BrowserTests.browser()
        let theirs = try #require(browser.catalog.shown.first { $0.name == "theirs" })
        do throws(CommandFailure) {
            try browser.catalog.own.require(theirs, "browse")
            Issue.record("it is ours")
        } catch {
            var shown = browser
            shown.layers = [.failure(FailureText(error))]
            #expect(Self.text(shown).contains("│ theirs (ann) belongs to"))
        }
    }

    @Test("Where nothing was deleted, Deleted says so")
    func emptyDeleted() throws {
        var browser = try BrowserTests.browser()
        _ = press(&browser, "7")
        #expect(Self.text(browser).contains("Nothing was deleted lately."))
        browser.catalog.look(for: "x", now: Self.now)
        #expect(Self.text(browser).contains("Nothing matches."))
    }
}
