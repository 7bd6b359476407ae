import Glibc
import LinuxSystem
import Testing

@Suite("Clock and Deadline")
struct TimeTests {
    @Test("The reference date is the system's time less 31 years")
    func referenceDate() {
        let before = Double(time(nil)) - 978_307_200
        let now = Clock.secondsSinceReferenceDate
        #expect(now >= before && now <= Double(time(nil)) - 978_307_200 + 1)
    }

    @Test("The monotonic clock does not go back")
    func monotonic() {
        let moments = (0..<100).map { _ in Clock.monotonicNanoseconds }
        #expect(moments == moments.sorted() && moments[0] > 0)
    }

    @Test(
        "A deadline that has passed leaves nothing",
        arguments: [Deadline.now, .after(milliseconds: 0), .after(milliseconds: -5)])
    func passed(deadline: Deadline) {
        #expect(deadline.hasPassed && deadline.remainingMilliseconds == 0 && deadline.remainingNanoseconds == 0)
    }

    @Test("A deadline that never comes leaves everything, and so does one too far away to tell")
    func never() {
        for deadline in [Deadline.never, .after(milliseconds: .max)] {
            #expect(!deadline.hasPassed && deadline.remainingMilliseconds == -1 && deadline.remainingNanoseconds == nil)
        }
    }

    @Test("What is left is rounded up, so that no wait ends early")
    func remaining() {
        let deadline = Deadline.after(milliseconds: 60_000)
        #expect((1...60_000).contains(deadline.remainingMilliseconds) && !deadline.hasPassed)
        #expect(Deadline.after(milliseconds: 100 * 86_400_000).remainingMilliseconds == CInt.max)
        #expect(Deadline.now < deadline && deadline < .never)
    }
}

@Suite("Randomness")
struct RandomnessTests {
    @Test("Every byte is filled, in any amount", arguments: [0, 1, 12, 256, 257, 1 << 20])
    func filling(count: Int) {
        // A byte that is zero in forty fillings was not filled (chance 2⁻³²⁰ per byte).
        var seen = [UInt8](repeating: 0, count: count)
        for _ in 0..<(count > 300 ? 1 : 40) {
            for (index, byte) in Randomness.bytes(count).enumerated() where byte != 0 { seen[index] = 1 }
        }
        let filled = seen.count { $0 == 1 }
        #expect(count > 300 ? filled > count - count / 128 : filled == count)
        #expect(count == 0 || seen.last == 1 || count > 300)
    }

    @Test("Two fillings differ")
    func different() { #expect(Randomness.bytes(16) != Randomness.bytes(16)) }
}
