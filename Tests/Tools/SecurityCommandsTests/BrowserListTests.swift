import CertificateWire
import KeychainClient
import KeychainModel
import LinuxSystem
import TerminalScreen
import Testing

@testable import SecurityCommands

@Suite("The viewer's list of items and keychains") struct BrowserListTests {
    private static func second() throws -> ChosenKeychain {
        .named(NamedKeychain(try #require(.init("0b8a12f4-8f6e-4c2e-9d8a-1f2e3d4c5b6a")), path: "/k/second.keychain"))
    }

    private static func text(_ browser: Browser, _ language: UserLanguage = .english) -> String {
        let grid = Painter.draw(browser, now: BrowserTests.now, say: language.text).grid
        return (0..<grid.rows).map { grid.text($0) }.joined(separator: "\n")
    }

    private static func browser(_ items: [ListedItem], columns: Int = 80) throws -> Browser {
        var browser = try BrowserTests.browser(ScreenSize(rows: 24, columns: columns))
        browser.catalog.replace(items: ItemTable(items))
        return browser
    }

    private static func item(_ name: String, _ number: UInt8, in keychain: ChosenKeychain = .login) throws -> ListedItem
    {
        try ItemTableTests.item(
            name, group: StandInKeychain.ownGroup, changed: BrowserTests.now - 60, number: number, in: keychain)
    }

    private func press(_ browser: inout Browser, _ text: String) -> [Browser.Effect] {
        text.flatMap { browser.take(.key(.character($0)), now: BrowserTests.now) }
    }

    @Test("Of several keychains each item says which one it is in, and of one keychain none does")
    func keychains() throws {
        let second = try Self.second()
        var browser = try Self.browser([try Self.item("here", 1), try Self.item("there", 2, in: second)])
        #expect(!Self.text(browser).contains("KEYCHAIN "))
        browser.keychains = [.login, second]
        let row = try #require(Self.text(browser).split(separator: "\n").first { $0.contains(" there ") })
        #expect(row.contains("second") && Self.text(browser).contains("KEYCHAIN "))
        #expect(Self.text(browser).contains("Keychain  login"))
        browser.catalog.narrow(to: .init(keychain: second))
        #expect(!Self.text(browser).contains("KEYCHAIN "))
    }

    @Test(
        "A keychain that is locked has a word at its side, without any colour",
        arguments: [FrameCharacters.lines, .ascii])
    func locked(frame: FrameCharacters) throws {
        let second = try Self.second()
        var browser = try Self.browser([try Self.item("here", 1)])
        (browser.keychains, browser.locked) = ([.login, second], [second])
        let grid = Painter.draw(browser, frame: frame, now: BrowserTests.now).grid
        let rows = (0..<24).map { grid.text($0) }
        #expect(rows.contains { $0.hasPrefix("  second") && $0.contains("locked") })
        #expect(!rows.contains { $0.hasPrefix("  login ") && $0.contains("locked") })
    }

    @Test("The moment of the change stays, and names are cut for it", arguments: [60, 80, 100, 120, 200])
    func moments(columns: Int) throws {
        let second = try Self.second()
        var browser = try Self.browser([try Self.item(String(repeating: "name", count: 60), 1)], columns: columns)
        for keychains in [[.login], [.login, second]] {
            browser.keychains = keychains
            let heading = try #require(Self.text(browser).split(separator: "\n").first { $0.contains("NAME") })
            #expect(heading.contains("CHANGED"), "\(heading)")
        }
    }

    @Test("A new item goes into the keychain that is chosen in its form")
    func choice() throws {
        let second = try Self.second()
        var browser = try Self.browser([])
        browser.keychains = [.login, second]
        #expect(press(&browser, "a").isEmpty)
        for key: InputEvent.Key in [.character("x"), .backTab, .character(" ")] {
            #expect(browser.take(.key(key), now: BrowserTests.now).isEmpty)
        }
        #expect(Self.text(browser).contains("Keychain   [second"))
        guard case .save(let form, overwrites: false)? = browser.take(.key(.control("s")), now: BrowserTests.now).first
        else {
            Issue.record("nothing is saved")
            return
        }
        #expect(form.keychain == second && form.changes.map(\.text) == ["x"])
        // Where there is one keychain, there is nothing to choose.
        #expect(!EditForm(nil, in: .login, of: [.login]).hasKeychainChoice)
    }

    @Test("The state of the keychain that was chosen before is not shown as that of the new one")
    func oldState() throws {
        let second = try Self.second()
        var browser = try Self.browser([try Self.item("here", 1)])
        browser.keychains = [.login, second]
        #expect(Self.text(browser).contains("login · unlocked"))
        browser.catalog.narrow(to: .init(keychain: second))
        #expect(Self.text(browser).contains("second · …") && !Self.text(browser).contains("unlocked"))
        browser.statusKeychain = second
        #expect(Self.text(browser).contains("second · unlocked"))
    }

    @Test("A deleted item says of which kind it was and when it was deleted")
    func deleted() throws {
        var browser = try Self.browser([])
        let gone = try ItemTableTests.item(
            "gone", group: StandInKeychain.ownGroup, changed: 100, number: 3, isDeleted: true,
            ended: BrowserTests.now - 30)
        browser.catalog.replace(deleted: ItemTable([gone]))
        _ = press(&browser, "7")
        let shown = Self.text(browser)
        #expect(shown.contains("DELETED") && shown.contains(" pass ") && shown.contains("deleted, generic password"))
        #expect(shown.contains("Deleted   "))
        #expect(press(&browser, "u") == [.restore(ItemMark(gone))])
        // Elsewhere the key says where deleted items are.
        _ = press(&browser, "1u")
        #expect(Self.text(browser).contains("Deleted (7)"))
    }

    @Test("A label that is not the name is shown with it, and found")
    func labels() throws {
        var browser = try Self.browser([
            try ItemTableTests.item("svc", label: "Robot", group: StandInKeychain.ownGroup),
            try ItemTableTests.item("same", label: "same", group: StandInKeychain.ownGroup, number: 2),
        ])
        #expect(Self.text(browser).contains("svc · Robot") && !Self.text(browser).contains("same · same"))
        _ = press(&browser, "/robot")
        #expect(browser.catalog.shown.map(\.name) == ["svc"])
    }

    @Test(
        "A filter that there is not is named, and so are those that there are",
        arguments: [("foo:bar", true), ("https://x", false), ("host:80", false), ("word", false), ("kind:pass", false)])
    func unknownFilter(words: String, isNamed: Bool) throws {
        var browser = try Self.browser([try Self.item("api", 1)])
        _ = press(&browser, "/\(words)")
        #expect(Self.text(browser).contains("There is no filter foo:") == isNamed)
        if isNamed { #expect(Self.text(browser).contains("kind: group:")) }
    }

    @Test("Each reason for which a key does nothing with an item has words of its own")
    func obstacles() throws {
        let own = StandInKeychain.ownGroup
        let items = [
            try ItemTableTests.item("cert", group: own, of: .certificate),
            try ItemTableTests.item("key", group: own, of: .key, number: 2),
            try ItemTableTests.item("theirs", group: "program:/x", number: 3),
        ]
        let notes = try items.flatMap { item in
            try ["r", "e"].map { key in
                var browser = try Self.browser([item])
                #expect(press(&browser, key).isEmpty)
                return try #require(browser.note)
            }
        }
        #expect(notes[0] == notes[1] && notes[2] == notes[3] && Set(notes).count == 4)
    }

    @Test("The name of a file is asked for before a certificate is written, and Enter writes")
    func export() throws {
        var browser = try Self.browser([
            try ItemTableTests.item("cert", group: StandInKeychain.ownGroup, of: .certificate)
        ])
        let mark = ItemMark(try #require(browser.catalog.selected))
        #expect(press(&browser, "x").isEmpty && Self.text(browser).contains("[cert.pem"))
        #expect(browser.take(.key(.control("u")), now: BrowserTests.now).isEmpty)
        #expect(browser.take(.key(.enter), now: BrowserTests.now).isEmpty && browser.note != nil)
        #expect(press(&browser, "a.pem").isEmpty)
        let effects = browser.take(.key(.enter), now: BrowserTests.now)
        #expect(effects == [.export(mark, "a.pem", replaces: false)])
        #expect(browser.take(.key(.escape), now: BrowserTests.now).isEmpty && browser.layers.isEmpty)
    }

    @Test("A page that takes its time says so, and in the user's language")
    func checking() throws {
        var browser = try Self.browser([
            try ItemTableTests.item("cert", group: StandInKeychain.ownGroup, of: .certificate)
        ])
        let effects = press(&browser, "v")
        #expect(effects.contains { $0.isSlow } && Self.text(browser).contains("checking …"))
        #expect(Self.text(browser, .chinese).contains("正在检查"))
    }

    @Test("The lines about access stand under headings")
    func access() throws {
        var browser = try Self.browser([try Self.item("api", 1)])
        _ = press(&browser, "w")
        let lines = Self.text(browser).split(separator: "\n").map {
            $0.drop { $0 != "│" }.dropFirst().drop { $0 == " " }
        }
        let headings = ["PROGRAM", "GROUP", "PROTECTION", "LATEST REQUESTS"]
        let found = lines.filter { line in headings.contains { line == $0 || line.hasPrefix($0 + " ") } }
        #expect(found.count >= 3)
    }

    @Test("Every outcome of a check has words in both languages")
    func outcomes() {
        for outcome in TrustOutcome.allCases { #expect(UserLanguage.chinese.text(outcome.reason) != outcome.reason) }
    }

    @Test("A wrong password is one of the keychain, and no passcode")
    func passwords() {
        let refusal = Refusal(.authFailed, .wrongPasscode, "passcode", "This is not the passcode.", do: "")
        #expect(FailureText(.refused(call: "browse", refusal)).problem == "This is not the password of the keychain.")
    }
}
