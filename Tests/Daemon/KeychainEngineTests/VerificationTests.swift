import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

/// The walk over everything comes in pages, so that no call is long and a person sees how far it has come.
@Suite("Verification by pages")
struct VerificationTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
    }

    private func pages(by deadline: Deadline) throws -> [VerificationPage] {
        var (pages, next) = ([] as [VerificationPage], VerificationCursor.start as VerificationCursor?)
        while let cursor = next {
            let page = try engine.verify(from: cursor, by: deadline)
            pages.append(page)
            next = page.next
        }
        return pages
    }

    @Test("The first page says how many rows there are, and the pages together look at every one")
    func everyRow() throws {
        _ = try engine.addTogether((0..<5000).map { "\($0)" })
        let pages = try pages(by: .never)
        #expect(pages.map(\.total).filter { $0 > 0 } == [5000])
        #expect(pages[0].total == 5000)
        #expect(pages.map(\.report.checked).reduce(0, +) == 5000)
        #expect(pages.allSatisfy { $0.report.checked <= 2048 })
        // Three for the passwords, one for each other class, one for the file.
        #expect(pages.count == 3 + 3 + 1)
    }

    @Test("A page that is late ends early, but not before something was done")
    func latePages() throws {
        _ = try engine.addTogether((0..<200).map { "\($0)" })
        let first = try engine.verify(from: .start, by: .now)
        #expect(first.report.checked == 64)
        let second = try engine.verify(from: try #require(first.next), by: .now)
        #expect(second.report.checked == 64)
        #expect(try engine.verify().checked == 200)
    }

    @Test("Rows that are added or deleted meanwhile do not make the walk go wrong")
    func changingStore() throws {
        _ = try engine.addTogether((0..<100).map { "\($0)" })
        let first = try engine.verify(from: .start, by: .now)
        try engine.tamper("DELETE FROM genp WHERE id IN (64, 65, 66)")
        let second = try engine.verify(from: try #require(first.next), by: .never)
        #expect(first.report.checked + second.report.checked == 98)
        #expect(second.next?.itemClass == .internetPassword)
    }

    @Test("Damage is reported on the page of its row")
    func damage() throws {
        _ = try engine.addTogether((0..<200).map { "\($0)" })
        try engine.tamper("UPDATE genp SET meta = x'00' WHERE id = 100")
        let pages = [try engine.verify(from: .start, by: .now)]
        #expect(pages[0].report.damage.isEmpty)
        let second = try engine.verify(from: try #require(pages[0].next), by: .now)
        #expect(second.report.damage.map(\.row) == [100])
    }
}
