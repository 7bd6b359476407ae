import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("Epoll and Wakeup")
struct EpollTests {
    private func events(_ epoll: Epoll, deadline: Deadline = .now) throws(SystemError) -> [UInt64: Readiness] {
        var found: [UInt64: Readiness] = [:]
        let count = try epoll.wait(deadline: deadline) { found[$0] = $1 }
        #expect(count == found.count)
        return found
    }

    @Test("Every ready descriptor is reported by its token, the others are not")
    func tokens() throws {
        let epoll = try Epoll()
        let (left, right) = try UnixSocket.pair()
        try epoll.add(left.descriptor, for: .readable, token: 1)
        try epoll.add(right.descriptor, for: .readable, token: .max)
        #expect(try events(epoll).isEmpty)
        try left.sendText("x")
        #expect(try events(epoll, deadline: soon) == [.max: .readable])
    }

    @Test("What a descriptor is watched for can be changed and ended")
    func changes() throws {
        let epoll = try Epoll()
        let (left, right) = try UnixSocket.pair()
        try epoll.add(left.descriptor, for: .readable, token: 1)
        try epoll.modify(left.descriptor, for: [.readable, .writable], token: 2)
        #expect(try events(epoll, deadline: soon) == [2: .writable])
        try epoll.remove(left.descriptor)
        #expect(try events(epoll).isEmpty)
        #expect(code { () throws(SystemError) in try epoll.remove(left.descriptor) } == ENOENT)
        _ = right
    }

    @Test("A peer that goes is reported")
    func hangUp() throws {
        let epoll = try Epoll()
        let left = try UnixSocket.pair().0
        try epoll.add(left.descriptor, for: .readable, token: 1)
        #expect(try events(epoll, deadline: soon) == [1: [.readable, .hangUp]])
    }

    @Test("More ready descriptors than fit in one report come in the next")
    func capacity() throws {
        let epoll = try Epoll(capacity: 2)
        let wakeups = try (0..<3).map { _ in try Wakeup() }
        for (token, wakeup) in zip(UInt64(0)..., wakeups) {
            try epoll.add(wakeup.descriptor, for: .readable, token: token)
            wakeup.signal()
        }
        var seen: Set<UInt64> = []
        while seen.count < 3 {
            for token in try events(epoll, deadline: soon).keys {
                seen.insert(token)
                wakeups[Int(token)].clear()
            }
        }
        #expect(try events(epoll).isEmpty)
    }

    @Test("Another thread wakes the loop; many signals are one; cleared is over")
    func wakeup() throws {
        let epoll = try Epoll()
        let wakeup = try Wakeup()
        try epoll.add(wakeup.descriptor, for: .readable, token: 9)
        let thread = try Thread(named: "waker") { for _ in 0..<3 { wakeup.signal() } }
        #expect(try events(epoll, deadline: soon) == [9: .readable])
        thread.join()
        wakeup.clear()
        #expect(try events(epoll).isEmpty)
        wakeup.clear()
    }

    @Test("A wait without events ends at its deadline")
    func deadline() throws {
        #expect(try Epoll().wait(deadline: .after(milliseconds: 5)) { _, _ in } == 0)
    }
}
