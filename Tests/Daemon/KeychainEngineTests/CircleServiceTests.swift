import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import SecureEnclave
import SyncFormat
import SyncService
import SyncTransports
import TestSupport
import Testing

@testable import KeychainEngine

@Suite("Machines of a circle, with their enclaves, over a folder")
struct CircleServiceTests {
    private static func value(_ text: String) -> [String: RawValue] { ["v_Data": .data(Array(text.utf8))] }

    @Test("What is added, changed or deleted on one machine is so on the other, with group, class, dates and reference")
    func changes() throws {
        let circle = try SyncedMachines()
        let (first, second) = (circle.first.keychain, circle.second.keychain)
        try first.add("of the first", ["pdmn": .string("ck")], value: "1")
        try second.add("of the second", value: "2")
        try circle.exchange()
        for keychain in [first, second] {
            #expect(try keychain.values() == ["of the first": "1", "of the second": "2"])
        }
        #expect(try Self.attributes(first) == Self.attributes(second))
        #expect(try Self.attributes(second)["of the first"]?.contains("ck") == true)
        let before = try second.column("SELECT uuid FROM genp WHERE tomb = 0 ORDER BY uuid")
        try first.update("of the second", Self.value("3"))
        try circle.exchange()
        #expect(try second.values()["of the second"] == "3")
        #expect(try second.column("SELECT uuid FROM genp WHERE tomb = 0 ORDER BY uuid") == before)
        try second.delete("of the first")
        try circle.exchange()
        for machine in circle.machines {
            #expect(try machine.keychain.values() == ["of the second": "3"])
            #expect(try machine.status.unsent == 0)
            #expect(try machine.engine.verify().damage.isEmpty)
        }
    }

    /// Group, class and dates of all items, by account.
    private static func attributes(_ keychain: WritePathKeychain) throws -> [String: [String]] {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        for flag in ["r_Attributes", "sync"] { try builder.set(flag, .boolean(true)) }
        try builder.set("m_Limit", .string("m_LimitAll"))
        return try keychain.engine.read(try builder.build()).items.reduce(into: [:]) { found, item in
            let listed: [AttributeID] = [.accessGroup, .accessible, .creationDate, .modificationDate]
            found[item.attributes[.account]?.string ?? ""] = listed.map { id in
                item.attributes[id].map { $0.string ?? "\($0)" } ?? ""
            }
        }
    }

    @Test("Of two changes of one password the later one is on both machines")
    func onePassword() throws {
        let circle = try SyncedMachines()
        let (first, second) = (circle.first.keychain, circle.second.keychain)
        try first.add("mail", value: "old")
        try circle.exchange()
        try first.update("mail", Self.value("earlier"))
        try second.update("mail", Self.value("later"))
        try circle.exchange()
        for keychain in [first, second] { #expect(try keychain.values() == ["mail": "later"]) }
    }

    @Test("The users of both machines are asked for each change, and the machines have their names everywhere")
    func asked() throws {
        let circle = try SyncedMachines()
        #expect(circle.first.user.questions.count == 2 && circle.second.user.questions.count == 1)
        for machine in circle.machines {
            #expect(machine.user.questions.allSatisfy { $0.prompt.item == circle.folder.path })
            #expect(machine.user.questions.first?.change?.name == machine.name)
        }
        try circle.second.keychain.add("mail", value: "1")
        try circle.exchange()
        let (first, second) = (try circle.first.status, try circle.second.status)
        #expect(first.standing == .isIn && second.standing == .isIn)
        #expect(first.place == "folder:\(circle.folder.path)")
        #expect(first.machines.map(\.id) == second.machines.map(\.id))
        for status in [first, second] {
            #expect(status.machines.first { $0.id == first.me }?.name == "machine 0")
            #expect(status.machines.first { $0.id == second.me }?.name == "machine 1")
            #expect(status.machines.allSatisfy { $0.flags.isEmpty && $0.seq > 0 })
            #expect(status.looked > 0 && status.committed > 0 && status.problem.isEmpty)
        }
    }

    @Test("A machine that is added later gets what was stored before, and keeps what it has")
    func third() throws {
        let circle = try SyncedMachines()
        try circle.first.keychain.add("of the first", value: "1")
        try circle.exchange()
        let third = try SyncedMachine("third")
        try third.keychain.add("of the third", value: "3")
        try circle.add(third)
        #expect(try third.status.standing == .waitsToBeAdded)
        try circle.exchange()
        for machine in circle.machines {
            #expect(try machine.keychain.values() == ["of the first": "1", "of the third": "3"])
            #expect(try machine.status.machines.count == 3)
        }
    }

    @Test("A machine that another one has added is new until its user has seen it, also after a restart")
    func new() throws {
        let circle = try SyncedMachines()
        let (first, second, third) = (circle.first, circle.second, try SyncedMachine("third"))
        try circle.add(third)
        try circle.exchange()
        let id = try third.status.me
        #expect(try second.status.machines.filter { $0.flags.contains(.isNew) }.map(\.id) == [id])
        for machine in [first, third] {
            #expect(try machine.status.machines.allSatisfy { !$0.flags.contains(.isNew) })
        }
        try second.restart()
        _ = try second.service.answer(.known([MemberID(number: 5)]), [])
        #expect(try second.flags(of: id) == .isNew)
        _ = try second.service.answer(.known([id]), [])
        #expect(try second.flags(of: id) == [])
        try second.restart()
        #expect(try second.flags(of: id) == [])
        let key = try #require(try first.change(.recoveryKey)?.machines.first { $0.flags == .isRecoveryKey }?.id)
        try circle.exchange()
        #expect(try second.flags(of: key) == [.isRecoveryKey, .isNew] && first.flags(of: key) == .isRecoveryKey)
    }

    @Test("A machine that was removed reads nothing that is written afterwards, and sends nothing")
    func removed() throws {
        let circle = try SyncedMachines(3)
        let gone = circle.machines[2]
        try circle.first.keychain.add("before", value: "1")
        try circle.exchange()
        let id = try gone.status.me
        try circle.first.change(.remove(id, keeping: []))
        try circle.first.keychain.add("after", value: "2")
        try circle.exchange()
        #expect(try circle.second.keychain.values() == ["before": "1", "after": "2"])
        #expect(try gone.keychain.values() == ["before": "1"])
        #expect(try circle.second.flags(of: id)?.contains(.isRemoved) == true)
        #expect(try gone.status.standing == .isRemoved)
        try gone.keychain.add("its own", value: "3")
        try circle.exchange()
        #expect(try gone.next() == nil)
        #expect(try circle.second.keychain.values().count == 2)
    }

    @Test("A machine is shown to know nothing of a removal until its word that it has read it is there")
    func uninformed() throws {
        let circle = try SyncedMachines(3)
        let (first, second, gone) = (circle.first, circle.second, try circle.machines[2].status.me)
        try first.keychain.add("mail", value: "1")
        try circle.exchange()
        let (me, other) = (try first.status.me, try second.status.me)
        #expect(try first.status.items == 1 && first.flags(of: other) == [])
        let told = try #require(try first.change(.remove(gone, keeping: [])))
        let uninformed = told.machines.filter { $0.flags.contains(.hasNotHeard) }.map(\.id)
        #expect(uninformed == [other] && told.machines.filter { $0.flags.contains(.isRemoved) }.map(\.id) == [gone])
        try first.push(circle.transport)
        #expect(try first.flags(of: other) == .hasNotHeard)
        try second.pull(circle.transport)
        #expect(try second.flags(of: me) == [] && first.flags(of: other) == .hasNotHeard)
        try second.push(circle.transport)
        try first.pull(circle.transport)
        #expect(try first.flags(of: other) == [])
    }

    @Test("The removal of a machine shows at once what goes with it: what it has added, and its recovery key")
    func goesAlong() throws {
        let circle = try SyncedMachines(2)
        let third = try SyncedMachine("third")
        let keys = try #require(
            try third.change(.join(try circle.first.status.circle, place: circle.folder.path, name: "third"))
        ).keys
        let added = try #require(try circle.second.change(.add(keys, name: "third")))
        let key = try #require(try circle.second.change(.recoveryKey)?.machines.last { $0.flags == .isRecoveryKey })
        try circle.exchange()
        let target = added.me
        let told = try #require(try circle.first.change(.remove(target, keeping: [])))
        let out = Set(told.machines.filter { $0.flags.contains(.isRemoved) }.map(\.id))
        #expect(out == [target, try third.status.me, key.id])
        let prompts = circle.first.user.questions
        #expect(prompts.last?.change?.others.contains("(\(key.id.text.prefix(4))") == true)
        #expect(prompts.last?.prompt.item == circle.folder.path)
    }

    @Test("A machine goes on when the others have removed the one that has removed it before they read of that")
    func removerIsOut() throws {
        let circle = try SyncedMachines(4)
        let (remover, target) = (circle.machines[2], circle.machines[3])
        let author = try remover.status.me
        try circle.second.change(.remove(author, keeping: []))
        try circle.second.push(circle.transport)
        try circle.first.pull(circle.transport)
        try remover.change(.remove(try target.status.me, keeping: []))
        try remover.push(circle.transport)
        for (slot, bytes) in try circle.slots() where slot.device == author { _ = try target.take(bytes, in: slot) }
        #expect(try target.status.standing == .isRemoved)
        try target.keychain.add("late", value: "1")
        #expect(try target.next() == nil)
        try circle.exchange()
        #expect(try target.status.standing == .isIn)
        #expect(try circle.first.keychain.values() == ["late": "1"])
    }

    @Test("A locked machine takes what it may, and the rest when it is unlocked")
    func locked() throws {
        let circle = try SyncedMachines()
        try circle.first.keychain.add("closed", ["pdmn": .string("ak")], value: "a secret")
        try circle.first.keychain.add("open", ["pdmn": .string("ck")], value: "open")
        try circle.second.lock()
        try circle.exchange()
        #expect(try circle.second.status.held == 1)
        try circle.second.unlock()
        try circle.exchange(1)
        #expect(try circle.second.keychain.values() == ["closed": "a secret", "open": "open"])
        #expect(try circle.second.status.held == 0)
    }

    @Test("A keychain that was not unlocked since its start reads and sends nothing, and says why")
    func unopened() throws {
        let circle = try SyncedMachines()
        let keychain = try WritePathKeychain(in: circle.second.directory, user: circle.second.user)
        let service = CircleService(keychain.engine.engine, keychain.engine.enclave, folder: keychain.engine.folder)
        for request in [SyncRequest.positions, .status] {
            #expect(refusal { _ = try service.answer(request, []) }?.rule == .locked)
        }
    }

    @Test("A paused machine sends nothing, also after a restart, until it goes on")
    func paused() throws {
        let circle = try SyncedMachines()
        _ = try circle.first.service.answer(.pause(true), [])
        try circle.first.keychain.add("mail", value: "1")
        try circle.first.restart()
        try circle.exchange()
        #expect(try circle.second.keychain.values().isEmpty)
        #expect(try circle.first.status.isPaused && circle.first.positions.isPaused)
        #expect(try circle.first.status.unsent == 1)
        _ = try circle.first.service.answer(.pause(false), [])
        try circle.exchange()
        #expect(try circle.second.keychain.values() == ["mail": "1"])
    }

    @Test("A keychain that has left its circle keeps its items and takes part no more")
    func leaves() throws {
        let circle = try SyncedMachines()
        try circle.first.keychain.add("mail", value: "1")
        try circle.exchange()
        #expect(try circle.second.change(.leave) == nil)
        let asked = try #require(circle.second.user.questions.last)
        #expect(asked.prompt.item == circle.folder.path && asked.change?.kind == .leaves)
        #expect(try circle.second.keychain.values() == ["mail": "1"])
        try circle.second.restart()
        #expect(refusal { _ = try circle.second.positions }?.rule == .noCircle)
    }

    @Test("A keychain that has left a circle, also by half, enters another one", arguments: [false, true])
    func entersAnother(isCutOff: Bool) throws {
        let circle = try SyncedMachines()
        try circle.first.keychain.add("mail", value: "1")
        try circle.exchange()
        let before = try circle.first.status.circle
        if isCutOff {
            try circle.first.engine.enclave.leaveCircle(asking: SyncedMachine.question, by: .never)
            try circle.first.restart()
        } else {
            _ = try circle.first.change(.leave)
        }
        let after = try circle.first.change(.begin(place: circle.folder.path, name: "one"))
        #expect(after?.circle != before && after != nil)
        #expect(try circle.first.keychain.values() == ["mail": "1"])
        _ = try circle.first.positions
    }

    // MARK: - Who may ask

    private func refused(
        _ request: SyncRequest, _ caller: CallerIdentity, _ engine: TestEngine, _ files: [FileDescriptor] = []
    ) -> Refusal.Rule? {
        refusal {
            let writer = ResponseWriter()
            engine.engine.device(.sync(request), passcodes: files, from: caller, id: 1, by: .never, into: writer)
            let answer = writer.complete()
            guard answer.status == 0 else { throw Refusal(decoding: answer.body, status: answer.status) }
        }?.rule
    }

    @Test("The keychain's command alone looks and changes, programs outside of sandboxes carry, and no others")
    func callers() throws {
        let machine = try SyncedMachine("one")
        let user = CurrentProcess.user
        func caller(_ provenance: Provenance = .unsigned, user: UInt32 = 1000) -> CallerIdentity {
            CallerIdentity(user: user, process: 1, program: "p", provenance: provenance, groups: ["p"])
        }
        let command = CallerIdentity(
            user: 1000, process: 1, program: "security", groups: ["s"], mayInspectAllGroups: true)
        let boxed = caller(.sandboxed(.flatpak, application: "org.example"), user: max(user, 1))
        #expect(refused(.status, command, machine.engine) == .noCircle)
        machine.engine.engine.serve(machine.service)
        #expect(refused(.status, command, machine.engine) == nil)
        for request in [SyncRequest.status, .pause(true), .known([])] {
            #expect(refused(request, caller(), machine.engine) == .circleNotGranted)
        }
        #expect(refused(.positions, boxed, machine.engine) == .circleNotGranted)
        #expect(refused(.positions, caller(user: user), machine.engine) == .noCircle)
    }

    @Test("A place with a password, a path that is none, and a name that is none are refused before anybody is asked")
    func places() throws {
        let machine = try SyncedMachine("one")
        let long = "postgresql://me@host/" + String(repeating: "b", count: 4096)
        for place in ["postgresql://me:secret@host/db", "relative", "folder:x", "/a\nb", "", long] {
            #expect(refusal { try machine.change(.begin(place: place, name: "n")) }?.status == .param)
        }
        for name in ["", "a\u{1b}[1m", String(repeating: "n", count: 65)] {
            #expect(refusal { try machine.change(.begin(place: "/tmp", name: name)) }?.status == .param)
        }
        #expect(machine.user.questions.isEmpty)
    }

    @Test("What a carrier asks and brings does not wake it again")
    func wakesNobody() throws {
        let circle = try SyncedMachines()
        let engine = circle.first.engine
        engine.engine.serve(circle.first.service)
        let caller = CallerIdentity(
            user: 1000, process: 1, program: "security", groups: ["s"], mayInspectAllGroups: true)
        let number = engine.engine.circleEpoch.value
        for (slot, bytes) in try circle.slots() {
            let file = try PasscodeFile.make(SecretBytes(copying: bytes.span))
            #expect(refused(.take(slot), caller, engine, [file]) == nil)
        }
        #expect(refused(.next, caller, engine, [try PasscodeFile.makeRoom(SyncRequest.roomBytes)]) == nil)
        #expect(engine.engine.circleEpoch.value == number)
    }

    @Test("The number that a carrier waits for moves with a change for the other machines, and with no other")
    func wakes() throws {
        let circle = try SyncedMachines()
        let engine = circle.first.engine
        engine.engine.serve(circle.first.service)
        let number = engine.engine.circleEpoch.value
        try engine.add("here", "1")
        _ = try circle.first.positions
        #expect(engine.engine.circleEpoch.value == number)
        try circle.first.keychain.add("everywhere", value: "1")
        #expect(engine.engine.circleEpoch.value != number)
        _ = try circle.first.service.answer(.now, [])
        #expect(try circle.first.positions.isWanted)
        try circle.exchange(1)
        #expect(try !circle.first.positions.isWanted)
        _ = try circle.first.service.answer(.now, [])
        var failed = SyncView()
        failed.problem = "it is away"
        _ = try circle.first.service.answer(.seen(failed), [])
        #expect(try !circle.first.positions.isWanted && circle.first.status.problem == "it is away")
    }
}
