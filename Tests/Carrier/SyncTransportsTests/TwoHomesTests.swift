import Glibc
import LinuxSystem
import SyncFormat
import SyncTransports
import TestSupport
import Testing

/// The folders of two homes, and what carries files between them: Syncthing, whose folders KEYCHAIN_TEST_FOLDERS names,
/// or a stand-in.
final class TwoHomes {
    let circle = CircleID(number: UInt128.random(in: .min ... .max))
    let folders: [String]
    private var directories: [TemporaryDirectory] = []
    private var courier: (Courier, Thread)?

    init() throws {
        if let names = unsafe getenv("KEYCHAIN_TEST_FOLDERS") {
            folders = unsafe String(cString: names).split(separator: ":").map(String.init)
            return
        }
        directories = [try TemporaryDirectory(), try TemporaryDirectory()]
        folders = directories.map(\.path)
        let courier = try Courier(folders)
        self.courier = (courier, try Thread(named: "courier") { courier.run() })
    }

    func end() {
        courier?.0.end()
        courier?.1.join()
    }
}

/// Copies what is new from each folder to the other. Of two files of one name the first folder's wins, and the other
/// one stays as a conflict copy, as with Syncthing.
private final class Courier: Sendable {
    private let folders: [String]
    private let ending: Wakeup

    init(_ folders: [String]) throws {
        self.folders = folders
        ending = try Wakeup()
    }

    func end() { ending.signal() }

    private var hasEnded: Bool {
        (try? ending.descriptor.wait(for: .readable, deadline: .after(milliseconds: 2))) != nil
    }

    func run() {
        while !hasEnded {
            for (from, to) in [(0, 1), (1, 0)] { carry(folders[from], folders[to]) }
        }
    }

    private func carry(_ from: String, _ to: String) {
        for name in (try? FolderEntries.names(in: from)) ?? [] where !name.hasPrefix(".new-") {
            let (source, target) = ("\(from)/\(name)", "\(to)/\(name)")
            if (try? FileStatus(at: source))??.isDirectory == true {
                _ = unsafe mkdir(target, 0o700)
                carry(source, target)
            } else if let bytes = try? AtomicFile.read(source, limit: 1 << 22) {
                copy(bytes, to: target)
            }
        }
    }

    private func copy(_ bytes: [UInt8], to target: String) {
        let there = try? AtomicFile.read(target, limit: 1 << 22)
        if there == bytes || there != nil && !target.hasPrefix(folders[1]) { return }
        if let there {
            try? AtomicFile.replace("\(target).sync-conflict-20260101-120000-STANDIN", with: there.span)
        }
        try? AtomicFile.replace(target, with: bytes.span)
    }
}

@Suite("What carries a folder between two homes")
struct TwoHomesTests {
    let homes: TwoHomes
    let first = MemberID(number: 1)
    init() throws { homes = try TwoHomes() }

    private func machine(_ home: Int) -> FolderTransport { FolderTransport(homes.folders[home], circle: homes.circle) }
    private func slot(_ seq: UInt64) -> SyncSlot { SyncSlot(circle: homes.circle, device: first, seq: seq) }

    /// Looks until something holds, and waits for changes in between.
    private func looks(_ machine: FolderTransport, until isThere: (TransportChanges) -> Bool) throws -> Bool {
        try eventually {
            let changes = try? machine.changes(after: [:], atMost: .max)
            _ = try machine.wait(until: .after(milliseconds: 20))
            return changes.map(isThere) ?? false
        }
    }

    @Test("Batches arrive whole and in either direction, and of two in one slot both homes have the same one at last")
    func carries() throws {
        defer { homes.end() }
        let (one, other) = (machine(0), machine(1))
        try one.found()
        let large = [UInt8](repeating: 7, count: 1 << 20)
        for seq in UInt64(1)...10 { #expect(try one.commit(large + [UInt8(seq)], in: slot(seq)) == .done) }
        #expect(try looks(other) { $0.batches.map(\.bytes.last) == (1...10).map { UInt8($0) } })

        // Both homes write one slot before either has seen the other's: a machine that was cloned.
        let taken = try #require(
            try (UInt64(11)...99).first { seq in
                let result = Lock<Commitment?>(nil)
                let slot = slot(seq)
                let clone = try Thread(named: "clone") {
                    let made = try? one.commit([1], in: slot)
                    result.withLock { $0 = made }
                }
                let isMade = try other.commit([2], in: slot) == .done
                clone.join()
                return isMade && result.withLock { $0 } == .done
            })
        // Syncthing keeps no copy of what it has not looked at yet: the clone finds another batch in its slot.
        let isOne = try eventually {
            let found = try [one, other].map { try $0.read(slot(taken)) }
            return found[0] == found[1] && [[1], [2]].contains(found[0])
        }
        #expect(isOne)
    }
}
