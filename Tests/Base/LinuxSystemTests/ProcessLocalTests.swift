import LinuxSystem
import Synchronization
import TestSupport
import Testing

@Suite("Values that a forked child does not share")
struct ProcessLocalTests {
    @Test("A child makes a new value at its first use, the parent keeps its own")
    func madeAnew() async {
        await #expect(processExitsWith: .success) {
            let local = ProcessLocal(1)
            func use() -> Int { local.withValue(inChild: { $0 += 10 }) { $0 } }
            #expect(use() == 1)
            let child = ForkedChild {
                let grandchild = ForkedChild { CInt(use()) }
                return use() == 11 && use() == 11 ? grandchild.waitForExit() : 0
            }
            #expect(child.waitForExit() == 11)
            #expect(use() == 1)
        }
    }

    @Test("A child is not stopped by the mutex that another thread of its parent holds")
    func heldMutex() async {
        await #expect(processExitsWith: .success) {
            enum Stage { case notYet, held, released }
            let local = ProcessLocal(1)
            let stage = Monitor(Stage.notYet)
            let holder = try Thread(named: "holder") {
                local.withValue(inChild: { _ in }) { _ in
                    stage.update { $0 = .held }
                    stage.wait { $0 == .released ? () : nil }
                }
            }
            stage.wait { $0 == .held ? () : nil }
            let child = ForkedChild { CInt(local.withValue(inChild: { $0 = 2 }) { $0 }) }
            #expect(child.waitForExit() == 2)
            stage.update { $0 = .released }
            holder.join()
        }
    }

    @Test("A child whose value could not be made tries again")
    func triedAgain() async {
        await #expect(processExitsWith: .success) {
            struct Refused: Error {}
            let local = ProcessLocal(1)
            let attempts = Atomic(0)
            let child = ForkedChild {
                for _ in 0..<2 {
                    let failed = try? local.withValue(
                        inChild: { (_) throws(Refused) in
                            attempts.add(1, ordering: .relaxed)
                            throw Refused()
                        }, { (value) throws(Refused) in value })
                    if failed != nil { return 0 }
                }
                return CInt(attempts.load(ordering: .relaxed))
            }
            #expect(child.waitForExit() == 2)
        }
    }
}
