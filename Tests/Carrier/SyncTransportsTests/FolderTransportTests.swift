import Glibc
import LinuxSystem
import SyncFormat
import SyncTransports
import TestSupport
import Testing

/// A folder that two machines share, as whatever carries it would show it to them.
struct SharedFolder {
    let directory: TemporaryDirectory
    let circle = CircleID(number: 7)
    let first = MemberID(number: 1)
    let second = MemberID(number: 2)

    init() throws {
        directory = try TemporaryDirectory()
        try machine().found()
    }

    func machine(looks: Looks = Looks()) -> FolderTransport {
        FolderTransport(directory.path, circle: circle, looks: looks)
    }
    func slot(_ device: MemberID, _ seq: UInt64) -> SyncSlot { SyncSlot(circle: circle, device: device, seq: seq) }
    /// The path of a log, or of a file in it.
    func path(_ device: MemberID, _ name: String = "") -> String {
        directory.file("\(circle.text)/log/\(device.text)/\(name)")
    }
    func write(_ bytes: String, to path: String) throws {
        try FileDescriptor.open(path, O_WRONLY | O_CREAT).writeFully(Array(bytes.utf8).span)
    }
}

@Suite("A folder carries a circle")
struct FolderTransportTests {
    let shared: SharedFolder
    init() throws { shared = try SharedFolder() }

    private func everything(_ machine: FolderTransport) throws -> [SyncSlot: [UInt8]] {
        let batches = try machine.changes(after: [:], atMost: .max).batches
        return Dictionary(batches.map { ($0.slot, $0.bytes) }) { first, _ in first }
    }

    @Test("What one machine commits, the other finds, from the position that it has")
    func commits() throws {
        let (one, other) = (shared.machine(), shared.machine())
        for seq in 1...3 {
            #expect(try one.commit([UInt8(seq)], in: shared.slot(shared.first, UInt64(seq))) == .done)
        }
        #expect(try everything(other).count == 3)
        let rest = try other.changes(after: [shared.first: 2], atMost: .max)
        #expect(rest.batches.map(\.bytes) == [[3]])
        #expect(rest.ends == [shared.first: 3])
        #expect(rest.isComplete)
    }

    @Test("Logs that the reader knows are read, however many other folders there are")
    func manyLogs() throws {
        let known = MemberID(number: .max)
        #expect(try shared.machine().commit([1], in: shared.slot(known, 1)) == .done)
        for number in 1...4096 { #expect(unsafe mkdir(shared.path(MemberID(number: UInt128(number))), 0o700) == 0) }
        #expect(try shared.machine().changes(after: [:], atMost: .max).ends.isEmpty)
        #expect(try shared.machine().changes(after: [known: 1], atMost: .max).ends == [known: 1])
    }

    @Test("A slot that is taken is asked for without a sign to those who wait for news")
    func quiet() throws {
        let (machine, slot) = (shared.machine(), shared.slot(shared.first, 1))
        #expect(try machine.commit([1], in: slot) == .done)
        _ = try machine.changes(after: [:], atMost: .max)
        _ = try machine.wait(until: .now)
        #expect(try machine.commit([2], in: slot) == .occupied([1]))
        #expect(try !machine.wait(until: .now))
    }

    @Test("A file that a kill left half-written in a machine's log is gone with its next batch, and no other file")
    func leftovers() throws {
        for device in [shared.first, shared.second] {
            _ = try shared.machine().commit([1], in: shared.slot(device, 1))
            try shared.write("x", to: shared.path(device, ".new-aB3xY9"))
        }
        let others = [".new-longer-name", "new-aB3xY9"]
        for name in others { try shared.write("x", to: shared.path(shared.first, name)) }
        _ = try shared.machine().commit([2], in: shared.slot(shared.first, 2))
        let names = try FolderEntries.names(in: shared.path(shared.first))
        #expect(names == [".new-longer-name", "0000000000000001", "0000000000000002", "new-aB3xY9"])
        #expect(try FolderEntries.names(in: shared.path(shared.second)).contains(".new-aB3xY9"))
    }

    @Test("A slot keeps its first bytes, and says so to a second writer")
    func occupied() throws {
        let slot = shared.slot(shared.first, 1)
        #expect(try shared.machine().commit([1, 2], in: slot) == .done)
        #expect(try shared.machine().commit([1, 2], in: slot) == .done)
        #expect(try shared.machine().commit([3], in: slot) == .occupied([1, 2]))
        #expect(try shared.machine().read(slot) == [1, 2])
    }

    @Test("Of many writers of one slot one wins, and all others see its bytes")
    func oneWinner() throws {
        let slot = shared.slot(shared.first, 1)
        let results = Lock<[UInt8: Commitment]>([:])
        let threads = try (1...8).map { (number: UInt8) in
            let machine = shared.machine()
            return try Thread(named: "writer") {
                let result = try? machine.commit([number], in: slot)
                results.withLock { $0[number] = result }
            }
        }
        for thread in threads { thread.join() }
        let all = results.withLock { $0 }
        let winners = all.filter { $0.value == .done }.keys
        #expect(all.count == 8 && winners.count == 1)
        let bytes = winners.map { $0 }
        #expect(all.values.allSatisfy { $0 == .done || $0 == .occupied(bytes) })
    }

    @Test("A reader with little room gets the rest with its next call")
    func pages() throws {
        let machine = shared.machine()
        for seq in 1...5 { _ = try machine.commit([1, 2, 3], in: shared.slot(shared.first, UInt64(seq))) }
        var (found, calls, isComplete) = (UInt64(0), 0, false)
        while !isComplete {
            let changes = try machine.changes(after: [shared.first: found], atMost: 4)
            (found, isComplete, calls) = (changes.batches.last?.slot.seq ?? found, changes.isComplete, calls + 1)
        }
        #expect(found == 5 && calls == 3)
    }

    @Test(
        "The other copy that a program kept is given once",
        arguments: [".sync-conflict-20260101-120000-ABCDEFG", " (conflicted copy 2026-01-01)", "-other"])
    func witnesses(ending: String) throws {
        let machine = shared.machine()
        _ = try machine.commit([1], in: shared.slot(shared.first, 1))
        try shared.write("x", to: shared.path(shared.first, "0000000000000001" + ending))
        let found = try machine.changes(after: [shared.first: 1], atMost: .max).batches
        #expect(found.map(\.slot) == [shared.slot(shared.first, 1)] && found.map(\.bytes) == [Array("x".utf8)])
        #expect(try machine.changes(after: [shared.first: 1], atMost: .max).batches.isEmpty)
    }

    @Test("What a snapshot covers is discarded, once or twice")
    func discards() throws {
        let machine = shared.machine()
        for seq in 1...2 { _ = try machine.commit([1], in: shared.slot(shared.first, UInt64(seq))) }
        for _ in 1...2 { try machine.discard([shared.slot(shared.first, 1), shared.slot(shared.second, 1)]) }
        #expect(try everything(machine).keys.map(\.seq) == [2])
    }

    @Test("A part is read by its slot, and never among the batches")
    func parts() throws {
        let part = SyncSlot(circle: shared.circle, device: shared.first, seq: 1, part: 0)
        #expect(try shared.machine().commit([9], in: part) == .done)
        #expect(try shared.machine().read(part) == [9])
        #expect(try shared.machine().read(shared.slot(shared.second, 1)) == nil)
        #expect(try everything(shared.machine()).isEmpty)
    }

    @Test("A change of another machine ends a wait, and none does not")
    func waits() throws {
        let (one, other) = (shared.machine(), shared.machine())
        _ = try other.changes(after: [:], atMost: .max)
        #expect(try !other.wait(until: .now))
        _ = try one.commit([1], in: shared.slot(shared.first, 1))
        #expect(try other.wait(until: soon))
        _ = try other.changes(after: [:], atMost: .max)
        _ = try? other.wait(until: .now)
        _ = try one.commit([2], in: shared.slot(shared.first, 2))
        #expect(try other.wait(until: soon))
    }
}

@Suite("A day of a carrier at a folder")
struct FolderDayTests {
    private let shared: SharedFolder
    init() throws { shared = try SharedFolder() }

    @Test("It is looked at each minute after a change, also while it is away, and later each time")
    func looks() throws {
        let time = Monitor<UInt64>(0)
        let machine = shared.machine(looks: Looks { time.update { $0 } })
        _ = try machine.changes(after: [:], atMost: .max)
        let place = shared.directory.path
        #expect(unsafe rename(place, place + ".away") == 0)
        while try machine.wait(until: .now) {}
        var moments: [UInt64] = []
        for now in stride(from: UInt64(0), to: 86_400_000, by: 10_000) {
            time.update { $0 = now }
            guard try machine.wait(until: .now) else { continue }
            #expect(throws: TransportProblem.self) { try machine.changes(after: [:], atMost: .max) }
            moments.append(now)
        }
        #expect(unsafe rename(place + ".away", place) == 0)
        #expect(moments.count { $0 <= 600_000 } == 10 && (30...60).contains(moments.count), "\(moments.count) looks")
    }
}

@Suite("A folder that somebody else writes in")
struct ForeignFolderTests {
    let shared: SharedFolder
    init() throws {
        shared = try SharedFolder()
        _ = try shared.machine().commit([1], in: shared.slot(shared.first, 1))
    }

    private var found: TransportChanges {
        get throws { try shared.machine().changes(after: [:], atMost: .max) }
    }

    @Test(
        "A file of another name is passed over",
        arguments: [
            "1", "000000000000000G", "00000000000000AA", "0000000000000000", "00000000000000022", ".new-abcdef",
            "~syncthing~0000000000000002.tmp", "0000000000000002é",
        ])
    func foreignNames(name: String) throws {
        try shared.write("x", to: shared.path(shared.first, name))
        let changes = try found
        #expect(changes.batches.map(\.bytes) == [[1]])
        #expect(changes.ends == [shared.first: 1])
    }

    @Test("No link is followed: not as a file, not as a log, not as the circle's folder")
    func links() throws {
        let secret = shared.directory.file("secret")
        try shared.write("secret", to: secret)
        #expect(unsafe symlink(secret, shared.path(shared.first, "0000000000000002")) == 0)
        #expect(
            unsafe symlink(
                shared.path(shared.first), shared.directory.file("\(shared.circle.text)/log/\(shared.second.text)"))
                == 0)
        let changes = try found
        #expect(changes.batches.map(\.bytes) == [[1]])
        #expect(changes.unreadable == [shared.slot(shared.first, 2)])
        #expect(throws: TransportProblem.self) { try shared.machine().commit([1], in: shared.slot(shared.second, 5)) }
        #expect(throws: TransportProblem.self) { try shared.machine().discard([shared.slot(shared.second, 1)]) }
        #expect(shared.directory.names.contains("secret"))
        #expect(try shared.machine().read(shared.slot(shared.first, 1)) == [1])
    }

    @Test("A pipe, a folder or a huge file in place of a batch hinders nothing")
    func otherKinds() throws {
        #expect(unsafe mkfifo(shared.path(shared.first, "0000000000000002"), 0o600) == 0)
        #expect(unsafe mkdir(shared.path(shared.first, "0000000000000003"), 0o700) == 0)
        try shared.write("", to: shared.path(shared.first, "0000000000000004"))
        #expect(unsafe truncate(shared.path(shared.first, "0000000000000004"), 1 << 40) == 0)
        _ = try shared.machine().commit([5], in: shared.slot(shared.first, 5))
        let changes = try found
        #expect(changes.batches.map(\.bytes) == [[1], [5]])
        #expect(changes.unreadable.map(\.seq) == [2, 3, 4])
        #expect(try shared.machine().commit([2], in: shared.slot(shared.first, 2)) == .occupied(nil))
    }

    @Test("Where the circle's folder is missing, nothing is made and the reason is said")
    func missing() throws {
        let empty = try TemporaryDirectory()
        let machine = FolderTransport(empty.path, circle: shared.circle)
        let slot = shared.slot(shared.first, 1)
        let problem = TransportProblem.missing("\(empty.path)/\(shared.circle.text)")
        #expect(throws: problem) { try machine.commit([1], in: slot) }
        #expect(throws: problem) { try machine.changes(after: [:], atMost: .max) }
        #expect(throws: problem) { try machine.read(slot) }
        #expect(throws: problem) { try machine.discard([slot]) }
        #expect(empty.names.isEmpty)
        #expect(throws: TransportProblem.self) { try FolderTransport(empty.file("no"), circle: shared.circle).found() }
    }

    @Test("A log that cannot be read hinders no other", .enabled(if: geteuid() != 0))
    func closedLog() throws {
        _ = try shared.machine().commit([2], in: shared.slot(shared.second, 1))
        #expect(unsafe chmod(shared.path(shared.first), 0) == 0)
        defer { _ = unsafe chmod(shared.path(shared.first), 0o700) }
        #expect(try found.batches.map(\.bytes) == [[2]])
    }

    @Test("Other copies count as batches do, and come with the next calls")
    func manyWitnesses() throws {
        for number in 1...3 {
            try shared.write("x\(number)", to: shared.path(shared.first, "0000000000000001-\(number)"))
        }
        let machine = shared.machine()
        var found: [[UInt8]] = []
        for _ in 1...3 {
            let changes = try machine.changes(after: [shared.first: 1], atMost: 1)
            #expect(changes.batches.count == 1)
            found += changes.batches.map(\.bytes)
        }
        #expect(Set(found).count == 3)
        #expect(try machine.changes(after: [shared.first: 1], atMost: 1).batches.isEmpty)
    }

    @Test("A folder that is moved away, and made again, ends a wait")
    func madeAgain() throws {
        let machine = shared.machine()
        _ = try machine.changes(after: [:], atMost: .max)
        _ = try? machine.wait(until: .now)
        let place = shared.directory.file(shared.circle.text)
        #expect(unsafe rename(place, place + ".old") == 0)
        #expect(try machine.wait(until: soon))
    }

    @Test("A slot of another circle is none of this one's")
    func otherCircle() throws {
        let slot = SyncSlot(circle: CircleID(number: 8), device: shared.first, seq: 1)
        #expect(throws: TransportProblem.self) { try shared.machine().commit([1], in: slot) }
        #expect(try shared.machine().read(slot) == nil)
        try shared.machine().discard([slot])
        #expect(try found.batches.count == 1)
    }
}
