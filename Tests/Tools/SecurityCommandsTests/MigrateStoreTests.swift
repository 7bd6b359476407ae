import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import SecurityCommands
import Testing

@Suite("migrate-store moves what was stored before the system service came") struct MigrateStoreTests {
    private var shell = Shell()
    private let older = StandInOlderStore()

    init() { shell.older = older }

    private func item(_ account: String, group: String = "program:/bin/app", more: [AttributeID: AttributeValue] = [:])
        -> StandInKeychain.Item
    {
        var attributes: [AttributeID: AttributeValue] = [
            .account: .string(account), .service: .string("s"), .label: .string("L \(account)"),
            .accessGroup: .string(group),
            .accessible: .string("ak"),
        ]
        attributes.merge(more) { $1 }
        let uuid = Array((account + String(repeating: "-", count: 16)).utf8.prefix(16))
        return .init(itemClass: .genericPassword, attributes: attributes, value: Array("v".utf8), uuid: uuid)
    }

    private func fill(_ items: StandInKeychain.Item...) { older.keychain.update { [items] in $0.items = items } }
    private func accounts(_ keychain: StandInKeychain) -> [String] {
        keychain.update { $0.items.map { $0.attributes[.account]?.string ?? "" }.sorted() }
    }

    @Test("Nothing that was found says that there is an older store, where, and what to do, until it is empty")
    func hint() {
        let lost = shell.run("find-generic-password", "-s", "x")
        #expect(lost.status == -25300)
        #expect(
            lost.reasons.hasSuffix(
                """
                 A store from before the system service lies in /home/ada/.local/share/keychain.
                security: next: `security migrate-store` moves its items here, after a question.
                """))
        older.note(isEmptied: true)
        #expect(!shell.run("find-generic-password", "-s", "x").reasons.contains("migrate-store"))
    }

    @Test("Without the system service there is nothing to move, and that is said")
    func needsService() {
        let outcome = Shell().run("migrate-store", "-y")
        #expect(outcome == .init(1, errors: "security: there is no store to move from or to\n"))
        older.remove()
        #expect(shell.run("migrate-store", "-y") == .init(1, errors: "security: there is no older store\n"))
    }

    @Test(
        "What moves and what stays is shown, with the reason, before the question; a script moves nothing unasked"
    )
    func shows() {
        fill(
            item("a"), item("b", group: "program:/bin/other"), item("signed", group: "TEAM.app"),
            item("unit", group: "unit:cron.service"), item("key", more: [.tokenID: .string("com.apple.setoken")]))
        let expected = """
            from: /home/ada/keychain
            to:   /home/ada/keychain
            moves: program:/bin/app: 1
            moves: program:/bin/other: 1
            stays: genp "L signed" (TEAM.app): its programs are more than a path
            stays: genp "L unit" (unit:cron.service): its programs are more than a path
            stays: genp "L key" (program:/bin/app): its key cannot leave the enclave
            Items of anchored programs are not shown; they stay.

            """
        #expect(shell.run("migrate-store") == .init(1, expected, errors: "security: nothing was moved\n"))
        #expect(shell.run("migrate-store", "-n") == .init(0, expected + "moved: 0\n"))
        #expect(accounts(shell.keychain) == [] && accounts(older.keychain).count == 5)
    }

    @Test("What moves is in the other keychain and gone from the first; what stays is there as before")
    func moves() {
        fill(item("a"), item("b", group: "program:/bin/other"), item("signed", group: "TEAM.app"))
        #expect(shell.run("migrate-store", "-y").text.hasSuffix("moved: 2\n"))
        #expect(accounts(shell.keychain) == ["a", "b"] && accounts(older.keychain) == ["signed"])
        #expect(older.isThere)
        #expect(shell.run("migrate-store", "-b", "-y").text.hasSuffix("moved: 2\n"))
        #expect(accounts(shell.keychain) == [] && accounts(older.keychain) == ["a", "b", "signed"])
    }

    @Test("An older store without anything left is not named any more")
    func empties() {
        fill(item("a"))
        #expect(shell.run("migrate-store", "-y").status == 0)
        #expect(!older.isThere)
        #expect(shell.run("migrate-store", "-b", "-y").status == 0)
        #expect(older.isThere)
    }

    @Test("What a program puts into an emptied store moves too")
    func comesLater() {
        fill(item("a"))
        #expect(shell.run("migrate-store", "-y").text.hasSuffix("moved: 1\n"))
        fill(item("b"))
        #expect(shell.run("migrate-store", "-y").text.hasSuffix("moved: 1\n"))
        #expect(accounts(shell.keychain) == ["a", "b"] && accounts(older.keychain) == [])
    }

    @Test("An item that its program changes after it was copied stays with its new value, and that is told")
    func keepsWhatChanges() {
        fill(item("a", more: [.modificationDate: .date(1)]), item("b", more: [.modificationDate: .date(1)]))
        let source = older.keychain
        let changed = item("a", more: [.modificationDate: .date(2)])
        shell.keychain.update { state in
            state.beforeDevice = { request in
                guard case .access(.work) = request else { return }
                source.update { [changed] in if $0.items.count == 2 { $0.items[0] = changed } }
            }
        }
        let outcome = shell.run("migrate-store", "-y")
        #expect(outcome.status == 1)
        let told = "stays: genp \"L a\" (program:/bin/app): it was changed after it had been copied\n"
        #expect(outcome.text.contains(told))
        #expect(accounts(source) == ["a"] && accounts(shell.keychain) == ["a", "b"])
        #expect(older.isThere)
    }

    @Test("A run that is cut short leaves one item at most in both keychains, and the next run moves the others")
    func isCutShort() {
        fill(item("a"), item("b"), item("c"))
        let lost = Refusal(.io, .damaged, "socket", "The keychain is gone.", do: "Try again.")
        let (source, target) = (older.keychain, shell.keychain)
        target.update { state in
            state.beforeDevice = { [target] request in
                guard case .access(.work) = request, target.update({ $0.items.count }) == 1 else { return }
                source.update { $0.refusal = lost }
            }
        }
        #expect(shell.run("migrate-store", "-y").status != 0)
        let both = Set(accounts(source)).intersection(accounts(target))
        #expect(both.count <= 1 && Set(accounts(source)).union(accounts(target)) == ["a", "b", "c"])
        target.update { $0.beforeDevice = { _ in } }
        source.update { $0.refusal = nil }
        _ = shell.run("migrate-store", "-y")
        #expect(accounts(target) == ["a", "b", "c"])
    }

    @Test("Of two items that differ in what one lacks, the other is not deleted")
    func keepsItsNeighbour() {
        let date: [AttributeID: AttributeValue] = [.modificationDate: .date(1)]
        fill(item("", more: date), item("a", more: date))
        shell.keychain.update { [there = item("a")] in $0.items = [there] }
        #expect(shell.run("migrate-store", "-y").status == 1)
        #expect(accounts(older.keychain) == ["a"] && accounts(shell.keychain) == ["", "a"])
    }

    @Test("An item that cannot be added stays, is told, and keeps no other from moving; the status is 1")
    func conflicts() {
        fill(item("a"), item("b"))
        shell.keychain.update { [there = item("a")] in $0.items = [there] }
        let outcome = shell.run("migrate-store", "-y")
        #expect(outcome.status == 1)
        #expect(
            outcome.text.hasSuffix(
                "stays: genp \"L a\" (program:/bin/app): there is such an item already\nmoved: 1\n"))
        #expect(accounts(older.keychain) == ["a"] && accounts(shell.keychain) == ["a", "b"])
    }

    @Test("Nothing goes from a keychain whose copy was not verified")
    func keepsUnverified() {
        fill(item("a"))
        shell.keychain.update { state in
            state.refusal = Refusal(.io, .damaged, "item", "What was stored is not found as it came.", do: "Keep it.")
        }
        let outcome = shell.run("migrate-store", "-y")
        #expect(outcome.status == 1 && outcome.text.contains("What was stored is not found as it came."))
        #expect(accounts(older.keychain) == ["a"])
    }

    @Test("Each keychain's password is asked for where one is set, and goes with every request")
    func passcodes() {
        fill(item("a"))
        older.keychain.update { ($0.passcode, $0.isLocked) = (Array("old".utf8), true) }
        shell.keychain.update { $0.passcode = Array("new".utf8) }
        #expect(shell.run("migrate-store", "-y", input: "old\nwrong\n").status == -25293)
        #expect(accounts(older.keychain) == ["a"])
        #expect(shell.run("migrate-store", "-y", input: "old\nnew\n").text.hasSuffix("moved: 1\n"))
    }

    @Test("--json has the same facts")
    func json() {
        fill(item("a"), item("signed", group: "TEAM.app"))
        #expect(
            shell.run("migrate-store", "-y", "--json")
                == .init(
                    0,
                    #"{"moved":1,"moving":1,"staying":[{"class":"genp","name":"L signed","group":"TEAM.app","#
                        + #""reason":"its programs are more than a path"}]}"# + "\n"))
    }

    private func item(_ itemClass: ItemClass, _ more: [AttributeID: AttributeValue]) -> StandInKeychain.Item {
        let all: [AttributeID: AttributeValue] = [
            .accessGroup: .string("program:/bin/app"), .accessible: .string("cku"),
        ]
        return .init(
            itemClass: itemClass, attributes: more.merging(all) { $1 }, value: [1, 0, 255],
            uuid: Array(repeating: itemClass.rawValue, count: 16))
    }

    @Test("Certificates, keys and internet passwords move with all that a program has given them")
    func classes() {
        let certificate: [AttributeID: AttributeValue] = [
            .certificateType: .number(3), .issuer: .data([48]), .serialNumber: .data([1]), .label: .string("c"),
        ]
        let key: [AttributeID: AttributeValue] = [
            .keyClass: .number(1), .type: .number(42), .applicationLabel: .data([7]), .applicationTag: .data([8]),
            .keySizeInBits: .number(2048), .canSign: .number(1),
        ]
        let internet: [AttributeID: AttributeValue] = [
            .server: .string("h"), .port: .number(443), .path: .string("/p"), .account: .string("a"),
            .comment: .string("ä"),
        ]
        fill(item(.certificate, certificate), item(.key, key), item(.internetPassword, internet))
        let outcome = shell.run("migrate-store", "-y")
        #expect(outcome.status == 0 && outcome.text.hasSuffix("moved: 3\n"), "\(outcome.text)")
        let moved = shell.keychain.update { $0.items }
        for (itemClass, given) in [(ItemClass.certificate, certificate), (.key, key), (.internetPassword, internet)] {
            let found = moved.first { $0.itemClass == itemClass }
            #expect(found?.value == [1, 0, 255])
            #expect(found?.attributes[.accessible] == .string("cku"))
            #expect(given.allSatisfy { found?.attributes[$0.key] == $0.value }, "\(itemClass)")
        }
    }
}
