import CircleCarrier
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncTransports
import TestSupport
import Testing

@Suite("A carrier carries the messages of a pairing through a folder")
struct PairingErrandTests {
    let directory: TemporaryDirectory
    let member: PlayedDaemon
    let newcomer: PlayedDaemon
    private let session = PairingID(number: 7)
    private let point = [4] + [UInt8](repeating: 1, count: 64)

    init() throws {
        directory = try TemporaryDirectory()
        member = PlayedDaemon(CircleID(number: 1), 1, at: directory.path)
        newcomer = PlayedDaemon(CircleID(number: 1), 2, at: directory.path)
    }

    private func offer(_ session: PairingID) -> PairingMessage {
        PairingMessage(PairingSlot(session, .share), PairingVersions(), share: point)
    }

    private var answer: PairingMessage {
        PairingMessage(
            PairingSlot(session, .answer), PairingVersions(), share: point,
            confirmation: [UInt8](repeating: 2, count: 32))
    }

    private func begin(_ daemon: PlayedDaemon, _ side: SyncPairing.Side, _ messages: [PairingMessage]) {
        let pairing = SyncPairing(
            side, place: directory.path, session: messages.isEmpty ? .none : session, messages: messages.map(\.bytes))
        daemon.change { $0.pairing = pairing }
    }

    private func end(_ daemon: PlayedDaemon) { daemon.change { $0.pairing = nil } }

    private func shown(_ daemon: PlayedDaemon) -> [PairingMessage] {
        guard case .shows(let messages)? = daemon.state.update({ $0.pairingLooks.last }) else { return [] }
        return messages.compactMap { try? PairingMessage(decoding: $0) }
    }

    /// A carrier in a thread of its own.
    private func start(_ daemon: PlayedDaemon, _ problem: Monitor<TransportProblem?> = Monitor(nil)) throws -> Thread {
        try Thread(named: "carrier") {
            let end = try? PairingErrand(daemon, place: CarrierPlace.pairings).run()
            problem.update { $0 = end ?? nil }
        }
    }

    private var sessions: [String] { (try? FolderEntries.names(in: directory.path + "/pair")) ?? [] }

    private var files: [String] {
        sessions.flatMap { session in
            ((try? FolderEntries.names(in: directory.path + "/pair/" + session)) ?? []).map { "\(session)/\($0)" }
        }.sorted()
    }

    @Test("What one machine writes the other sees, and the member takes it away at the end", .patient)
    func carries() throws {
        begin(member, .member, [offer(session)])
        begin(newcomer, .newcomer, [])
        let carriers = try [start(member), start(newcomer)]
        #expect(eventually { shown(newcomer) == [offer(session)] })
        begin(newcomer, .newcomer, [answer])
        #expect(eventually { shown(member) == [offer(session), answer] })
        #expect(files == ["\(session.text)/0", "\(session.text)/1"])
        end(newcomer)
        carriers[1].join()
        #expect(files.count == 2)
        end(member)
        carriers[0].join()
        #expect(files.isEmpty)
    }

    @Test("A member takes away what earlier pairings have left, and a newcomer does not", .patient)
    func clears() throws {
        let place = try CarrierPlace.pairings(directory.path)
        try place.put(offer(PairingID(number: 3)))
        begin(newcomer, .newcomer, [])
        let seeking = try start(newcomer)
        #expect(eventually { shown(newcomer) == [offer(PairingID(number: 3))] })
        end(newcomer)
        seeking.join()
        #expect(files.count == 1)
        begin(member, .member, [offer(session)])
        let inviting = try start(member)
        #expect(eventually { shown(member) == [offer(session)] })
        #expect(files == ["\(session.text)/0"])
        end(member)
        inviting.join()
    }

    @Test("The folder of a pairing whose carrier was killed before its first message goes with the next pairing")
    func removesEmptyFolders() throws {
        let place = FolderPairings(directory.path)
        try place.put(offer(session))
        let pairs = try #require(try HeldFolder(directory.path).folder("pair"))
        let cut = try pairs.makeFolder(PairingID(number: 3).text)
        let half = try pairs.makeFolder(PairingID(number: 4).text)
        #expect(try half.create(".new-abcdef", with: [1].span))
        for name in ["of somebody else", "0000000000000000000000000000000A"] { _ = try pairs.makeFolder(name) }
        #expect(unsafe symlink(cut.path, "\(directory.path)/pair/\(PairingID(number: 5).text)") == 0)
        try place.removeAll(but: session)
        #expect(
            sessions == [
                PairingID(number: 5).text, session.text, "0000000000000000000000000000000A", "of somebody else",
            ])
        #expect(files.contains("\(session.text)/0"))
    }

    @Test("A place that somebody has filled holds up no pairing: a few leftovers are taken away at a time")
    func filledPlaces() throws {
        let place = FolderPairings(directory.path)
        for number in UInt128(100)..<400 { try make(PairingID(number: number).text, ["0"]) }
        try make(PairingID(number: 1).text, (0..<100).map(String.init))
        try place.removeAll(but: session)
        #expect(sessions.count == 301 - 255 && files.count == 45 + 36)
        try place.removeAll(but: session)
        #expect(sessions.isEmpty)
    }

    /// Files of a pairing, without a wait for the disk.
    private func make(_ session: String, _ names: [String]) throws {
        let folder = "\(directory.path)/pair/\(session)"
        for path in ["\(directory.path)/pair", folder] { unsafe mkdir(path, 0o700) }
        for name in names { _ = try FileDescriptor.open("\(folder)/\(name)", O_WRONLY | O_CREAT) }
    }

    @Test("A message stays as it was first; links, other names and long files count for nothing")
    func strange() throws {
        let place = FolderPairings(directory.path)
        try place.put(offer(session))
        let other = PairingMessage(PairingSlot(session, .share), PairingVersions(most: 3), share: point)
        try place.put(other)
        let folder = "\(directory.path)/pair/\(session.text)"
        for (name, bytes) in [
            ("1", offer(session).bytes), ("2", [UInt8](repeating: 0, count: 1 << 20)), ("4", answer.bytes),
            ("1.sync-conflict", answer.bytes),
        ] { try AtomicFile.replace("\(folder)/\(name)", with: bytes.span) }
        #expect(unsafe symlink("0", "\(folder)/3") == 0)
        #expect(unsafe symlink(folder, "\(directory.path)/pair/\(PairingID(number: 8).text)") == 0)
        #expect(try place.messages(of: session, atMost: 64) == [offer(session)])
        try place.remove(session)
        #expect(files.isEmpty)
    }

    @Test("A folder that is missing is a problem that the daemon hears of, and nothing is made", .patient)
    func missing() throws {
        let path = directory.path + "/gone"
        let pairing = SyncPairing(.member, place: path, session: session, messages: [offer(session).bytes])
        member.change { $0.pairing = pairing }
        let problem = Monitor<TransportProblem?>(nil)
        try start(member, problem).join()
        #expect(problem.update { $0 } == .missing(path))
        guard case .fails(let words)? = member.state.update({ $0.pairingLooks.last }) else {
            #expect(Bool(false), "the daemon hears of nothing")
            return
        }
        #expect(words.contains(path))
        #expect(try FileStatus(at: path) == nil)
    }
}
