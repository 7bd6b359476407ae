import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainMaster

@Suite("The master gets daemons' channels to the identifier")
struct IdentifierDeskTests {
    @Test("A channel that the identifier does not take now is handed over when it does")
    func triesAgain() throws {
        let directory = try TemporaryDirectory()
        let listener = try UnixSocket.listen(at: directory.file("identifier"))
        let epoll = try Epoll()
        let desk = IdentifierQueue(directory.file("identifier"), watchedBy: epoll, token: 1) { _ in }
        #expect(desk.isDue() && !desk.isDue())
        let master = try #require(try listener.accept())
        var channels = 0
        while desk.channel(of: .user(1)) != nil { channels += 1 }
        #expect(channels > 0 && desk.deadline != .never)
        for _ in 0..<channels { #expect(try IdentifierHandover.receive(from: master)?.owner == .user(1)) }
        while !desk.isDue() { try? master.descriptor.wait(for: .readable, deadline: desk.deadline) }
        #expect(desk.channel(of: .user(2)) != nil && desk.deadline == .never)
        #expect(try IdentifierHandover.receive(from: master)?.owner == .user(2))
    }
}
