import CommandOptions
import KeychainModel
import SecurityCommands
import Testing

@Suite("git-credential") struct GitCredentialTests {
    let shell = Shell()

    private func git(_ operation: String, _ lines: String...) -> Shell.Outcome {
        shell.run("git-credential", operation, input: lines.map { $0 + "\n" }.joined() + "\n")
    }

    private func store(_ lines: String...) {
        let lines = ["protocol=https", "host=git.example", "username=ann", "password=s3cret"] + lines
        #expect(shell.run(["git-credential", "store"], input: Array(lines.joined(separator: "\n").utf8)) == .init(0))
    }

    @Test("What git stored it gets again")
    func storesAndGets() {
        store()
        #expect(git("get", "protocol=https", "host=git.example") == .init(0, "username=ann\npassword=s3cret\n"))
    }

    @Test(
        "A login whose name, password or both are empty is given back, and is another than one with a name",
        arguments: [("", "token"), ("ann", ""), ("", "")])
    func keepsEmptyValues(account: String, password: String) {
        let server = ["protocol=https", "host=sso.example"]
        let login = ["username=\(account)", "password=\(password)"]
        let input = Array((server + login).joined(separator: "\n").utf8)
        #expect(shell.run(["git-credential", "store"], input: input) == .init(0))
        let expected = Shell.Outcome(0, login.map { $0 + "\n" }.joined())
        #expect(git("get", server[0], server[1]) == expected)
        #expect(git("get", server[0], server[1], login[0]) == expected)
        #expect(git("get", server[0], server[1], account.isEmpty ? "username=ann" : "username=") == .init(0))
        _ = git("erase", server[0], server[1], login[0], "password=other")
        #expect(git("get", server[0], server[1]) == expected)
        _ = git("erase", server[0], server[1], login[0], login[1])
        #expect(shell.keychain.update { $0.items.isEmpty })
    }

    @Test("A login is for its scheme, host, port, path and account alone")
    func tellsApart() {
        store()
        let others = [
            ["protocol=http", "host=git.example"], ["protocol=https", "host=other.example"],
            ["protocol=https", "host=git.example:8443"],
            ["protocol=https", "host=git.example:0"], ["protocol=https", "host=git.example:+0"],
            ["protocol=https", "host=git.example", "username=bob"],
            ["protocol=https", "host=git.example", "path=team/repository"], ["protocol=fossil", "host=git.example"],
        ]
        for lines in others {
            let input = Array(lines.joined(separator: "\n").utf8)
            #expect(shell.run(["git-credential", "get"], input: input) == .init(0), "\(lines)")
        }
    }

    @Test("A port, a path and a scheme without a code are kept", arguments: ["https", "svn+https", "sftp"])
    func keepsTheServer(scheme: String) {
        let server = ["protocol=\(scheme)", "host=[2001:db8::1]:8443", "path=team/repository.git"]
        let login = (server + ["username=ann", "password=x"]).joined(separator: "\n")
        #expect(shell.run(["git-credential", "store"], input: Array(login.utf8)) == .init(0))
        let found = shell.run(["git-credential", "get"], input: Array(server.joined(separator: "\n").utf8))
        #expect(found == .init(0, "username=ann\npassword=x\n"))
        #expect(shell.keychain.update { $0.items.count } == 1)
    }

    @Test("What goes with the password comes back with it")
    func keepsFurtherLines() {
        store("password_expiry_utc=1893456000", "oauth_refresh_token=renew", "state[]=other:1")
        let expected = "username=ann\npassword=s3cret\npassword_expiry_utc=1893456000\noauth_refresh_token=renew\n"
        #expect(git("get", "protocol=https", "host=git.example") == .init(0, expected))
    }

    @Test("A new password takes the place of the old one; the same one is not written again")
    func replaces() {
        store()
        store()
        #expect(!shell.keychain.update { $0.requests.contains { $0.operation == .update } })
        let changed = "protocol=https\nhost=git.example\nusername=ann\npassword=other\n"
        #expect(shell.run("git-credential", "store", input: changed) == .init(0))
        #expect(git("get", "protocol=https", "host=git.example").text.contains("password=other\n"))
        #expect(shell.keychain.update { $0.items.count } == 1)
    }

    @Test("A login that a server refused is erased, one that was changed meanwhile is not")
    func erases() {
        store()
        _ = git("erase", "protocol=https", "host=git.example", "username=ann", "password=older")
        #expect(shell.keychain.update { $0.items.count } == 1)
        _ = git("erase", "protocol=https", "host=git.example", "username=ann", "password=s3cret")
        #expect(shell.keychain.update { $0.items.isEmpty })
    }

    @Test(
        "An account or password that would add lines to the answer is not given out",
        arguments: [("ann\npassword=forged", "x"), ("ann", "a\0b")])
    func refusesInjection(account: String, password: String) {
        _ = shell.run(
            [
                "add-internet-password", "-d", "git-credential", "-s", "git.example", "-r", "htps", "-a", account, "-w",
                password,
            ].map { Argument($0) })
        #expect(shell.keychain.update { $0.items.count } == 1)
        #expect(git("get", "protocol=https", "host=git.example").output.isEmpty)
    }

    @Test(
        "Too little said, an operation of a later git, and a login that is not there end well and say nothing",
        arguments: [
            ("get", "protocol=https"), ("get", "host=git.example"), ("get", ""), ("get", "nonsense"),
            ("get", "protocol=https\nhost=git.example:port"), ("store", "protocol=https\nhost=a\nusername=b"),
            ("erase", "protocol=https\nhost=nowhere"), ("approve-all", "protocol=https\nhost=a"),
        ])
    func passesOver(operation: String, input: String) {
        #expect(shell.run("git-credential", operation, input: input) == .init(0))
    }

    @Test("A keychain that refuses is told to git by the exit status")
    func fails() {
        shell.keychain.update { $0.isLocked = true }
        #expect(git("get", "protocol=https", "host=git.example").status == -25308)
    }

    @Test(
        "A program's name says which helper it is",
        arguments: [
            ("/usr/bin/git-credential-keychain", "git-credential"), ("docker-credential-keychain", "docker-credential"),
            ("/usr/bin/security", nil), ("help-keychain", "help"), ("-keychain", nil),
        ])
    func isCalledByName(program: String, command: String?) {
        #expect(CommandTable.name(ofProgram: program) == command)
    }
}
