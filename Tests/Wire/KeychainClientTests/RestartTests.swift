import Glibc
import KeychainClient
import KeychainModel
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

@Suite("A daemon that goes away behind its clients")
struct RestartTests {
    private static let search = Frames.request(.copyMatching, account: "alice")
    private static let add = Frames.request(.add, account: "alice")

    @Test("After a restart the next request succeeds; a write is performed once", arguments: [search, add])
    func survivesRestart(request: ItemRequest) throws {
        let directory = try TemporaryDirectory()
        let first = try RunningServer(in: directory)
        let connection = first.connection()
        _ = try connection.send(Self.search)
        first.stop()
        let second = try RunningServer(in: directory)
        #expect(try connection.send(request).items.count == 1)
        let seen = second.standIn.record
        #expect(seen.searches.count + seen.batches.joined().count == 1)
    }

    @Test("Several sockets that lead to the old daemon are given up at once")
    func forgetsAllSockets() throws {
        let directory = try TemporaryDirectory()
        let first = try RunningServer(in: directory)
        let connection = first.connection()
        first.standIn.hold([.search, .write])
        let threads = try (0..<4).map { _ in try Thread(named: "client") { _ = try? connection.send(Self.add) } }
        #expect(first.standIn.waits { !$0.batches.isEmpty })
        first.standIn.release()
        for thread in threads { thread.join() }
        first.stop()
        let second = try RunningServer(in: directory)
        for _ in 0..<4 { #expect(try connection.send(Self.search).items.count == 1) }
        #expect(second.server.connections == 1)
    }

    @Test(
        "A write that the daemon had read when it went is not repeated, and its caller is told that its fate is unknown"
    )
    func neverRepeatsWrite() throws {
        let daemon = try ScriptedDaemon([.readAndClose, .answer])
        let refusal = failure { () throws(Refusal) in try daemon.connection().send(Self.add) }
        #expect(refusal?.status == .notAvailable && refusal?.rule == .unknownOutcome)
        #expect(refusal?.problem.contains("not known") == true)
        #expect(daemon.finish() == 1)
    }

    @Test("A passcode that the daemon had read when it went is not tried twice")
    func neverRepeatsPasscode() throws {
        let daemon = try ScriptedDaemon([.readAndClose, .answer])
        let file = try FileDescriptor.holding("secret")
        let refusal = failure { () throws(Refusal) in try daemon.connection().device(.unlock, passcodes: [file]) }
        #expect(refusal?.rule == .unavailable)
        #expect(daemon.finish() == 1)
    }

    static var questions: [DeviceRequest] {
        [
            .status, .lock, .verify(from: .start), .details, .changeSettings(DeviceSettings()), .snapshot, .identity,
            .watch(epoch: 0, milliseconds: 0), .watchGroups(GroupWatch([])), .release, .lastUnlock, .examine,
            .access(.decisions(after: 0)),
            .access(.changes(after: 0)), .access(.why(program: "", query: [])), .access(.orphans),
            .access(.keepRows([])), .access(.row(1)), .access(.gather), .access(.use), .access(.others),
        ]
    }

    @Test("What asks the device, and does no harm twice, is repeated after a restart", arguments: questions)
    func repeatsQuestion(request: DeviceRequest) throws {
        let daemon = try ScriptedDaemon([.readAndClose, .answer])
        let files = try (0..<request.descriptors.lowerBound).map { _ in try FileDescriptor.holding("file") }
        _ = try? daemon.connection().device(request, passcodes: files)
        #expect(daemon.finish() == 2)
    }

    static var attempts: [DeviceRequest] {
        [
            .setPasscode, .removePasscode, .removePasscodeAndFiles, .moveToTPM, .moveToSoftware,
            .unlockWith(.recoveryCode), .acceptStore, .setFileRecovery(.none, by: .passcode),
            .replacePasscode(by: .recoveryCode), .addSlot(.recovery, by: .passcode), .removeSlot(1, by: .passcode),
            .access(.move(GroupMove(from: "a", to: "b"))), .access(.setPolicy(.keep, group: "a")),
            .access(.uninstalled([])), .access(.work(ProgramWork("program:/bin/a", []))),
        ]
    }

    @Test("What may count or change something a second time is not", arguments: attempts)
    func neverRepeatsAttempt(request: DeviceRequest) throws {
        let daemon = try ScriptedDaemon([.readAndClose, .answer])
        let files = try (0..<request.descriptors.lowerBound).map { _ in try FileDescriptor.holding("secret") }
        #expect(throws: Refusal.self) { try daemon.connection().device(request, passcodes: files) }
        #expect(daemon.finish() == 1)
    }

    @Test("A search is repeated, because nothing can come of it")
    func repeatsSearch() throws {
        let daemon = try ScriptedDaemon([.readAndClose, .answer])
        #expect(try daemon.connection().send(Self.search).items.isEmpty)
        #expect(daemon.finish() == 2)
    }

    @Test("A write that the daemon had not read when it went is repeated: the kernel tells", arguments: [add, search])
    func repeatsUnread(request: ItemRequest) throws {
        let daemon = try ScriptedDaemon([.closeUnread, .answer])
        #expect(try daemon.connection().send(request).items.isEmpty)
        #expect(daemon.finish() == 2)
    }

    @Test("It is repeated once and no more")
    func repeatsOnce() throws {
        let daemon = try ScriptedDaemon([.closeUnread, .closeUnread, .answer])
        #expect(failure { () throws(Refusal) in try daemon.connection().send(Self.add) }?.rule == .unavailable)
        #expect(daemon.finish() == 2)
    }

    @Test("A daemon that does not answer is given up when the deadline has passed")
    func givesUp() throws {
        let daemon = try ScriptedDaemon([.readAndWait])
        let refusal = failure { () throws(Refusal) in try daemon.connection().send(Self.add, deadline: 1) }
        #expect(refusal?.status == .notAvailable && refusal?.rule == .unknownOutcome)
        #expect(daemon.finish() == 1)
    }

    @Test(
        "An answer that is none is refused",
        arguments: [
            ScriptedDaemon.Act.send(Frames.frame(.response, id: 77) { _ in }),
            .send(Frames.frame(.item, id: 1) { _ in }),
            .send([255, 255, 255, 255] + Frames.frame(.response, id: 1) { _ in }.dropFirst(4)),
            .send(Frames.frame(.response, id: 1) { $0.append(littleEndian: UInt32(9)) }),
        ])
    func refusesNonsense(act: ScriptedDaemon.Act) throws {
        let daemon = try ScriptedDaemon([act])
        let refusal = failure { () throws(Refusal) in try daemon.connection().send(Self.search) }
        #expect(refusal?.rule == .malformedFrame || refusal?.rule == .tooLarge)
    }

    @Test("A daemon of another release is told from one that is broken")
    func refusesOtherVersion() throws {
        var frame = Frames.frame(.response, id: 1) { _ in }
        frame[4] = FrameHeader.version + 1
        let daemon = try ScriptedDaemon([.send(frame)])
        let refusal = failure { () throws(Refusal) in try daemon.connection().send(Self.search) }
        #expect(refusal?.status == .notAvailable && refusal?.subject == "version")
    }
}
