import LinuxSystem
import Testing

@Suite("Looking before sleeping") struct AdaptiveSpinTests {
    /// The number of checks of a spin whose condition never becomes true.
    private static func looks(of wait: inout AdaptiveSpin) -> Int {
        var looks = 0
        let found = wait.spin {
            looks += 1
            return false
        }
        #expect(!found)
        return looks
    }

    @Test("What comes while somebody looks is found at once")
    func finds() {
        var wait = AdaptiveSpin()
        var looks = 0
        let found = wait.spin {
            looks += 1
            return looks == 3
        }
        // With one processor there is no spin.
        #expect(found == (looks == 3))
    }

    @Test("Where looking did not help, it is left off for longer each time", arguments: [false, true])
    func pauses(forgivesOne: Bool) {
        var wait = AdaptiveSpin(forgivesOne: forgivesOne)
        guard Self.looks(of: &wait) > 0 else { return }
        for pause in (forgivesOne ? [0] : []) + [1, 2, 4, 8] {
            for _ in 0..<pause { #expect(Self.looks(of: &wait) == 0) }
            #expect(Self.looks(of: &wait) > 0)
        }
        for _ in 0..<16 { _ = Self.looks(of: &wait) }
        #expect(wait.spin { true })
        // A success makes the next pause short again.
        #expect(Self.looks(of: &wait) > 0)
        if forgivesOne { #expect(Self.looks(of: &wait) > 0) }
        #expect(Self.looks(of: &wait) == 0)
        #expect(Self.looks(of: &wait) > 0)
    }

    @Test("Who knows how long it takes says how long to look", arguments: [1_000, 20_000])
    func limit(_ microseconds: UInt64) {
        var wait = AdaptiveSpin(microseconds: microseconds)
        let start = Clock.monotonicNanoseconds
        if Self.looks(of: &wait) > 0 { #expect(Clock.monotonicNanoseconds - start >= microseconds * 1_000) }
    }

    @Test("An error of the look ends it")
    func throwsOn() {
        struct Trouble: Error {}
        var wait = AdaptiveSpin()
        var looks = 0
        do {
            _ = try wait.spin { () throws(Trouble) in
                looks += 1
                throw Trouble()
            }
            #expect(looks == 0)
        } catch { #expect(looks == 1) }
    }
}
