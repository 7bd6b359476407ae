import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine

@Suite("The rows of lists at terminals")
struct ListedRowsTests {
    private let rows = ListedRows()
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func place(user: UInt32 = 1000, terminal: UInt64, leader: Int32 = 7) -> ListedRows.Place {
        .init(user: user, session: TerminalSession(terminal: terminal, leader: leader, startTime: 3))
    }

    private static func row(_ number: UInt8) -> ListedRow {
        ListedRow(keychain: "", reference: [number], changed: Double(number))
    }

    @Test("A row has the number of its place in the last list of this terminal and session, and of no other")
    func places() {
        let here = Self.place(terminal: 1)
        rows.keep([Self.row(9)], at: here, in: 4)
        rows.keep([Self.row(1), Self.row(2)], at: here, in: 4)
        #expect(rows.row(2, at: here, in: 4) == Self.row(2))
        for number: UInt32 in [0, 3, .max] { #expect(rows.row(number, at: here, in: 4) == nil) }
        for other in [
            Self.place(terminal: 2), Self.place(terminal: 1, leader: 8), Self.place(user: 0, terminal: 1),
        ] {
            #expect(rows.row(1, at: other, in: 4) == nil)
        }
    }

    @Test("The rows are gone for good when the keychain was locked in between")
    func locked() {
        let here = Self.place(terminal: 1)
        rows.keep([Self.row(1)], at: here, in: 4)
        #expect(rows.row(1, at: here, in: 5) == nil)
        #expect(rows.row(1, at: here, in: 4) == nil)
    }

    @Test("A user has rows at so many terminals; the oldest go, and those of other users stay")
    func bounded() {
        let other = Self.place(user: 1, terminal: 0)
        rows.keep([Self.row(5)], at: other, in: 1)
        for terminal in 0...UInt64(ListedRows.mostPlaces) {
            rows.keep([Self.row(1)], at: Self.place(terminal: terminal), in: 1)
        }
        #expect(rows.row(1, at: Self.place(terminal: 0), in: 1) == nil)
        #expect(rows.row(1, at: Self.place(terminal: 1), in: 1) != nil)
        #expect(rows.row(1, at: Self.place(terminal: UInt64(ListedRows.mostPlaces)), in: 1) != nil)
        #expect(rows.row(1, at: other, in: 1) == Self.row(5))
    }

    @Test("Only the keychain's own command keeps rows, and only from a terminal")
    func callers() throws {
        let engine = try TestEngine(in: directory)
        let program = CallerIdentity(user: 1, process: 1, program: "/bin/a", groups: ["a"])
        #expect(refusal { _ = try engine.access(.keepRows([Self.row(1)]), from: program) }?.rule == .inspection)
        #expect(refusal { _ = try engine.access(.row(1), from: program) }?.rule == .inspection)
        // There is no process with the number 0.
        let command = CallerIdentity(
            user: 1, process: 0, program: "/bin/security", groups: ["a"], mayInspectAllGroups: true)
        #expect(refusal { _ = try engine.access(.row(1), from: command) }?.rule == .rowsWithoutTerminal)
    }
}
