import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("Thread and Monitor")
struct ThreadTests {
    @Test("Joining waits for the work; joining again does not")
    func join() throws {
        let done = Monitor(0)
        let threads = try (0..<4).map { _ in try Thread(named: "worker") { done.update { $0 += 1 } } }
        for thread in threads { thread.join() }
        for thread in threads { thread.join() }
        #expect(done.update { $0 } == 4)
    }

    @Test("A thread nobody joins does its work, and a name that is too long does not keep it from it")
    func detached() throws {
        let done = Monitor(false)
        do { _ = try Thread(named: "a name of more than fifteen bytes") { done.update { $0 = true } } }
        #expect(done.wait(deadline: soon) { $0 ? true : nil } == true)
    }

    @Test("The work's captures are released when it has ended")
    func release() throws {
        final class Captured: Sendable {}
        weak var observed: Captured?
        do {
            let captured = Captured()
            observed = captured
            try Thread(named: "holder") { _ = captured }.join()
        }
        #expect(observed == nil)
    }

    @Test("Items handed over one by one all arrive, in order")
    func handOver() throws {
        let queue = Monitor<[Int]>([])
        let producer = try Thread(named: "producer") { for number in 0..<1000 { queue.update { $0.append(number) } } }
        var received: [Int] = []
        while received.count < 1000 {
            let batch = queue.wait(deadline: soon) { waiting -> [Int]? in
                if waiting.isEmpty { return nil }
                defer { waiting = [] }
                return waiting
            }
            received += try #require(batch)
        }
        producer.join()
        #expect(received == Array(0..<1000))
    }

    @Test("A wait without an answer ends at its deadline, having looked at least once")
    func deadline() {
        let never = Monitor(0)
        for deadline in [Deadline.now, .after(milliseconds: 10)] {
            var looks = 0
            let answer: Bool? = never.wait(deadline: deadline) { _ in
                looks += 1
                return nil
            }
            #expect(answer == nil && looks > 0)
        }
    }
}
