import KeychainModel
import KeychainWire
import LinuxSystem
import SecurityCommands
import SyncFormat
import TestSupport
import Testing

@Suite("security sync") struct SyncCommandTests {
    let shell = Shell()
    private let circle = CircleID(number: 0xAB)
    private let keys = MemberKeys(
        signing: [4] + Array(repeating: 1, count: 64), agreement: [4] + Array(repeating: 2, count: 64))

    private func join(_ change: (inout SyncStatus) -> Void = { _ in }) {
        var status = SyncStatus(circle: circle, me: MemberID(number: 1), keys: keys, place: "/shared")
        var other = SyncStatus.Machine(id: MemberID(number: 0x0001_ffff), name: "desk")
        other.heard = 1_800_000_000
        status.machines = [SyncStatus.Machine(id: MemberID(number: 1), name: "laptop"), other]
        change(&status)
        let made = status
        shell.keychain.update { $0.circle = made }
    }

    @Test("outside of a circle every verb says how to begin or join one")
    func outside() {
        for verb in ["status", "devices", "fingerprint", "now", "pause", "resume", "leave", "recovery-key"] {
            let outcome = shell.run("sync", verb)
            #expect(outcome.status == 1 && outcome.errors.contains("belongs to no circle of machines"))
            #expect(outcome.reasons.contains("security sync setup PLACE"))
        }
    }

    @Test("the status has what waits, the problem of the folder, and each machine, for people and as JSON")
    func status() {
        join {
            $0.problem = "there is no folder /shared"
            ($0.unsent, $0.unopened, $0.isPaused) = (3, 1, true)
            $0.machines[1].flags = [.isBehind, .isForked, .hasNotHeard]
        }
        let text = shell.run("sync", "status").text
        for words in [
            "place:      /shared", "problem:    there is no folder /shared", "3 changes wait to be sent", "paused:",
            "damaged:    1 item or shelf does not open, so that no snapshot is made",
            #""laptop", this machine"#, #""desk", last read 2027-01-15T08:00:00.000Z, behind"#,
            "HAS WRITTEN TWO BATCHES", "has not said that it knows of each removal",
        ] { #expect(text.contains(words)) }
        let json = shell.run("--json", "sync", "status").text
        for words in [
            #""standing":"in""#, #""paused":true"#, #""unsent":3"#, #""name":"desk""#, #""forked":true"#,
            #""looked":null"#, #""unopened":1"#, #""notHeard":true"#, #""silent":false"#,
        ] { #expect(json.contains(words)) }
    }

    @Test("a machine of which nothing was read for half a year is proposed for removal, and a recovery key is not")
    func silence() {
        join { $0.machines[1].heard = 1_000_000_000 }
        let day = Clock.realtimeNanoseconds / 1_000_000_000 / 86_400
        let text = shell.run("sync", "status").text
        let days = (day - 11_575...day - 11_573).map { "silent for \($0) days: remove it if it is lost" }
        #expect(days.contains(where: text.contains))
        #expect(shell.run("--json", "sync", "devices").text.contains(#""silent":true"#))
        for flags in [SyncStatus.Machine.Flags.isRemoved, .isRecoveryKey] {
            shell.keychain.update { $0.circle?.machines[1].flags = flags }
            #expect(!shell.run("sync", "status").text.contains("silent"))
            #expect(!shell.run("--json", "sync", "status").text.contains(#""silent":true"#))
        }
    }

    @Test("a machine that another one has added is shown as new, and devices says that it was seen")
    func new() {
        join { $0.machines[1].flags = .isNew }
        let known = DeviceRequest.sync(.known([MemberID(number: 0x0001_ffff)]))
        #expect(shell.run("sync", "status").text.contains("NEW: another machine has added it"))
        #expect(!shell.keychain.update { $0.devices }.contains(known))
        #expect(shell.run("--json", "sync", "devices").text.contains(#""new":true"#))
        #expect(shell.keychain.update { $0.devices }.contains(known))
    }

    @Test("the digits of a fingerprint are those of all bytes, without machines that were removed")
    func fingerprint() {
        join { $0.machines[0].flags = .isRemoved }
        let zeros = Array(repeating: "00000", count: 6).joined(separator: " ")
        #expect(
            shell.run("sync", "fingerprint")
                == .init(0, "\(zeros) 00000 00171  circle\n\(zeros) 00001 65535  \"desk\"\n"))
    }

    @Test("pause and resume reach the daemon, and now does nothing while paused")
    func pauses() {
        join { $0.isPaused = true }
        #expect(shell.run("sync", "resume").status == 0 && shell.run("sync", "pause").status == 0)
        let asked = shell.keychain.update { $0.devices }
        #expect(asked.contains(.sync(.pause(true))) && asked.contains(.sync(.pause(false))))
        let refused = shell.run("sync", "now")
        #expect(refused.status == 1 && refused.reasons.contains("security sync resume"))
    }

    @Test("pause, resume and leave answer with JSON where it is asked for")
    func changesAsJSON() {
        join()
        #expect(shell.run("--json", "sync", "pause").text == "{\"paused\":true}\n")
        #expect(shell.run("--json", "sync", "resume").text == "{\"paused\":false}\n")
        #expect(shell.run("--json", "sync", "leave").text == "{\"left\":\"\(circle.text)\"}\n")
    }

    @Test("a recovery by a server without an invitation, or by a bucket without a number, changes nothing")
    func recoveryPlaces() {
        for place in ["postgresql://ann@localhost/sync", "https://s3.example.org/keychains"] {
            let refused = shell.run("sync", "join", "--recovery", place)
            #expect(refused.status != 0 && !refused.reasons.isEmpty)
        }
        #expect(shell.keychain.update { $0.circleChanges }.isEmpty)
    }

    @Test("a recovery key is shown with the time since which it is known")
    func recoveryKey() {
        join { $0.machines[1].flags = .isRecoveryKey }
        let (text, json) = (shell.run("sync", "status").text, shell.run("--json", "sync", "devices").text)
        #expect(text.contains("a recovery key, since 2027-01-15T08:00:00.000Z"))
        #expect(json.contains(#""recoveryKey":true"#))
    }

    @Test("the code of a machine is read as it was written, and no other word is")
    func codes() throws {
        let code = MachineCode(circle: circle, keys: keys, name: "laptop")
        #expect(MachineCode(code.text) == code)
        let letters = Array(code.text)
        for place in letters.indices {
            var other = letters
            other[place] = other[place] == "B" ? "C" : "B"
            #expect(MachineCode(String(other)) == nil)
            #expect(MachineCode(String(letters[..<place])) == nil)
        }
        #expect(MachineCode(code.text + "A") == nil)
    }

    @Test("a code has the hash of the machine's token, and is refused where it belongs to another kind of place")
    func tokens() {
        let hash = (0..<32).map { UInt8($0) }
        let code = MachineCode(circle: circle, keys: keys, name: "laptop", tokenHash: hash)
        #expect(MachineCode(code.text) == code && MachineCode(code.text)?.tokenHash == hash)
        for count in [1, 31, 33] {
            let odd = MachineCode(circle: circle, keys: keys, name: "", tokenHash: Array(repeating: 1, count: count))
            #expect(MachineCode(odd.text) == nil, "\(count)")
        }
        join()
        #expect(shell.run("sync", "add-device", code.text).errors.contains("another kind of place"))
        let server = SyncStatus(circle: circle, me: MemberID(number: 1), keys: keys, place: "postgresql://me@host/x")
        shell.keychain.update { $0.circle = server }
        let without = MachineCode(circle: circle, keys: keys, name: "laptop").text
        #expect(shell.run("sync", "add-device", without).errors.contains("another kind of place"))
    }

    @Test("a code that was copied in part, or is for another circle, is refused before anybody is asked")
    func wrongCodes() {
        join()
        let other = MachineCode(circle: CircleID(number: 1), keys: keys, name: "laptop").text
        #expect(shell.run("sync", "add-device", other).errors.contains("another circle"))
        #expect(shell.run("sync", "add-device", String(other.dropLast())).errors.contains("copied as a whole"))
    }

    @Test("a machine is named by its name or its identifier, and one of two of a name by the latter alone")
    func names() {
        join { $0.machines[1] = SyncStatus.Machine(id: MemberID(number: 9), name: "laptop") }
        #expect(shell.run("sync", "remove-device", "laptop").errors.contains("of several machines"))
        #expect(shell.run("sync", "remove-device", "tower").errors.contains("no machine tower"))
    }

    @Test("a machine that has another's identifier for a name does not hinder its removal")
    func takenIdentifier() {
        let id = MemberID(number: 0x0001_ffff)
        join { $0.machines.append(SyncStatus.Machine(id: MemberID(number: 9), name: id.text)) }
        #expect(shell.run("sync", "remove-device", id.text).status == 0)
        #expect(shell.keychain.update { $0.circleChanges } == [.remove(id, keeping: [])])
    }

    @Test("a machine's name stays in its quotation marks, on one line")
    func hostileNames() {
        join { $0.machines[1] = SyncStatus.Machine(id: MemberID(number: 9), name: "a\u{1b}[2K\n\", removed") }
        for verb in ["status", "devices", "fingerprint"] {
            let text = shell.run("sync", verb).text
            #expect(text.contains("\"a\u{FFFD}[2K\u{FFFD}', removed\"") && !text.contains("\u{1b}"))
        }
    }

    @Test("a circle of which nothing can be shown can be left")
    func damaged() {
        shell.keychain.update {
            $0.circleRefusal = Refusal(.notAvailable, .damaged, "sync", "It is damaged.", do: "Leave the circle.")
        }
        #expect(shell.run("sync", "status").status != 0)
        #expect(shell.run("sync", "leave").status == 0)
    }

    @Test(
        "a place that is none, or no folder here, is refused",
        arguments: ["relative", "postgresql://me:secret@host/x", "https://a:b@host/bucket", "/nowhere/all"])
    func places(place: String) {
        #expect(shell.run("sync", "setup", place).status == 1)
        #expect(shell.run("sync", "join", place, circle.text).status == 1)
    }

    @Test("options may stand behind a verb's words, before them and in between")
    func order() {
        for words in [
            ["join", "/nowhere/all", "-n", "desk"], ["join", "-n", "desk", "/nowhere/all"],
            ["-n", "desk", "join", "/nowhere/all"], ["join", "/nowhere/all", circle.text, "-n", "desk"],
        ] {
            let outcome = shell.run(["sync"] + words, input: [])
            #expect(outcome.status == 1 && outcome.errors.contains("no folder /nowhere/all"))
        }
    }

    @Test("without a code, add-device looks first whether there is a circle")
    func withoutCircle() {
        let outcome = shell.run("sync", "add-device")
        #expect(outcome.status == 1 && outcome.errors.contains("belongs to no circle of machines"))
    }

    @Test("a wrong verb, and a verb with too many words, show the usage")
    func usage() {
        for words in [["sync"], ["sync", "begin"], ["sync", "status", "more"], ["sync", "join"]] {
            #expect(shell.run(words, input: []).status == 2)
        }
    }
}
