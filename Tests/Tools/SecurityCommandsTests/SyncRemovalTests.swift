import KeychainModel
import KeychainWire
import SecurityCommands
import SyncFormat
import TestSupport
import Testing

@Suite("security sync add-device and remove-device") struct SyncRemovalTests {
    let shell = Shell()
    private let circle = CircleID(number: 0xAB)
    private let keys = MemberKeys(
        signing: [4] + Array(repeating: 1, count: 64), agreement: [4] + Array(repeating: 2, count: 64))

    private func machine(_ number: UInt128, _ name: String, _ flags: SyncStatus.Machine.Flags) -> SyncStatus.Machine {
        var machine = SyncStatus.Machine(id: MemberID(number: number), name: name)
        machine.flags = flags
        return machine
    }

    private func status(_ place: String, isAfter: Bool) -> SyncStatus {
        var status = SyncStatus(circle: circle, me: MemberID(number: 1), keys: keys, place: place)
        let out: SyncStatus.Machine.Flags = isAfter ? .isRemoved : []
        status.machines = [
            machine(1, "laptop", []), machine(2, "desk", out), machine(3, "phone", out), machine(4, "tablet", []),
            machine(5, "server", isAfter ? .hasNotHeard : []), machine(6, "", out.union(.isRecoveryKey)),
            machine(7, "old", .isRemoved),
        ]
        status.items = 12
        return status
    }

    private func begin(_ place: String = "/shared") {
        let (before, after) = (status(place, isAfter: false), status(place, isAfter: true))
        shell.keychain.update { ($0.circle, $0.circleAfterwards) = (before, after) }
    }

    private func id(_ number: UInt128) -> String { MemberID(number: number).text }

    @Test("a removal says who is out, who does not know it yet, and how much the machine may know")
    func people() {
        begin()
        let text = shell.run("sync", "remove-device", "desk", "-k", "tablet").text
        for words in [
            "removed: desk", "removed as well: phone", "its recovery key is out as well: \(id(6))",
            #"until they know of this (security sync status): "server""#, "it may know 12 items that travel",
            "take its access to the place away",
        ] { #expect(text.contains(words), "\(text)") }
        #expect(!text.contains("old") && !text.contains("tablet"))
        begin("postgresql://ann@host/sync")
        #expect(shell.run("sync", "remove-device", "desk").text.contains("the server lets it in no more"))
    }

    @Test("a removal says the same in JSON, and wakes the carrier")
    func json() {
        begin()
        let json = shell.run("--json", "sync", "remove-device", "desk", "-k", "tablet").text
        func shown(_ number: UInt128, _ name: String) -> String { #"{"id":"\#(id(number))","name":"\#(name)"}"# }
        for words in [
            #""removed":"# + shown(2, "desk"), #""removedAsWell":["# + shown(3, "phone") + "]",
            #""kept":["# + shown(4, "tablet") + "]", #""recoveryKeys":["\#(id(6))"]"#,
            #""notHeard":["# + shown(5, "server") + "]", #""items":12"#,
        ] { #expect(json.contains(words), "\(json)") }
        #expect(shell.keychain.update { $0.devices }.contains(.sync(.now)))
    }

    @Test("an addition says in JSON which machine it has added, and wakes the carrier")
    func added() {
        begin()
        shell.keychain.update { state in
            state.circleAfterwards?.machines.append(machine(8, "watch", []))
        }
        let code = MachineCode(circle: circle, keys: keys, name: "watch").text
        let json = shell.run("--json", "sync", "add-device", code).text
        #expect(json.contains(#""machine":{"id":"\#(id(8))","name":"watch"}"#), "\(json)")
        #expect(shell.keychain.update { $0.devices }.contains(.sync(.now)))
    }
}
