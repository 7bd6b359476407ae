import LinuxSystem
import Testing

@Suite("What ends is started again, later each time")
struct BackoffTests {
    @Test("At first at once, then after a time that doubles, up to five seconds")
    func grows() throws {
        var backoff = Backoff()
        var waits: [CInt] = []
        for _ in 0..<9 {
            backoff.begin()
            waits.append(backoff.end().remainingMilliseconds)
        }
        #expect(waits[0] == 0)
        // The clock advances between the two calls.
        for (wait, expected) in zip(waits.dropFirst(), [100, 200, 400, 800, 1600, 3200, 5000, 5000] as [CInt]) {
            #expect((expected / 2...expected).contains(wait))
        }
    }

    @Test("What could not be started counts as what has ended")
    func unstarted() {
        var backoff = Backoff()
        #expect(backoff.end().hasPassed)
        #expect(!backoff.end().hasPassed)
    }

    @Test("A long life spares the first wait alone, when it cannot be started again")
    func gone() {
        var backoff = Backoff(longLife: 0)
        backoff.begin()
        #expect(backoff.end().hasPassed)
        #expect(!backoff.end().hasPassed)
        #expect(!backoff.end().hasPassed)
    }
}
