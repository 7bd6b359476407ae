import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import TerminalScreen
import Testing

@testable import SecurityCommands

@Suite("The viewer's page of changes") struct BrowserHistoryTests {
    private static let before = BrowserTests.now - 600
    static let change = HistoryEntry(version(ended: before, comment: "old")!, next: attributes("new"), program: "/x")

    private static func attributes(_ comment: String) -> AttributeList {
        (try? item(ended: nil, comment: comment).attributes) ?? .empty
    }

    private static func item(ended: Double?, comment: String, end: VersionEnd = .changed) throws -> ItemResponse.Item {
        let writer = ResponseWriter()
        writer.begin(id: 1)
        writer.beginItem(.genericPassword)
        writer.buffer.append(.service, .string("deploy"))
        writer.buffer.append(.comment, .string(comment))
        writer.buffer.append(.modificationDate, .date(before - 100))
        if let ended {
            writer.buffer.append(.versionEnded, .date(ended))
            writer.buffer.append(.versionEnd, .number(Int64(end.rawValue)))
        }
        writer.endItem()
        writer.end(cursor: 0)
        let response = try ItemResponse(status: 0, body: writer.buffer.copy(from: FrameHeader.size))
        return try #require(response.items.first)
    }

    private static func version(ended: Double, comment: String, end: VersionEnd = .changed) -> ItemVersion? {
        (try? item(ended: ended, comment: comment, end: end)).flatMap(ItemVersion.init)
    }

    private static func browser(_ history: [HistoryEntry]) throws -> Browser {
        var browser = try BrowserTests.browser()
        var detail = ItemDetail(try #require(browser.catalog.selected), page: .history)
        detail.history = history
        browser.layers = [.detail(detail)]
        return browser
    }

    private static func text(_ browser: Browser, _ language: UserLanguage = .english) -> String {
        let grid = Painter.draw(browser, now: BrowserTests.now, say: language.text).grid
        return (0..<grid.rows).map { grid.text($0) }.joined(separator: "\n")
    }

    @Test("A change says when it was, what it changed from what to what, and which program made it")
    func lines() throws {
        let shown = Self.text(try Self.browser([Self.change]))
        #expect(shown.contains("changed: Comment") && shown.contains("Comment: old → new") && shown.contains("by /x"))
        let chinese = Self.text(try Self.browser([Self.change]), .chinese)
        #expect(chinese.contains("已更改：注释") && chinese.contains("由 /x"))
    }

    @Test("A change of nothing but the value, and a deletion, are said so")
    func others() throws {
        let version = try #require(Self.version(ended: Self.before, comment: "same"))
        let value = HistoryEntry(version, next: Self.attributes("same"), program: nil)
        #expect(Self.text(try Self.browser([value])).contains("changed: the value alone"))
        let gone = try #require(Self.version(ended: Self.before, comment: "same", end: .deleted))
        #expect(HistoryEntry(gone, next: nil, program: nil).isDeletion)
        #expect(Self.text(try Self.browser([HistoryEntry(gone, next: nil, program: nil)])).contains("deleted"))
    }

    @Test("An item becomes again as it was before the selected change, after a question")
    func reverts() throws {
        let older = HistoryEntry(
            try #require(Self.version(ended: Self.before - 50, comment: "oldest")), next: nil, program: nil)
        var browser = try Self.browser([Self.change, older])
        let mark = ItemMark(try #require(browser.catalog.selected))
        let press = { (browser: inout Browser, keys: [InputEvent.Key]) in
            keys.flatMap { browser.take(.key($0), now: BrowserTests.now) }
        }
        #expect(press(&browser, [.down, .character("u")]).isEmpty)
        #expect(Self.text(browser).contains("before this change?"))
        #expect(press(&browser, [.enter]).isEmpty && browser.layers.count == 1)
        #expect(press(&browser, [.character("u"), .character("y")]) == [.revert(mark, older.moment)])
        #expect(older.moment < older.time && older.moment >= Self.before - 100)
    }

    @Test("The selected change is in sight, however many there are")
    func scrolls() throws {
        var browser = try Self.browser([HistoryEntry](repeating: Self.change, count: 50))
        for _ in 0..<50 {
            _ = browser.take(.key(.down), now: BrowserTests.now)
            let cursor = try #require(Painter.draw(browser, now: BrowserTests.now).cursor)
            #expect((4..<22).contains(cursor.row))
        }
    }
}
