import LinuxSystem
import SyncService
import TestSupport
import Testing

@testable import KeychainEngine

@Suite("Machines that read what others write, and write nothing")
struct AcknowledgementTests {
    private let circle: SyncedMachines

    init() throws {
        circle = try SyncedMachines(3)
        try circle.first.keychain.add("gone", value: "1")
        try circle.exchange()
    }

    /// Days pass, as the notes of each machine have them.
    private func pass(days: Int64) throws {
        for machine in circle.machines {
            let path = machine.engine.folder + "/keychain.circle"
            let text = String(decoding: try AtomicFile.read(path, limit: 1 << 16), as: UTF8.self)
            let lines = text.split(separator: "\n").map { line in
                let words = line.split(separator: " ")
                guard words.first == "spoken", let time = Int64(words[1]) else { return String(line) }
                return "spoken \(time - days * 86_400)"
            }
            let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
            try AtomicFile.replace(path, with: bytes.span)
            try machine.restart()
        }
    }

    @Test("They say so after a day, and what was deleted leaves no trace on any machine")
    func tombstones() throws {
        try circle.first.keychain.delete("gone")
        try circle.exchange()
        for machine in circle.machines { #expect(try machine.keychain.rows().map(\.value.isTombstone) == [true]) }
        try pass(days: 1)
        try circle.exchange(4)
        for machine in circle.machines { #expect(try machine.keychain.rows().isEmpty) }
    }

    @Test("Nobody answers that, and a machine of which nobody hears anything speaks once a week")
    func quiet() throws {
        try pass(days: 1)
        try circle.exchange()
        let spoken = try circle.slots().count
        try pass(days: 2)
        try circle.exchange()
        #expect(try circle.slots().count == spoken)
        try pass(days: 5)
        try circle.exchange()
        #expect(try circle.slots().count == spoken + 3)
    }
}
