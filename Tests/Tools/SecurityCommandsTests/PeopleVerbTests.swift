import CommandOptions
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecurityCommands

@Suite("show, add, edit, rm, purge and undelete") struct PeopleVerbTests {
    let shell = Shell()

    init() {
        for account in ["ci", "prod"] {
            _ = shell.run("add-generic-password", "-s", "deploy", "-a", account, "-w", "sesame \(account)")
        }
        shell.keychain.update { state in
            state.items.append(
                .init(
                    itemClass: .genericPassword,
                    attributes: [
                        .service: .string("theirs"), .accessGroup: .string("program:/opt/app"),
                        .modificationDate: .date(StandInKeychain.date),
                    ], value: Array("foreign".utf8), uuid: [UInt8](repeating: 9, count: 16)))
        }
    }

    private var values: [String] {
        shell.keychain.update { $0.items.map { String(decoding: $0.value ?? [], as: UTF8.self) } }
    }

    @Test("show has the attributes of the one item that matches, and not its value")
    func show() {
        let expected = """
            Item       generic password
            Service    deploy
            Account    ci
            Opens      no access control
            Belongs to security
            Created    2019-01-02T03:04:05.678Z
            Changed    2019-01-02T03:04:05.678Z
            Reference  kc://deploy/ci

            """
        for name in ["deploy/ci", "DEPLOY/ci", "CI", "kc://deploy/ci"] {
            #expect(shell.run("show", name) == .init(0, expected))
        }
        #expect(shell.run("show", "deploy", "ci") == .init(0, expected))
        #expect(shell.run("show", "kc://DEPLOY/ci").status == KeychainStatus.itemNotFound.rawValue)
        #expect(shell.run("show", "kc://deploy%").status == 2)
        #expect(shell.run("show", "kc://deploy/ci?class=inet").status == KeychainStatus.itemNotFound.rawValue)
    }

    @Test("Of several items none is taken: their table goes to standard error, and the status is 1")
    func ambiguous() {
        let outcome = shell.run("show", "deploy")
        #expect(outcome.status == 1 && outcome.text.isEmpty)
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.last == "security: show: \"deploy\" does not name one item")
        #expect(outcome.reasons == "security: why: 2 items match\nsecurity: next: security show kc://deploy/ci")
        #expect(shell.run("--json", "show", "deploy").errors.hasPrefix("{\"status\":1,"))
    }

    @Test("What is not there is not found, with the three lines of a failure")
    func missing() {
        let outcome = shell.run("show", "nowhere")
        #expect(
            outcome
                == .init(
                    -25300,
                    errors: "security: show: The specified item could not be found in the keychain.\n"))
        #expect(outcome.reasons.contains("No item has \"nowhere\" in its service, server, label or account."))
    }

    @Test("A value goes to a terminal, or where that is demanded, and nothing is asked of the keychain before")
    func reveal() throws {
        shell.keychain.update { $0.requests = [] }
        let refused = shell.run("show", "deploy/ci", "-p")
        #expect(refused == .init(1, errors: "security: show: the output is no terminal\n"))
        #expect(shell.keychain.update { $0.requests.isEmpty })
        #expect(shell.run("show", "deploy/ci", "-p", "--force-stdout").text.hasSuffix("\nPassword   sesame ci\n"))
        let json = shell.run("show", "deploy/ci", "-p", "-F", "--json").text
        #expect(json.hasSuffix("\"reference\":\"kc://deploy/ci\",\"password\":\"sesame ci\"}\n"))
        let terminal = try PseudoTerminal()
        let session = shell.session(input: Shell.file(), output: terminal.device, diagnostics: Shell.file())
        #expect(Driver.run(["show", "deploy/ci", "-p"].map { Argument($0) }, in: session) == 0)
        #expect(try terminal.rest().hasSuffix("Password   sesame ci\r\n"))
    }

    @Test("Another program's item is shown, and neither revealed, copied, changed nor deleted")
    func foreign() {
        #expect(shell.run("show", "theirs").text.contains("Belongs to /opt/app\n"))
        let lines = [
            ["show", "theirs", "-p", "-F"], ["copy", "theirs"], ["edit", "theirs", "comment=x"],
            ["rm", "theirs", "-y"], ["purge", "theirs", "-y"],
        ]
        for words in lines {
            let outcome = shell.run(words, input: [])
            #expect(outcome.status == KeychainStatus.missingEntitlement.rawValue)
            #expect(outcome.text.isEmpty)
            #expect(!outcome.errors.contains("foreign"))
        }
        #expect(values.contains("foreign"))
    }

    @Test("A locked keychain is a refusal for a name that is not seen, never a wrong answer")
    func locked() {
        shell.keychain.update { state in
            state.sealed = ["ak"]
            for index in state.items.indices { state.items[index].attributes[.accessible] = .string("ak") }
        }
        let outcome = shell.run("show", "deploy/ci")
        #expect(outcome.status == KeychainStatus.interactionNotAllowed.rawValue)
        #expect(outcome.reasons.contains("next: Unlock it with"))
    }

    @Test("add stores what standard input has, with the fields that are given")
    func add() {
        #expect(shell.run("add", "api/key", "comment=by hand", input: "secret\n") == .init(0, "Added api (key).\n"))
        #expect(values.last == "secret")
        let item = shell.keychain.update { $0.items.last }
        #expect(item?.attributes[.comment] == .string("by hand") && item?.attributes[.label] == .string("api"))
        #expect(shell.run("add", "octo", "server=github.com", "port=443", input: "x").status == 0)
        let server = shell.keychain.update { $0.items.last }
        #expect(server?.itemClass == .internetPassword && server?.attributes[.account] == .string("octo"))
        #expect(shell.run("add", "api/key", input: "x").status == KeychainStatus.duplicateItem.rawValue)
    }

    @Test("A password among the words is taken, and it is said that it was visible")
    func visible() {
        #expect(
            shell.run("add", "a/b", "password=open")
                == .init(
                    0, "Added a (b).\n",
                    errors: "security: the password in the command line was visible to other programs.\n"))
        #expect(values.last == "open")
    }

    @Test("A password comes from a descriptor too")
    func descriptor() {
        let file = Shell.file(Array("from a descriptor\n".utf8))
        #expect(shell.run("add", "a/fd", "--password-fd", "\(file.number)").status == 0)
        #expect(values.last == "from a descriptor")
        #expect(shell.run("add", "a/fd2", "-d", "9999").status == 2)
    }

    @Test(
        "Fields that cannot be are a wrong command line, and nothing is asked of the keychain",
        arguments: [
            ["add", "a", "colour=red"], ["add", "a", "comment"], ["add", "a", "port=443"], ["add", "", "comment=x"],
            ["add", "a", "server=x", "port=65536"], ["add", "a", "comment=1", "comment=2"], ["edit", "deploy/ci"],
            ["add", "a", "server=x", "protocol=https"], ["add"], ["rm"], ["show"], ["copy", "a", "-f", "colour"],
            ["copy", "a", "-t", "0"], ["copy", "a", "--osc52", "-1"],
        ])
    func wrong(words: [String]) {
        shell.keychain.update { $0.requests = [] }
        #expect(shell.run(words, input: Array("x".utf8)).status == 2)
        #expect(shell.keychain.update { $0.requests.isEmpty })
    }

    @Test("edit changes fields and leaves the password, or changes the password alone")
    func edit() {
        #expect(shell.run("edit", "deploy/ci", "comment=new") == .init(0, "Changed deploy (ci).\n"))
        #expect(values.first == "sesame ci")
        #expect(shell.run("edit", "deploy/ci", "-p", input: "other\n") == .init(0, "Changed deploy (ci).\n"))
        #expect(values.first == "other")
        #expect(shell.keychain.update { $0.items.first?.attributes[.comment] } == .string("new"))
        #expect(shell.run("edit", "depl", "comment=x").status == 1)
    }

    @Test("A form at the terminal asks line by line; an empty line leaves a field as it is")
    func form() throws {
        let command = try TerminalCommand(shell, "edit", "deploy/ci")
        try command.terminal.waitFor("account [ci]: ")
        try command.terminal.type("\n")
        try command.terminal.waitFor("label [deploy]: ")
        try command.terminal.type("\n")
        try command.terminal.waitFor("comment: ")
        try command.terminal.type("by form\n")
        #expect(command.end() == .init(0, "Changed deploy (ci).\n"))
        let item = shell.keychain.update { $0.items.first }
        #expect(item?.attributes[.comment] == .string("by form") && item?.attributes[.account] == .string("ci"))
    }

    @Test("rm needs a confirmation, and all items that are named, before it deletes the first")
    func remove() {
        #expect(shell.run("rm", "deploy/ci").status == 1)
        #expect(shell.run("rm", "deploy/ci", "nowhere", "-y").status == KeychainStatus.itemNotFound.rawValue)
        #expect(shell.run("rm", "depl", "-y").status == 1)
        #expect(values.count == 3)
        #expect(
            shell.run("rm", "deploy/ci", "kc://deploy/prod", "-y")
                == .init(
                    0,
                    """
                    Deleted deploy (ci). `security undelete kc://deploy/ci` brings it back.
                    Deleted deploy (prod). `security undelete kc://deploy/prod` brings it back.

                    """))
        #expect(values == ["foreign"])
        #expect(shell.run("undelete", "kc://deploy/ci") == .init(0, "Brought back deploy (ci).\n"))
        #expect(values == ["foreign", "sesame ci"])
        #expect(shell.run("history", "deploy/prod").text.contains("Z deleted genp "))
    }

    @Test("At the terminal only the whole word yes deletes")
    func question() throws {
        for (answer, status) in [("y\n", 1), ("\n", 1), ("yes\n", 0)] as [(String, Int32)] {
            let command = try TerminalCommand(shell, "rm", "deploy/ci")
            try command.terminal.waitFor("Delete deploy (ci)? Type yes to go on: ")
            try command.terminal.type(answer)
            #expect(command.end().status == status)
        }
        #expect(values == ["sesame prod", "foreign"])
    }

    @Test("purge leaves no version, and purges what was deleted before")
    func purge() {
        #expect(shell.run("purge", "deploy/ci", "-y") == .init(0, "Deleted deploy (ci). It cannot be brought back.\n"))
        #expect(shell.keychain.update { $0.requests.contains { $0.operation == .delete && $0.leavesNoHistory } })
        _ = shell.run("rm", "deploy/prod", "-y")
        #expect(shell.run("purge", "deploy/prod", "-y").status == 0)
        #expect(shell.keychain.update { $0.versions.isEmpty })
    }
}

@Suite("copy") struct CopyTests {
    private let folder: TemporaryDirectory
    private var shell = Shell()

    init() throws {
        folder = try TemporaryDirectory()
        _ = shell.run("add-generic-password", "-s", "deploy", "-a", "ci", "-w", "sesame")
        shell.environment = ["PATH": "\(folder.path):/usr/bin:/bin", "DISPLAY": ":9"]
    }

    private func install(_ name: String, _ script: String) throws {
        let text = "#!/bin/sh\n" + script
        try AtomicFile.replace("\(folder.path)/\(name)", with: Array(text.utf8).span, mode: 0o755)
    }

    private var log: String {
        String(decoding: (try? AtomicFile.read("\(folder.path)/log", limit: 4096)) ?? [], as: UTF8.self)
    }

    private var owner: String {
        """
        log="\(folder.path)/log"
        trap 'echo cleared >> "$log"; exit 0' TERM
        { echo "$0 $*"; cat; echo; } >> "$log"
        while :; do sleep 0.02; done

        """
    }

    @Test("The owner of the clipboard gets the password by a pipe, and is ended after the time")
    func clears() throws {
        try install("xclip", owner)
        #expect(
            shell.run("copy", "deploy/ci", "--clear", "1")
                == .init(0, "Copied deploy (ci); the clipboard clears in 1 s.\n"))
        eventually { log.contains("cleared\n") }
        #expect(log == "\(folder.path)/xclip -quiet -selection clipboard\nsesame\ncleared\n")
    }

    @Test("On Wayland wl-copy owns it, another field can be copied, and once means once")
    func wayland() throws {
        var shell = self.shell
        shell.environment["WAYLAND_DISPLAY"] = "wayland-0"
        try install("wl-copy", owner)
        try install("xclip", owner)
        let outcome = shell.run("copy", "kc://deploy/ci#account", "--once", "-t", "1")
        #expect(
            outcome
                == .init(0, "Copied account of deploy (ci); the clipboard can be pasted once, within 1 s.\n"))
        eventually { log.contains("cleared\n") }
        #expect(log.hasPrefix("\(folder.path)/wl-copy --foreground --paste-once\nci\n"))
    }

    @Test("Without a clipboard, or a program for it, that is said with what to do")
    func none() throws {
        var bare = shell
        bare.environment = [:]
        let outcome = bare.run("copy", "deploy/ci")
        #expect(outcome == .init(1, errors: "security: there is no clipboard here\n"))
        #expect(outcome.reasons.contains("next: --osc52"))
        var missing = shell
        missing.environment = ["DISPLAY": ":9", "PATH": folder.path]
        #expect(missing.run("copy", "deploy/ci") == .init(1, errors: "security: xclip is not installed\n"))
        try install("xclip", "exit 1\n")
        #expect(shell.run("copy", "deploy/ci").status == 1)
    }

    @Test("OSC 52 goes to the terminal alone, and it is said that nothing clears it")
    func terminal() throws {
        let command = try TerminalCommand(shell, "copy", "deploy/ci", "--osc52")
        let outcome = command.end()
        #expect(
            outcome == .init(0, "Asked the terminal to copy deploy (ci). Nothing clears it: copy something else.\n"))
        #expect(try command.terminal.rest().contains("\u{1B}]52;c;c2VzYW1l\u{07}"))
        #expect(shell.run("copy", "deploy/ci", "--osc52").status == 1)
    }
}
