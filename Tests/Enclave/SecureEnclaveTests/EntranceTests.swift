import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import enclaved

@Suite("The listener leaves an entrance alone for a moment when it cannot accept")
struct EntranceTests {
    private let epoll: Epoll
    private let entrance: Entrance
    private let end: UnixSocket

    /// A socket that is readable and accepts nothing.
    init() throws {
        let (ours, theirs) = try UnixSocket.pair()
        (epoll, end) = (try Epoll(), theirs)
        entrance = try Entrance(ours, epoll, token: 7)
        try end.sendFully([1].span, deadline: soon)
    }

    private func events() throws -> Int { try epoll.wait(deadline: .now) { _, _ in } }

    @Test("What cannot be accepted is reported once, until the next look is due")
    func rests() throws {
        for _ in 1...3 {
            #expect(try events() == 1)
            #expect(throws: SystemError.self) { try entrance.accept() }
            #expect(try events() == 0 && entrance.due != .never)
            #expect(eventually { entrance.due.hasPassed })
            try entrance.look()
            #expect(entrance.due == .never)
        }
    }
}
