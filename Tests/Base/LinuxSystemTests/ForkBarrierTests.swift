import Glibc
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@Suite("The barrier before forks")
struct ForkBarrierTests {
    @Test("A fork waits until what is done behind the barrier is done, and the child may use the barrier")
    func waits() async {
        await #expect(processExitsWith: .success) {
            let isInside = Monitor(false)
            let isDone = Atomic(false)
            let thread = try Thread(named: "inside") {
                ForkBarrier.withoutForks {
                    isInside.update { $0 = true }
                    usleep(200_000)
                    isDone.store(true, ordering: .releasing)
                }
            }
            isInside.wait { $0 ? () : nil }
            let wasDone = isDone.load(ordering: .acquiring)
            #expect(!wasDone)
            let child = ForkedChild {
                guard isDone.load(ordering: .acquiring) else { return 1 }
                return ForkBarrier.withoutForks { 0 }
            }
            #expect(child.waitForExit() == 0)
            thread.join()
            #expect(ForkBarrier.withoutForks { true })
        }
    }
}
