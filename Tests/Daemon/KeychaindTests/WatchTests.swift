import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

/// Programs are told by a real daemon when its keychain changes.
struct WatchTests {
    private static func news(
        _ connection: Connection, since epoch: UInt32, milliseconds: UInt32
    ) throws(Refusal) -> DeviceStateChange {
        let request = DeviceRequest.watch(epoch: epoch, milliseconds: milliseconds)
        guard case .news(let news) = try connection.device(request, passcodes: []) else { throw .malformed("the news") }
        return news
    }

    private static func passcode() throws -> FileDescriptor {
        try PasscodeFile.make(SecretBytes(copying: Array("1234".utf8).span))
    }

    @Test("two programs are told when a third locks, and one whose time is over hears what it knew")
    func told() throws {
        let fixture = try DaemonFixture()
        let third = try #require(try fixture.reach())
        _ = try third.device(.setPasscode, passcodes: [Self.passcode()])
        let first = try Self.news(third, since: 0, milliseconds: 0)
        #expect(first.status.lockState == .unlocked)
        #expect(try Self.news(third, since: first.epoch, milliseconds: 50) == first)
        let heard = Monitor<[DeviceStatus.LockState]>([])
        let watchers = try (0..<2).map { _ in
            let connection = try #require(try fixture.reach())
            // It is connected, so that the lock is told to a watcher that waits, or at once.
            #expect(try Self.news(connection, since: 0, milliseconds: 0).epoch == first.epoch)
            return try Thread(named: "watcher") {
                guard let news = try? Self.news(connection, since: first.epoch, milliseconds: UInt32(patience)) else {
                    return
                }
                heard.update { $0.append(news.status.lockState) }
            }
        }
        _ = try third.device(.lock, passcodes: [])
        #expect(heard.wait(deadline: soon) { $0.count == 2 ? $0 : nil } == [.locked, .locked])
        for watcher in watchers { watcher.join() }
    }

    @Test("a thousand watchers hold no worker: every other request is answered meanwhile, and then all of them are")
    func many() throws {
        let fixture = try DaemonFixture()
        let connection = try #require(try fixture.reach())
        _ = try connection.device(.setPasscode, passcodes: [Self.passcode()])
        let epoch = try Self.news(connection, since: 0, milliseconds: 0).epoch
        let body = SecretBuffer()
        DeviceRequest.watch(epoch: epoch, milliseconds: 30_000).append(to: body)
        let length = body.count
        // As a client that does not wait for answers: many requests on few connections.
        let sockets = try (0..<64).map { _ in try UnixSocket.connect(to: fixture.configuration.socket, deadline: soon) }
        for socket in sockets {
            let frames = SecretBuffer()
            for id in 0..<16 {
                FrameHeader(length: length, kind: .device, id: UInt32(id), word: 60_000).append(to: frames)
                body.withSpan { frames.append($0) }
            }
            try frames.withSpan { try socket.sendFully($0, deadline: soon) }
        }
        for _ in 0..<20 { _ = try connection.device(.status, passcodes: []) }
        try connection.add("meanwhile")
        _ = try connection.device(.lock, passcodes: [])
        for socket in sockets {
            for _ in 0..<16 {
                let head = SecretBytes(count: FrameHeader.size)
                let count = try head.withMutableSpan { try socket.receiveFully(into: &$0, deadline: soon) }
                let header = try #require(try head.withSpan { try FrameHeader($0, limit: 1 << 20) })
                #expect(count == FrameHeader.size && header.word == 0)
                let rest = SecretBytes(count: header.length)
                _ = try rest.withMutableSpan { try socket.receiveFully(into: &$0, deadline: soon) }
            }
        }
    }

    @Test("slots and settings go the whole way: a recovery code reaches the program, and opens the keychain")
    func slots() throws {
        let fixture = try DaemonFixture()
        let connection = try #require(try fixture.reach())
        _ = try connection.device(.setPasscode, passcodes: [Self.passcode()])
        let room = try PasscodeFile.makeRoom(RecoveryCodeFormat.room)
        _ = try connection.device(.addSlot(.recovery, by: .passcode), passcodes: [Self.passcode(), room])
        _ = try connection.device(.changeSettings(DeviceSettings(idleSeconds: 600)), passcodes: [])
        let bytes = try PasscodeFile.read(room, limit: 64, deadline: soon)
        let code = try PasscodeFile.make(bytes.withSpan { SecretBytes(copying: $0.extracting(..<35)) })
        try fixture.stop()
        let restarted = try #require(try fixture.reach())
        guard case .details(let details) = try restarted.device(.details, passcodes: []) else {
            Issue.record("no details")
            return
        }
        #expect(details.slots.map(\.kind) == [.passcode, .recovery])
        #expect(details.settings.idleSeconds == 600)
        #expect(try Self.news(restarted, since: 0, milliseconds: 0).status.lockState == .beforeFirstUnlock)
        _ = try restarted.device(.unlockWith(.recoveryCode), passcodes: [code])
        #expect(try Self.news(restarted, since: 0, milliseconds: 0).status.lockState == .unlocked)
    }
}
