import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("decisions, why, and the life of groups")
struct AccessCommandTests {
    let shell = Shell()

    private func answer(
        _ body: @escaping @Sendable (AccessRequest, [[UInt8]]) throws(Refusal) -> AccessReply
    ) { shell.keychain.update { $0.access = body } }

    private var requests: [AccessRequest] {
        shell.keychain.update { state in
            state.devices.compactMap { if case .access(let request) = $0 { request } else { nil } }
        }
    }

    // MARK: - decisions

    private static let entry = DecisionEntry(
        number: 1, time: 568_091_045.678, process: 7, user: 1000, program: "/bin/one\nforged", provenance: "unsigned",
        isAnchored: false, operation: "SecItemAdd", itemClass: .genericPassword, groups: ["OTHER.x"], status: -34018,
        rule: "access.group-not-granted")

    @Test("decisions are a line each, which no name can break", .rule("access-groups.decisions.line"))
    func decisions() {
        answer { _, _ throws(Refusal) in .decisions(DecisionPage(entries: [Self.entry], next: 1)) }
        let expected =
            "2019-01-02T03:04:05.678Z errSecMissingEntitlement /bin/one\u{FFFD}forged[7] SecItemAdd genp OTHER.x "
            + "access.group-not-granted\n"
        answer { request, _ throws(Refusal) in
            let isFirst = request == .decisions(after: 0)
            return .decisions(DecisionPage(entries: isFirst ? [Self.entry] : [], next: 1))
        }
        #expect(shell.run("decisions") == .init(0, expected))
        #expect(requests == [.decisions(after: 0), .decisions(after: 1)])
        let json = shell.run("decisions", "--json").text
        #expect(json.contains(#""rule":"access.group-not-granted","program":"/bin/one\nforged","process":7"#))
        #expect(json.split(separator: "\n").count == 1)
    }

    @Test("--follow goes on until the keychain ends")
    func follows() {
        answer { request, _ throws(Refusal) in
            guard case .decisions(let after) = request, after < 3 else { throw StandInKeychain.notFound }
            return .decisions(DecisionPage(entries: [Self.entry], next: after + 1))
        }
        let outcome = shell.run("decisions", "--follow")
        #expect(outcome.status == -25300 && outcome.text.split(separator: "\n").count == 3)
    }

    // MARK: - why

    private static func explanation(_ refusal: Refusal? = nil) -> Explanation {
        let list = SecretBuffer()
        list.append(.account, .string("ada"))
        list.append(.service, .string("example"))
        list.append(.accessGroup, .string("program:/bin/one"))
        let attributes = (try? AttributeList(parsing: list.finish())) ?? .empty
        let candidate = Explanation.Candidate(
            itemClass: .genericPassword, verdict: .excluded, exclusions: [.init(.attributeDiffers, "acct")],
            isShown: true, attributes: attributes)
        let hidden = Explanation.Candidate(
            itemClass: .genericPassword, verdict: .excluded, exclusions: [.init(.locked, "ak")], isShown: false,
            attributes: .empty)
        return Explanation(
            refusal: refusal, program: "/bin/one", groups: ["a", "b"], looked: 9, omitted: 7,
            candidates: [candidate, hidden])
    }

    @Test("why shows what comes nearest, what keeps each from being found, and what to do")
    func why() throws {
        answer { _, _ throws(Refusal) in .explanation(Self.explanation(StandInKeychain.notFound)) }
        let text = shell.run("why", "-a", "bob", "-s", "example", "--as", "/bin/one", "--group", "a").text
        for part in [
            "program: /bin/one\n", "groups:  a, b\n",
            "search:  errSecItemNotFound, store.not-found: Nothing matches.\n",
            #"not    genp svce="example" acct="ada" agrp="program:/bin/one""#,
            #"acct differs: asked for "bob", it has "ada""#, "(its attributes are closed)",
            "its protection class is closed", "items looked at: 9; 7 that differ more are left out\n",
            "Compare the attributes", "security unlock-keychain",
        ] { #expect(text.contains(part), "\(part)") }
        guard case .why(let program, let query)? = requests.first else { throw Refusal.malformed("the request") }
        let request = try ItemRequest(decoding: SecretBytes(copying: query.span))
        #expect(program == "/bin/one" && request.query[.account] == .string("bob"))
        #expect(request.query[.accessGroup] == .string("a") && request.query[.synchronizable] == .string("syna"))
        #expect(request.limit == .one && !request.returns.contains(.data))
    }

    @Test("why --json has everything a program needs")
    func whyJSON() {
        answer { _, _ throws(Refusal) in .explanation(Self.explanation()) }
        let json = shell.run("why", "--json").text
        #expect(
            json.contains(#""verdict":"excluded","exclusions":[{"rule":"query.attribute-differs","subject":"acct"}]"#))
        #expect(json.contains(#""refusal":null,"looked":9,"omitted":7"#) && json.contains(#""attributes":null"#))
    }

    @Test(
        "why says whether an item goes to the other machines of the circle, and what keeps it, also in JSON",
        arguments: [
            (.travels, "it goes to the other machines of the circle\n", "travels"),
            (.waits, "its last change waits to be sent (security sync status)", "waits"),
            (.hasNoCircle, "this keychain has none (security sync setup)", "no-circle"),
            (.isNotMarked, "it is not marked for others", "not-marked"),
            (.isOfThisDevice, "its protection class is one of this device alone", "this-device-only"),
            (.isSealed, "its key is sealed by the enclave", "sealed"),
            (.isGuarded, "it has an access control that asks", "access-control"),
            (.isOfThisMachine, "its group or its user is this machine's", "of-this-machine"),
            (.hasNoProgram, "no program here was seen with its access group", "no-program-here"),
        ] as [(ItemSync, String, String)])
    func whyItTravels(sync: ItemSync, sentence: String, word: String) {
        var explanation = Self.explanation()
        explanation.candidates[0].sync = sync
        let shown = explanation
        answer { _, _ throws(Refusal) in .explanation(shown) }
        #expect(shell.run("why", "-s", "example").text.contains(sentence))
        #expect(shell.run("why", "--json", "-s", "example").text.contains(#""sync":"\#(word)""#))
    }

    @Test("why says nothing of a circle where the keychain belongs to none and the item is not marked")
    func whyWithoutCircle() {
        answer { _, _ throws(Refusal) in .explanation(Self.explanation()) }
        #expect(!shell.run("why", "-s", "example").text.contains("machine"))
        #expect(shell.run("why", "--json", "-s", "example").text.contains(#""sync":null"#))
    }

    @Test(
        "The options of a class that the search is not about are refused",
        arguments: [["-P", "80"], ["--class", "cert", "-a", "x"], ["--class", "idnt"], ["--sync", "maybe"]])
    func whyUsage(words: [String]) {
        #expect(shell.run(["why"] + words, input: []).status == 2)
        #expect(requests.isEmpty)
    }

    @Test("With --class inet the options are those of find-internet-password")
    func whyInternet() throws {
        answer { _, _ throws(Refusal) in .explanation(Self.explanation()) }
        #expect(
            shell.run("why", "--class", "inet", "-s", "example.org", "-P", "80", "--all", "--sync", "no").status == 0)
        guard case .why(_, let query)? = requests.first else { throw Refusal.malformed("the request") }
        let request = try ItemRequest(decoding: SecretBytes(copying: query.span))
        #expect(request.query[.server] == .string("example.org") && request.query[.port] == .number(80))
        #expect(request.limit == .all && request.query[.synchronizable] == .number(0))
    }

    // MARK: - Groups

    private static let wanted = Refusal(
        .authFailed, .wrongPasscode, "password", "It takes the password.", do: "Give it.")

    @Test("move-items says how many were moved")
    func moves() {
        answer { _, _ throws(Refusal) in
            var report = MoveReport()
            report.moved = 3
            return .moved(report)
        }
        #expect(shell.run("move-items", "--from", "a", "--to", "b", "--class", "keys") == .init(0, "moved: 3\n"))
        #expect(requests == [.move(GroupMove(from: "a", to: "b", itemClass: .key))])
        #expect(shell.run("rename-group", "a", "b", "--json").text.hasPrefix(#"{"moved":3,"damaged":0,"conflicts":[]"#))
        #expect(requests.last == .move(GroupMove(from: "a", to: "b", isRename: true)))
    }

    @Test("The password is asked for when it is wanted, and not before")
    func password() {
        answer { _, passcodes throws(Refusal) in
            guard passcodes == [Array("1234".utf8)] else { throw Self.wanted }
            return .moved(MoveReport())
        }
        #expect(shell.run("move-items", "--from", "a", "--to", "b", input: "1234\n").status == 0)
        #expect(requests.count == 2)
    }

    @Test("Conflicts are listed, and the command fails")
    func conflicts() {
        answer { _, _ throws(Refusal) in
            var report = MoveReport()
            report.note(.init(itemClass: .genericPassword, rule: .duplicate, name: "mine"))
            report.note(.init(itemClass: .key, rule: .needsUser, name: "guarded"))
            return .moved(report)
        }
        let outcome = shell.run("move-items", "--from", "a", "--to", "b")
        #expect(outcome.status == 1 && outcome.errors.hasPrefix("security: nothing was moved"))
        #expect(outcome.text.contains("genp \"mine\": there is such an item in the other group"))
        #expect(outcome.text.contains("keys \"guarded\": its user guards it"))
    }

    @Test("A statement is read from PEM or as it is")
    func statement() throws {
        answer { _, _ throws(Refusal) in .moved(MoveReport()) }
        let pem = "-----BEGIN KEYCHAIN TEAM STATEMENT-----\nAQID\n-----END KEYCHAIN TEAM STATEMENT-----\n"
        for content in [Array(pem.utf8), [1, 2, 3]] {
            let file = Shell.file(content)
            let path = "/proc/self/fd/\(file.number)"
            #expect(shell.run("rename-group", "a", "b", "--statement", path).status == 0)
            #expect(requests.last == .move(GroupMove(from: "a", to: "b", isRename: true, statement: [1, 2, 3])))
        }
        #expect(shell.run("rename-group", "a", "b", "--statement", "/nowhere").status == 1)
    }

    @Test("orphans are listed with what becomes of them", .rule("access-groups.removal.orphans"))
    func orphans() {
        answer { _, _ throws(Refusal) in
            .orphans([
                OrphanGroup(group: "TEAM.g", policy: .purge, items: 2, lastSeen: 9000, programs: ["/bin/gone"])
            ])
        }
        #expect(
            shell.run("orphans")
                == .init(0, "TEAM.g: 2 items, policy purge, last seen 2025-08-23\n    gone: /bin/gone\n"))
        #expect(shell.run("orphans", "--json").text.contains(#""group":"TEAM.g","items":2,"policy":"purge""#))
    }

    @Test(
        "the policy of a group is keep or purge, and removed programs are told by their paths",
        .rule("access-groups.removal.orphans"))
    func policies() {
        answer { request, _ throws(Refusal) in
            if case .uninstalled = request { .purged(4) } else { .done }
        }
        #expect(shell.run("set-group-policy", "TEAM.g", "purge") == .init(0))
        #expect(shell.run("set-group-policy", "TEAM.g", "burn").status == 2)
        #expect(shell.run("uninstalled", "/bin/a", "/bin/b") == .init(0, "deleted: 4\n"))
        #expect(requests == [.setPolicy(.purge, group: "TEAM.g"), .uninstalled(["/bin/a", "/bin/b"])])
    }

    @Test(
        "every keychain of the system service is told, and those that cannot be are named",
        .rule("access-groups.removal.orphans"))
    func everybody() throws {
        let stores = try TemporaryDirectory()
        for name in ["0", "1000", "system", "lost+found", "01"] { try PrivateDirectory.ensure(stores.file(name)) }
        answer { _, _ throws(Refusal) in .purged(2) }
        #expect(shell.run("uninstalled", "--all-users", "-d", stores.path, "/bin/a") == .init(0, "deleted: 6\n"))
        #expect(requests == Array(repeating: .uninstalled(["/bin/a"]), count: 3))
        answer { _, _ throws(Refusal) in throw .malformed("the keychain") }
        let failed = shell.run("uninstalled", "-A", "--stores", stores.path, "/bin/a")
        #expect(failed.status == 1 && failed.errors.contains("not told: 0, 1000, system"))
        #expect(shell.run("uninstalled", "-A", "-d", stores.file("none"), "/bin/a").errors.contains("cannot be read"))
        #expect(shell.run("uninstalled", "-d", stores.path, "/bin/a").status == 2)
    }

    // MARK: - Anchored programs

    @Test("--anchored adds an item that only anchored programs read")
    func anchored() {
        #expect(shell.run("add-generic-password", "-a", "a", "-s", "s", "--anchored", "-w", "x").status == 0)
        let control = shell.keychain.update { $0.requests.last?.query.accessControl }
        #expect(control == AccessControl(.whenUnlocked, flags: AccessConstraint.anchoredProgram))
    }

    @Test("A long option takes its value from the next word, and says when there is none")
    func longOptions() {
        #expect(shell.run("move-items", "--from").errors.contains("option requires an argument -- --from"))
        #expect(shell.run("move-items", "-fa").status == 2)
        #expect(requests.isEmpty)
    }
}
