import KeychainClient
import LinuxSystem
import TerminalScreen
import Testing

@testable import SecurityCommands

@Suite("A value in the viewer") struct BrowserSecretTests {
    private static let now = BrowserTests.now

    private func press(_ browser: inout Browser, _ text: String) -> [Browser.Effect] {
        text.flatMap { browser.take(.key(.character($0)), now: Self.now) }
    }

    private func texts(_ lines: SecretLines?) -> [String]? {
        lines?.lines.map { $0.withSpan { $0.text(0, $0.count) ?? "" } }
    }

    private func bytes(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }

    @Test("A value that its screen has no rows for is not shown, and not spelled", arguments: [10, 11, 24])
    func lowScreens(rows: Int) throws {
        let room = Painter.secretRoom(try BrowserTests.browser(ScreenSize(rows: rows, columns: 40)))
        #expect(room.rows == rows - 7)
        for most in 1...8 {
            let value = bytes(String(repeating: "x", count: room.columns * most))
            #expect((SecretLines(value, room: room) != nil) == (most <= min(4, room.rows)))
            let spelled = bytes(String(repeating: "x", count: room.columns / 2 * most))
            #expect((SecretLines(spelling: spelled, room: room) != nil) == (most <= min(8, room.rows)))
        }
    }

    @Test("A value is whole on the screen or not there")
    func whole() throws {
        var browser = try BrowserTests.browser(.least)
        let item = try #require(browser.catalog.selected)
        _ = press(&browser, "r")
        for rows in 1...5 {
            let columns = [Int](repeating: 11, count: rows)
            browser.change(item) { ($0.lines, $0.secret) = ([], .shown(until: Self.now + 30, columns: columns)) }
            let picture = Painter.draw(browser, now: Self.now)
            #expect(picture.hasRoom(forSecret: columns) == (rows <= 3), "\(rows)")
        }
        browser.change(item) { $0.secret = .shown(until: Self.now + 30, columns: [11]) }
        browser.layers.append(.failure(FailureText(.failed("x", cause: "y", remedy: "z"))))
        #expect(!Painter.draw(browser, now: Self.now).hasRoom(forSecret: [11]))
    }

    @Test(
        "A value of which a Hangul vowel or last letter would begin a row is shown in hexadecimal",
        arguments: ["\u{1160}", "\u{1161}a", "\u{11FF}", "\u{D7B0}", "\u{D7FB}"])
    func hangul(value: String) {
        let room = SecretLines.Room(rows: 4, columns: 20)
        #expect(texts(SecretLines(bytes(value), room: room))?.first?.hasPrefix("0x") ?? false)
        #expect(texts(SecretLines(spelling: bytes(value), room: room))?.first?.hasPrefix("U+") ?? true)
        // Behind seven letters it would begin the second row.
        let later = texts(SecretLines(bytes("1234567\(value)"), room: .init(rows: 4, columns: 8)))
        #expect(later?.first == "0x313233")
    }

    @Test("A terminal for ASCII gets nothing else of a value")
    func ascii() {
        let room = SecretLines.Room(rows: 4, columns: 20, isASCII: true)
        #expect(texts(SecretLines(bytes("é"), room: room)) == ["0xc3a9"])
        #expect(texts(SecretLines(spelling: bytes("aé"), room: room)) == ["a U+E9 "])
        #expect(texts(SecretLines(bytes("plain"), room: room)) == ["plain"])
    }

    @Test(
        "Everything that hides a value also takes back the wish for it",
        arguments: [
            InputEvent.key(.left), .key(.character("?")), .key(.escape), .key(.character("r")), .key(.character(" ")),
            .focus(false), .focus(true), .paste("x"), .pasteTooLong, .mouse(.init(.release, row: 1, column: 1)),
        ])
    func takenBack(event: InputEvent) throws {
        for start in ["r", " r"] {
            var browser = try BrowserTests.browser()
            let item = try #require(browser.catalog.selected)
            #expect(press(&browser, start).last == .reveal(ItemMark(item)))
            #expect(browser.isWaiting(for: item))
            #expect(browser.take(.cursor(row: 1, column: 1), now: Self.now).isEmpty && browser.isWaiting(for: item))
            #expect(browser.take(event, now: Self.now).first == .hide)
            #expect(!browser.isWaiting(for: item))
        }
    }

    @Test("A new size takes back the wish for a value")
    func resized() throws {
        var browser = try BrowserTests.browser()
        let item = try #require(browser.catalog.selected)
        _ = press(&browser, "r")
        #expect(browser.resize(to: browser.size) == [.hide] && !browser.isWaiting(for: item))
    }

    @Test("An answer changes the screen of its own item only")
    func ownItem() throws {
        var browser = try BrowserTests.browser()
        let first = try #require(browser.catalog.selected)
        _ = press(&browser, "r")
        for key: InputEvent.Key in [.left, .down, .enter] { _ = browser.take(.key(key), now: Self.now) }
        let second = try #require(browser.catalog.selected)
        #expect(!second.isSame(as: first))
        browser.change(first) { ($0.lines, $0.secret) = ([], .shown(until: Self.now + 30, columns: [10])) }
        #expect(browser.hidingTime == nil && browser.layers.last?.isUnread(second) ?? false)
        // Below the help too.
        _ = press(&browser, "?")
        browser.change(second) { $0.lines = [] }
        #expect(!browser.layers[0].isUnread(second))
    }
}
