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
        let lost = LostVersion(winner: Self.desk.bytes, loser: Self.laptop.bytes, won: Self.won)
        shell.keychain.update { state in
            state.versions[0].attributes[.lostVersion] = .data([7, 1, 0, 0, 0, 0, 0, 0] + lost.bytes)
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

    @Test("versions that were changed in turn are not listed")
    func others() {
        shell.keychain.update { $0.versions[0].attributes[.lostVersion] = nil }
        #expect(shell.run("sync", "conflicts").text.isEmpty && shell.run("--json", "sync", "conflicts").text == "[]\n")
        #expect(shell.run("history", "-s", "mail").text.contains("changed genp"))
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

    @Test("a machine's name cannot look like another part of the line")
    func hostileNames() {
        shell.keychain.update { $0.circle?.machines[1] = SyncStatus.Machine(id: Self.desk, name: "a\u{1b}[2K\n\" 1") }
        let text = shell.run("sync", "conflicts").text
        #expect(text.contains("\"a\u{FFFD}[2K\u{FFFD}' 1\"") && !text.contains("\u{1b}"))
    }
}
