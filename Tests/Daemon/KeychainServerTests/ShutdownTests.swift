import Glibc
import KeychainModel
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

@Suite("A server that stops finishes what it began")
struct ShutdownTests {
    @Test("Writes that were read are performed and answered, then their connections are closed")
    func finishesWrites() throws {
        let server = try RunningServer()
        let clients = try CommitTests.holdingFirst(of: 8, at: server)
        let idle = try server.connect()
        #expect(try idle.ask(Frames.search())?.status == 0)
        let stopping = try Thread(named: "stop") { [server = server.server] in server.stop() }
        // The idle connection is closed at once, which shows that the server is stopping.
        #expect(try idle.isClosed())
        server.standIn.release()
        for client in clients {
            #expect(try client.receive()?.status == 0)
            #expect(try client.isClosed())
        }
        stopping.join()
        #expect(server.standIn.record.batches.map(\.count) == [1, 7])
    }

    @Test("A watch of changes is answered as it stands, and need not be waited for")
    func endsWatches() throws {
        let server = try RunningServer()
        let watches: [DeviceRequest] = [
            .watch(epoch: server.standIn.stateEpoch.value, milliseconds: 60_000),
            .watchGroups(GroupWatch([GroupNumber(group: "group", number: 7)], milliseconds: 60_000)),
        ]
        let clients = try watches.map { watch in
            let client = try server.connect()
            // Once the search is answered the watch has been taken.
            #expect(try client.ask(Frames.device(watch, id: 1) + Frames.search(id: 2))?.id == 2)
            return client
        }
        server.stop()
        for client in clients {
            let answer = try client.receive()
            #expect(answer?.id == 1 && answer?.status == 0)
            #expect(try client.isClosed())
        }
    }

    @Test("A request that was not read is not performed, and its client can tell")
    func tellsUnread() throws {
        let server = try RunningServer()
        let client = try server.connect()
        #expect(try client.ask(Frames.search(id: 1))?.id == 1)
        server.stop()
        #expect(throws: SystemError(code: EPIPE, call: "send")) { try client.send(Frames.add(id: 2)) }
        #expect(server.standIn.record.batches.isEmpty)
    }

    @Test("Nobody can connect any more, and another server takes the place")
    func givesUpSocket() throws {
        let directory = try TemporaryDirectory()
        let first = try RunningServer(in: directory)
        first.stop()
        #expect(
            code { () throws(SystemError) in _ = try UnixSocket.connect(to: first.path, deadline: soon) }
                == ECONNREFUSED)
        let second = try RunningServer(in: directory)
        #expect(try second.connect().ask(Frames.search())?.status == 0)
    }

    @Test("It knows for how long nobody has been connected")
    func knowsVacancy() throws {
        let server = try RunningServer()
        #expect(server.server.vacancy != nil)
        do {
            let client = try server.connect()
            #expect(try client.ask(Frames.search())?.status == 0)
            #expect(server.server.vacancy == nil)
            client.finishSending()
            #expect(try client.isClosed())
        }
        server.stop()
        #expect(server.server.vacancy != nil)
    }
}
