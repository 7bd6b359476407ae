import Testing

@testable import KeychainStore

@Suite("How far a store has come since it was marked")
struct WriteCountTests {
    @Test(
        "Counts that nobody can have reached are taken for enough, and end no process",
        arguments: [Int64.min, -1, 0, 7, .max], [Int64.min, -1, 0, 7, .max])
    func anyCount(_ first: Int64, _ second: Int64) {
        var count = WriteCount()
        for writes in [first, second] {
            count.note(WriteCount.Seen(changes: 1, block: 1, writes: writes))
            count.commit()
            #expect(count.writes >= 0)
            count.ask()
            #expect(writes < 0 || count.writes == 0)
        }
    }
}
