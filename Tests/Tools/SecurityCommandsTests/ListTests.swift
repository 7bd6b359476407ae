import CommandOptions
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecurityCommands

@Suite("list") struct ListTests {
    let shell = Shell()

    init() {
        add("deploy", "ci")
        add("deploy", "prod")
        add("部门", "张三")
        _ = shell.run("add-internet-password", "-s", "github.com", "-a", "octo", "-w", "sesame")
        shell.keychain.update { state in
            state.items.append(
                .init(
                    itemClass: .genericPassword,
                    attributes: [
                        .service: .string("api"), .account: .string(""), .label: .string("The API"),
                        .accessGroup: .string("program:/opt/evil/security"),
                        .modificationDate: .date(StandInKeychain.date - 40 * 86_400),
                    ], value: Array("theirs".utf8), uuid: [UInt8](repeating: 9, count: 16)))
        }
    }

    private func add(_ service: String, _ account: String) {
        _ = shell.run("add-generic-password", "-s", service, "-a", account, "-w", "sesame")
    }

    private func names(_ words: String...) -> [String] {
        shell.run(["list"] + words, input: []).text.split(separator: "\n").map { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
            return cells[2].isEmpty ? String(cells[0]) : "\(cells[0])/\(cells[2])"
        }
    }

    private static let moment = "2019-01-02T03:04:05.678Z"

    @Test("Without a terminal there are tabs, ISO dates and no heading; the count goes to standard error")
    func plain() {
        let expected = [
            "deploy\tpass\tci\tlogin\tsecurity\t\(Self.moment)", "deploy\tpass\tprod\tlogin\tsecurity\t\(Self.moment)",
            "部门\tpass\t张三\tlogin\tsecurity\t\(Self.moment)",
            "api\tpass\t\tlogin\t/opt/evil/security\t2018-11-23T03:04:05.678Z",
            "github.com\tinet\tocto\tlogin\tsecurity\t\(Self.moment)",
        ]
        let text = expected.map { $0 + "\n" }.joined()
        #expect(shell.run("list") == .init(0, text, errors: "5 items.\n"))
        let heading = "NAME\tKIND\tACCOUNT\tWHERE\tGROUP\tCHANGED\n"
        #expect(shell.run("list", "-H") == .init(0, heading + text, errors: "5 items.\n"))
        #expect(shell.run("-q", "list") == .init(0, text))
        #expect(shell.run("list", "-l", "octo").text.hasSuffix("\t\(Self.moment)\t\tunknown\n"))
    }

    @Test(
        "Words are parts of service, server, label and account, in any case and width",
        arguments: [
            (["DEPLOY"], ["deploy/ci", "deploy/prod"]), (["ｄｅｐ"], ["deploy/ci", "deploy/prod"]),
            (["deploy", "prod"], ["deploy/prod"]), (["deploy/ci"], ["deploy/ci"]), (["部"], ["部门/张三"]),
            (["the api"], ["api"]), (["hub"], ["github.com/octo"]), (["sesame"], []),
        ])
    func words(words: [String], expected: [String]) {
        let outcome = shell.run(["list"] + words, input: [])
        #expect(outcome.status == 0)
        #expect(outcome.errors == "\(expected.count) of 5 items.\n")
        #expect(outcome.text.split(separator: "\n").count == expected.count)
        for (line, name) in zip(outcome.text.split(separator: "\n"), expected) {
            #expect(line.hasPrefix(name.split(separator: "/")[0] + "\t"))
        }
    }

    @Test("Filters leave out what they do not name")
    func filters() {
        #expect(names("kind:inet") == ["github.com/octo"])
        #expect(names("kind:inet", "kind:cert") == ["github.com/octo"])
        #expect(names("group:security", "部") == ["部门/张三"])
        #expect(names("program:/opt/evil") == ["api"])
        #expect(names("account:PROD") == ["deploy/prod"])
        #expect(names("changed:<7d", "kind:inet") == ["github.com/octo"])
        #expect(names("changed:>7d") == ["api"])
        #expect(names("changed:<2019-01-01") == ["api"])
        #expect(names("changed:>2019-01-01", "kind:inet") == ["github.com/octo"])
        #expect(names("expired:yes") == [])
        #expect(names("expired:no").count == 5)
        #expect(names("kind:deleted") == [])
        #expect(names("http://x:1") == [])
    }

    @Test("A key that has expired is found as that")
    func expired() {
        shell.keychain.update { state in
            state.items.append(
                .init(
                    itemClass: .key,
                    attributes: [
                        .label: .string("old"), .endDate: .date(StandInKeychain.date),
                        .accessGroup: .string(StandInKeychain.ownGroup),
                    ], value: nil, uuid: [UInt8](repeating: 8, count: 16)))
        }
        #expect(names("expired:yes") == ["old"])
        #expect(shell.run("list", "expired:yes", "--json").text.contains("\"expires\":\"\(Self.moment)\""))
    }

    @Test("Deleted items of this command are listed where they are asked for")
    func deleted() {
        _ = shell.run("delete-generic-password", "-s", "deploy", "-a", "ci")
        #expect(names("kind:deleted") == ["deploy/ci"])
        #expect(names("deploy") == ["deploy/prod"])
    }

    @Test(
        "A filter or an option that cannot be read is a wrong command line, and nothing is asked of the keychain",
        arguments: [
            ["kind:foo"], ["changed:soon"], ["changed:<"], ["changed:99999999999d"], ["expired:maybe"], ["-n", "0"],
            ["-n", "x"], ["--sort", "size"], ["-z"], ["--sort"],
        ])
    func wrong(words: [String]) {
        shell.keychain.update { $0.requests = [] }
        let outcome = shell.run(["list"] + words, input: [])
        #expect(outcome.status == 2 && outcome.text.isEmpty)
        #expect(outcome.errors.contains("\nUsage: list "))
        #expect(shell.keychain.update { $0.requests.isEmpty })
    }

    @Test("Items are sorted as asked, and so many are shown as asked")
    func sorting() {
        #expect(
            names("--sort", "name") == ["api", "deploy/ci", "deploy/prod", "github.com/octo", "部门/张三"])
        #expect(names("-r", "--sort", "account").first == "部门/张三")
        #expect(names("--sort", "changed").last == "api")
        #expect(names("--sort", "group").first == "api")
        let outcome = shell.run("list", "-n", "2")
        #expect(outcome.text.split(separator: "\n").count == 2 && outcome.errors == "2 of 5 items.\n")
        #expect(shell.run("list", "--sort", "name", "-n", "1").text.hasPrefix("api\t"))
    }

    @Test("--json is an object a line, with the item's lasting name, and no value")
    func json() {
        let outcome = shell.run("list", "--json", "octo")
        #expect(
            outcome
                == .init(
                    0,
                    """
                    {"ref":"aW5ldAMEBQYHCAkKCwwNDg8QERI=","kind":"inet","name":"github.com","account":"octo",\
                    "label":"github.com","where":"login","group":"program:/usr/bin/security","own":true,\
                    "created":"\(Self.moment)","changed":"\(Self.moment)","expires":null,"protection":"unknown"}

                    """))
        #expect(shell.run("list", "--json").text.split(separator: "\n").count == 5)
    }

    @Test("Nothing found exits with 0, or with 44 where that is asked for")
    func nothing() {
        #expect(shell.run("list", "nowhere") == .init(0, errors: "0 of 5 items.\n"))
        #expect(
            shell.run("list", "foo:bar").errors.hasPrefix("0 of 5 items. There is no filter foo: The filters are kind:")
        )
        let outcome = shell.run("list", "nowhere", "-e")
        #expect(UInt8(truncatingIfNeeded: outcome.status) == 44)
        #expect(outcome.reasons.contains("security: why: No item has all these words."))
        #expect(shell.run("list", "-e").status == 0)
    }

    @Test("Items of other programs are listed, and no value is asked for")
    func noValues() {
        shell.keychain.update { $0.requests = [] }
        _ = shell.run("list")
        let requests = shell.keychain.update { $0.requests }
        #expect(requests.map(\.itemClass) == [.genericPassword, .internetPassword, .certificate, .key])
        #expect(requests.allSatisfy { $0.inspectsAllGroups && !$0.returns.contains(.data) })
    }

    @Test("What is sealed is left out and not counted, the rest is listed")
    func sealed() {
        shell.keychain.update { state in
            state.sealed = ["ak"]
            for index in state.items.indices {
                state.items[index].attributes[.accessible] = .string(index == 1 ? "ck" : "ak")
            }
        }
        let outcome = shell.run("list")
        #expect(outcome.status == 0)
        #expect(outcome.text == "deploy\tpass\tprod\tlogin\tsecurity\t\(Self.moment)\n")
        #expect(outcome.errors == "1 item. Others are sealed until the keychain is unlocked.\n")
    }

    @Test(
        "A name from an item cannot steer the terminal or move to another column",
        arguments: [
            ("a\u{1B}[31mb", "a\\x1b[31mb"), ("a\tb", "a\\x09b"), ("a\nb", "a\\x0ab"), ("a\u{202E}b", "a\\u202eb"),
            ("\u{301}a", "\\u0301a"), ("\u{9B}31m", "\\x9b31m"), ("a\u{200B}b", "a\\u200bb"),
            ("a\u{E0041}", "a\\U000e0041"),
            ("a\u{2028}b", "a\\u2028b"),
            ("a" + String(repeating: "\u{301}", count: 6), "a\u{301}\u{301}\u{301}\u{301}\\u0301\\u0301"),
        ])
    func hostile(name: String, shown: String) {
        add(name, "x")
        let line = shell.run("list", "account:x").text
        #expect(line == "\(shown)\tpass\tx\tlogin\tsecurity\t\(Self.moment)\n")
        #expect(DisplayName.shown(shown) == shown || shown.contains("\u{301}"))
    }

    @Test("Thousands of items take a request for each page, and a few others")
    func many() {
        var large = Shell()
        let (thousands, wanted) = (full(100, gate: 5), full(77_777, gate: 4_777))
        let items = ManyItems(thousands * 1000)
        large.other = items
        let outcome = large.run("list", "SERVICE \(wanted)")
        #expect(outcome.text.hasPrefix("service \(wanted)\tpass\tada\tlogin\tsecurity\t"))
        #expect(outcome.errors == "1 of \(thousands),000 items.\n")
        #expect(items.requests == (items: thousands + 3, others: 1))
        #expect(large.run("list", "--sort", "name", "-n", "1").text.hasPrefix("service 1\t"))
    }
}

@Suite("list at a terminal") struct ListAtTerminalTests {
    let shell = Shell()

    init() {
        for (service, account) in [("deploy", "ci"), ("部门", "张三"), ("a name that is longer than its column", "ada")] {
            _ = shell.run("add-generic-password", "-s", service, "-a", account, "-w", "sesame")
        }
    }

    private func lines(_ columns: UInt16, _ words: String..., shell: Shell? = nil) throws -> [String] {
        let terminal = try PseudoTerminal()
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(terminal.device.number, UInt(TIOCSWINSZ), &size)
        let shell = shell ?? self.shell
        let session = shell.session(input: Shell.file(), output: terminal.device, diagnostics: Shell.file())
        #expect(Driver.run((["list"] + words).map { Argument($0) }, in: session) == 0)
        return try terminal.rest().split(separator: "\r\n").map(String.init)
    }

    @Test("A wide terminal has all columns, sorted by name, and characters that take two columns count as two")
    func wide() throws {
        let day = ItemDate(seconds: StandInKeychain.date).short(now: StandInKeychain.date + 3600)
        #expect(
            try lines(100) == [
                "NAME                                   KIND  ACCOUNT  WHERE  GROUP     CHANGED",
                "a name that is longer than its column  pass  ada      login  security  \(day)",
                "deploy                                 pass  ci       login  security  \(day)",
                "部门                                   pass  张三     login  security  \(day)",
            ])
    }

    @Test("On a narrow terminal columns go in their order, names are cut, and no line is too long")
    func narrow() throws {
        let day = ItemDate(seconds: StandInKeychain.date).short(now: StandInKeychain.date + 3600)
        #expect(
            try lines(48)
                == [
                    "NAME                  KIND  ACCOUNT  CHANGED",
                    "a name that is long…  pass  ada      \(day)", "deploy                pass  ci       \(day)",
                    "部门                  pass  张三     \(day)",
                ])
        let stacked = try lines(30)
        #expect(stacked.count == 6)
        #expect(stacked.last?.hasPrefix("  pass 张三 login") ?? false)
    }

    @Test("COLUMNS says how wide a terminal is that does not")
    func columns() throws {
        var small = shell
        small.environment["COLUMNS"] = "30"
        #expect(try lines(0, shell: small).count == 6)
        #expect(try lines(0).count == 4)
    }
}
