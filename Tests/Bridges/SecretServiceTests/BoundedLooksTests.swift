import LinuxSystem
import TestSupport
import Testing

@testable import SecretService

@Suite("Looks at programs that hold up who looks")
struct BoundedLooksTests {
    @Test("A look that never ends is left, and when too many hang nobody is looked at until one ends")
    func hanging() throws {
        let (looks, isOver) = (BoundedLooks(patience: 1), Monitor(false))
        defer { isOver.update { $0 = true } }
        let patient = BoundedLooks(patience: 1_000_000)
        #expect(patient.take { 7 } == 7)
        for _ in 0..<BoundedLooks.mostHanging {
            #expect(looks.take { isOver.wait { $0 ? 1 : nil } } == nil)
        }
        let taken = Lock(0)
        #expect(looks.take { taken.withLock { $0 += 1 } } == nil)
        #expect(taken.withLock { $0 } == 0)
        isOver.update { $0 = true }
        #expect(eventually { looks.take { taken.withLock { $0 += 1 } } != nil || taken.withLock { $0 } > 0 })
    }
}
