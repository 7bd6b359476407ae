import Systemd
import Testing

@Suite("The calls that wait for a service")
struct CallQueueTests {
    /// A queue whose changes are values that can be expected.
    private final class Queue {
        private var queue = CallQueue<String>()

        func add(_ call: String, _ client: String, _ owner: String, bytes: Int = 1) -> Bool {
            guard queue.room(of: owner) >= bytes else { return false }
            queue.add(call, of: client, by: owner, bytes: bytes)
            return true
        }
        func next() -> CallQueue<String>.Waiting? { queue.next() }
        func next(_ count: Int) -> [String] { (0..<count).compactMap { _ in queue.next()?.call } }
        func start(_ call: CallQueue<String>.Waiting) -> Bool { queue.start(call) }
        func goOn(_ call: CallQueue<String>.Waiting) { queue.goOn(call) }
        func forget(_ client: String) { queue.forget(client) }
    }

    @Test("A process with many calls, over many connections, makes others wait for one of them")
    func turns() {
        let queue = Queue()
        for number in 0..<9 { #expect(queue.add("a\(number)", ":1.\(number % 3)", "A")) }
        for number in 0..<2 { #expect(queue.add("b\(number)", ":2.1", "B")) }
        #expect(queue.next(6) == ["a0", "b0", "a1", "b1", "a2", "a3"])
    }

    @Test("Short calls of a process come before its long ones, of which one at a time goes on now and then")
    func steps() throws {
        let queue = Queue()
        let short = (1...2 * CallLimits.freshInARow).map { String($0) }
        for call in ["s", "t"] + short { #expect(queue.add(call, ":1.1", "A")) }
        var order: [String] = []
        while let next = queue.next() {
            order.append(next.call)
            guard ["s", "t"].contains(next.call) else { continue }
            switch order.count(where: { $0 == next.call }) {
            case 1: #expect(queue.start(next))
            case 2, 3: queue.goOn(next)
            default: break
            }
        }
        // The first time, their work begins.
        let before = ["s", "t"] + short.prefix(CallLimits.freshInARow - 2) + ["s"]
        let between = Array(short.dropFirst(CallLimits.freshInARow - 2))
        let after = between.prefix(CallLimits.freshInARow) + ["s"] + between.dropFirst(CallLimits.freshInARow)
        #expect(order == before + after + ["s", "t", "t", "t"])
    }

    @Test("A process has as many calls, and as much memory in them, as is allowed, and others have theirs")
    func limits() {
        let queue = Queue()
        #expect((0..<CallLimits.waiting).allSatisfy { queue.add("", ":1.\($0 % 100)", "A") })
        #expect(!queue.add("", ":1.100", "A"))
        #expect(queue.add("", ":2.1", "B", bytes: CallLimits.bytes))
        #expect(!queue.add("", ":2.1", "B"), "the memory is used up")
        #expect(queue.next(2).count == 2)
        #expect(queue.add("", ":1.100", "A") && queue.add("", ":2.1", "B"))
    }

    @Test("A call that is taken out is held no longer, however many of its process wait")
    func releases() {
        final class Call {}
        var queue = CallQueue<Call>()
        var calls = (0..<9).map { _ in Call() }
        for call in calls { queue.add(call, of: ":1.1", by: "A", bytes: 1) }
        weak let first = calls.first
        calls = []
        #expect(first != nil)
        #expect(queue.next() != nil)
        #expect(first == nil)
        #expect((0..<9).count { _ in queue.next() != nil } == 8)
    }

    @Test("A process has no more calls in steps than is allowed")
    func started() throws {
        let queue = Queue()
        #expect((0...CallLimits.started).allSatisfy { _ in queue.add("", ":1.1", "A") })
        var calls: [CallQueue<String>.Waiting] = []
        while let next = queue.next() { calls.append(next) }
        #expect(calls.dropLast().allSatisfy { queue.start($0) })
        #expect(!queue.start(try #require(calls.last)))
    }

    @Test("The calls of a client that has left go, and those of its process's other connections stay")
    func leaving() {
        let queue = Queue()
        #expect(queue.add("gone", ":1.1", "A", bytes: CallLimits.bytes - 1))
        #expect(queue.add("here", ":1.2", "A"))
        #expect(queue.add("gone", ":2.1", "B"))
        queue.forget(":1.1")
        queue.forget(":2.1")
        #expect(queue.add("more", ":1.2", "A", bytes: CallLimits.bytes - 1), "its memory is free again")
        #expect(queue.next(3) == ["here", "more"])
    }

    @Test("The calls of a client that leaves are looked at no more often than they were added")
    func leavingOften() {
        let queue = Queue()
        for number in 0..<4 { #expect(queue.add("a\(number)", ":1.1", "A")) }
        for number in 0..<3 { #expect(queue.add("gone", ":2.\(number)", "A")) }
        #expect(queue.add("a4", ":1.1", "A"))
        // As long as those that stay are the larger part, the others are passed over in their turn.
        for number in 0..<3 { queue.forget(":2.\(number)") }
        queue.forget(":3.1")
        #expect(queue.next(9) == ["a0", "a1", "a2", "a3", "a4"])
        #expect(queue.next() == nil)
        for number in 0..<9 { #expect(queue.add("b\(number)", ":4.\(number)", "B")) }
        for number in 1..<9 { queue.forget(":4.\(number)") }
        #expect(queue.next(9) == ["b0"])
    }

    @Test("A step of a client that has left is not put back")
    func leavingInAStep() throws {
        let queue = Queue()
        #expect(queue.add("s", ":1.1", "A") && queue.add("t", ":1.1", "A"))
        let first = try #require(queue.next()), second = try #require(queue.next())
        #expect(queue.start(first))
        let taken = try #require(queue.next())
        queue.forget(":1.1")
        queue.goOn(taken)
        #expect(queue.start(second))
        #expect(queue.next() == nil)
    }
}
