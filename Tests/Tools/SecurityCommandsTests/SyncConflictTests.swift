import KeychainModel
import KeychainWire
import SecurityCommands
import SyncFormat
import TestSupport
import Testing

@Suite("security sync conflicts") struct SyncConflictTests {
    private let shell = Shell()
    private static let (laptop, desk) = (MemberID(number: 1), MemberID(number: 0x0001_ffff))
    /// When the version that won was written.
    private static let won: UInt64 = 1_800_000_000_000_000

    /// A circle of two machines, where one change of a password has lost.
    init() {
        let keys = MemberKeys(
            signing: [4] + Array(repeating: 1, count: 64), agreement: [4] + Array(repeating: 2, count: 64))
        var status = SyncStatus(circle: CircleID(number: 0xAB), me: Self.laptop, keys: keys, place: "/shared")
        status.machines = [
            SyncStatus.Machine(id: Self.laptop, name: "laptop"), SyncStatus.Machine(id: Self.desk, name: "desk"),
        ]
        let made = status
        shell.keychain.update { $0.circle = made }
        #expect(shell.run("add-generic-password", "-s", "mail", "-a", "ann", "-w", "a lost value").status == 0)
        #expect(shell.run("add-generic-password", "-U", "-s", "mail", "-a", "ann", "-w", "a present value").status == 0)
        let conflict = LostVersion.Conflict(loser: Self.laptop.bytes, won: Self.won, stamp: Self.won - 1)
        end(LostVersion(winner: Self.desk.bytes, conflict: conflict))
    }

    /// Another machine's change has come in the place of the first version.
    private func end(_ lost: LostVersion, _ end: VersionEnd = .changed) {
        shell.keychain.update { state in
            state.versions[0].attributes[.lostVersion] = .data([7, 1, 0, 0, 0, 0, 0, 0] + lost.bytes)
            state.versions[0].attributes[.versionEnd] = .number(Int64(end.rawValue))
        }
    }

    private var value: String { shell.run("find-generic-password", "-s", "mail", "-a", "ann", "-w").text }

    @Test("the list has the item, who has written the version and the winner, and when, and no value")
    func list() {
        let text = shell.run("sync", "conflicts").text
        for words in [
            "263 genp", #"svce="mail""#, #"acct="ann""#, #"by "laptop""#, #"lost to "desk" 2027-01-15T08:00:00.000Z"#,
        ] { #expect(text.contains(words), "\(words): \(text)") }
        let json = shell.run("--json", "sync", "conflicts").text
        for words in [
            #""id":263"#, #""class":"genp""#, #""winner":{"id":"\#(Self.desk.text)","name":"desk""#,
            #""written":"2027-01-15T08:00:00.000Z""#, #""loser":{"id":"\#(Self.laptop.text)","name":"laptop""#,
        ] { #expect(json.contains(words), "\(words): \(json)") }
        #expect(!(text + json).contains("value"))
    }

    @Test("versions that were changed in turn are not listed, and the history says on which machine each was")
    func others() {
        for lost in [nil, LostVersion(winner: Self.desk.bytes), LostVersion(winner: Self.laptop.bytes)] {
            shell.keychain.update { $0.versions[0].attributes[.lostVersion] = nil }
            if let lost { end(lost) }
            #expect(shell.run("sync", "conflicts").text.isEmpty)
            #expect(shell.run("--json", "sync", "conflicts").text == "[]\n")
            #expect(!shell.run("sync", "status").text.contains("conflicts"))
            let place = lost?.winner == Self.desk.bytes ? #" on "desk""# : ""
            #expect(shell.run("history", "-s", "mail").text.contains("changed\(place) genp"))
        }
    }

    @Test("the status says how many there are and what shows them")
    func counted() {
        #expect(shell.run("sync", "status").text.contains("conflicts:  1, shown by security sync conflicts\n"))
        #expect(shell.run("--json", "sync", "status").text.contains(#""conflicts":1,"#))
    }

    @Test("the history says which machine has deleted an item, and a circle that was left has its identifier")
    func deleted() {
        end(LostVersion(winner: Self.desk.bytes), .deleted)
        #expect(shell.run("history", "-s", "mail").text.contains(#"deleted on "desk" genp"#))
        let json = shell.run("--json", "history", "-s", "mail").text
        #expect(json.contains(#""end":"deleted","on":{"id":"\#(Self.desk.text)","name":"desk"}"#))
        shell.keychain.update { $0.circle = nil }
        #expect(shell.run("history", "-s", "mail").text.contains("deleted on \(Self.desk.text) genp"))
    }

    @Test("a version is restored by its number, and what was done is said")
    func restores() {
        let outcome = shell.run("sync", "conflicts", "--restore", "263")
        #expect(outcome.status == 0 && outcome.text.contains(#"mail (ann) is again what "laptop" has made of it"#))
        #expect(value == "a lost value\n")
        let json = shell.run("--json", "sync", "conflicts", "-R", "263").text
        #expect(json == #"{"restored":"mail (ann)","id":263}"# + "\n")
    }

    @Test("a number that no lost version has changes nothing", arguments: ["0", "7", "x", "0263", "-1"])
    func wrongNumber(_ number: String) {
        let refused = shell.run("sync", "conflicts", "--restore=\(number)")
        #expect(refused.status == 1 && refused.errors.contains("no lost version"))
        #expect(refused.reasons.contains("security sync conflicts") && value == "a present value\n")
    }

    @Test("machines of a circle that was left have their identifiers")
    func left() {
        shell.keychain.update { $0.circle = nil }
        let text = shell.run("sync", "conflicts").text
        #expect(text.contains("by \(Self.laptop.text) ") && text.contains("lost to \(Self.desk.text) "))
    }

    @Test("machines of one name are told apart by their identifiers, in the list, the history and the status")
    func oneName() {
        shell.keychain.update { $0.circle?.machines[1] = SyncStatus.Machine(id: Self.desk, name: "laptop") }
        let (laptop, desk) = ("\"laptop\" (\(Self.laptop.text.prefix(8)))", "\"laptop\" (\(Self.desk.text.prefix(8)))")
        let text = shell.run("sync", "conflicts").text
        #expect(text.contains("by \(laptop) ") && text.contains("lost to \(desk) "))
        #expect(shell.run("history", "-s", "mail").text.contains("changed on \(desk) genp"))
        let status = shell.run("sync", "status").text
        #expect(status.contains("machine:    \(laptop), this machine") && status.contains("machine:    \(desk)\n"))
    }

    @Test("a machine's name cannot look like another part of the line")
    func hostileNames() {
        shell.keychain.update { $0.circle?.machines[1] = SyncStatus.Machine(id: Self.desk, name: "a\u{1b}[2K\n\" 1") }
        let text = shell.run("sync", "conflicts").text
        #expect(text.contains("\"a\u{FFFD}[2K\u{FFFD}' 1\"") && !text.contains("\u{1b}"))
    }
}
