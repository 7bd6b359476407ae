import CommandOptions
import KeychainModel
import LinuxSystem
import SecurityCommands
import TestSupport
import Testing

@Suite("The driver") struct DriverTests {
    let shell = Shell()

    @Test(
        "without a command, usage and the table of commands are printed, and the status is 2",
        .rule("command.driver.usage"))
    func noCommand() {
        let outcome = shell.run()
        #expect(outcome.status == 2)
        #expect(
            outcome.text.hasPrefix(
                "Usage: security [-c when] [-E] [-h] [-i] [-M] [-p prompt] [-q] [-S] [-V] [-v] [--json] [command] "
                    + "[opt ...]\n"))
        #expect(
            outcome.text.contains(
                "\nsecurity commands are:\n    help                                 Show all commands"))
        #expect(outcome.errors == "")
    }

    @Test("help alone prints the table in macOS's order, ours last")
    func help() {
        let names = shell.run("help").text.split(separator: "\n").map { $0.split(separator: " ")[0] }
        #expect(
            names == [
                "help", "list-keychains", "default-keychain", "login-keychain", "create-keychain", "delete-keychain",
                "lock-keychain", "unlock-keychain", "set-keychain-settings", "set-keychain-password",
                "show-keychain-info", "dump-keychain", "create-keypair", "add-generic-password",
                "add-internet-password", "add-certificates", "find-generic-password", "delete-generic-password",
                "find-internet-password", "delete-internet-password", "find-key", "item", "set-key-partition-list",
                "set-generic-password-partition-list", "set-internet-password-partition-list", "find-certificate",
                "find-identity", "delete-certificate", "delete-identity", "export", "import", "cms",
                "add-trusted-cert", "remove-trusted-cert", "dump-trust-settings",
                "trust-settings-export", "trust-settings-import", "verify-cert", "error", "status",
                "verify-keychain", "snapshot", "history", "undelete", "restore-item", "backup", "restore", "drill",
                "identity", "anchor",
                "move-enclave", "migrate-store", "accept-store",
                "list-unlock-slots",
                "add-unlock-slot",
                "remove-unlock-slot",
                "attest-key", "set-credential", "list-credentials", "delete-credential", "codesign", "file",
                "decisions",
                "why", "move-items", "rename-group", "orphans",
                "set-group-policy", "uninstalled", "ci-start", "ci-stop", "git-credential", "docker-credential",
                "setup", "import-from", "run", "inject", "completions",
                "list", "show", "copy", "generate", "add", "edit", "rm", "purge", "browse",
                "sync",
            ])
        #expect(shell.run("-h") == shell.run("help"))
    }

    @Test("help of a command prints its usage; -h and --help do the same")
    func helpOfCommand() {
        let expected = Shell.Outcome(
            0,
            "Usage: lock-keychain [-a | keychain]\n    -a  Lock the login keychain and all of the search list.\n"
                + "See security(1).\n")
        #expect(shell.run("help", "lock-keychain") == expected)
        #expect(shell.run("-h", "lock-k") == expected)
        #expect(shell.run("lock-keychain", "--help") == expected)
    }

    @Test(
        "help of a command names its page; where macOS is imitated, it does not",
        arguments: [
            ("run", "security-run(1)"), ("purge", "security-purge(1)"), ("import", "security(1)"),
            ("git-credential", "git-credential-keychain(1)"), ("docker-credential", "docker-credential-keychain(1)"),
        ])
    func page(name: String, page: String) {
        for words in [["help", name], [name, "--help"]] {
            #expect(shell.run(words, input: []).text.hasSuffix("\nSee \(page).\n"))
        }
        #expect(!shell.run("-M", "help", "import").text.contains("security(1)"))
        #expect(shell.run("--json", "help", name).text.contains(#""page":"\#(page)""#))
    }

    @Test("help as JSON says what differs from macOS's command, from the table of the page about it")
    func differences() {
        let text = shell.run("--json", "help", "find-key").text
        #expect(text.contains(#""differences":["Refused: -D, -j."]"#))
        #expect(shell.run("--json", "help", "run").text.contains(#""differences":null"#))
        let absent = shell.run("set-identity-preference")
        #expect(absent == .init(1, errors: "security: set-identity-preference: this command of macOS's is not here\n"))
        #expect(absent.reasons == "security: next: See security-mac(7).")
    }

    @Test("help of no command is an error")
    func helpOfNothing() {
        #expect(shell.run("help", "x") == .init(1, errors: "security: help: no such command: x\n"))
    }

    @Test("a mistyped long option is refused with the nearest one")
    func nearestOption() {
        let restore = shell.run("history", "--forgt")
        #expect(restore.status == 2)
        #expect(restore.errors.hasPrefix("security: illegal option -- -\n"))
        #expect(restore.reasons == "security: next: Did you mean --forget?")
    }

    @Test(
        "an unknown command is an error", .rule("command.driver.usage"), arguments: ["x", "find-generic-passwords", ""])
    func unknownCommand(name: String) {
        #expect(shell.run(name) == .init(1, errors: "security: unknown command \"\(name)\"\n"))
    }

    @Test(
        "a name may be shortened; the first in the table that begins so is meant", .rule("command.driver.prefix"),
        arguments: [
            ("find-g", "find-generic-password"), ("find", "find-generic-password"), ("add-i", "add-internet-password"),
            ("s", "set-keychain-settings"), ("set-keychain-p", "set-keychain-password"), ("st", "status"),
            ("d", "default-keychain"), ("du", "dump-keychain"),
            ("del", "delete-keychain"),
            ("e", "export"), ("er", "error"), ("u", "unlock-keychain"),
            ("sh", "show-keychain-info"), ("v", "verify-cert"),
        ])
    func prefix(short: String, full: String) {
        #expect(shell.run("-M", "help", short).text.hasPrefix("Usage: \(full)"))
    }

    @Test(
        "A word that may mean a verb for people, or that deletes or changes something, is not completed",
        arguments: [
            "l", "lis", "s", "set", "set-", "del", "delete", "delete-", "remove", "rem", "delete-gen", "set-key",
            "remove-tr",
        ])
    func vague(word: String) {
        let outcome = shell.run(word)
        #expect(outcome == .init(1, errors: "security: \"\(word)\" is no command\n"))
        #expect(outcome.reasons.hasPrefix("security: why: These begin so: "))
        #expect(outcome.reasons.hasSuffix("\nsecurity: next: Give the whole name."))
    }

    @Test("With macOS's habits there are no verbs for people, and a name is completed as on macOS")
    func compatible() {
        var imitating = Shell()
        imitating.environment["KEYCHAIN_MACOS_COMPAT"] = "1"
        for outcome in [shell.run("-M", "help"), imitating.run("help")] {
            #expect(!outcome.text.contains("    list "))
            #expect(outcome.text.contains("    lock-keychain "))
        }
        #expect(imitating.run("help", "list").text.hasPrefix("Usage: list-keychains"))
        #expect(shell.run("help", "list").text.hasPrefix("Usage: list ["))
        #expect(imitating.run("help", "set-keychain-p").text.hasPrefix("Usage: set-keychain-password"))
    }

    @Test("The options of a verb for people may stand behind its operands, until two minus signs")
    func mixed() {
        #expect(shell.run("list", "x", "-e").status == KeychainStatus.itemNotFound.rawValue)
        #expect(shell.run("list", "x", "--", "-e").status == 0)
        #expect(shell.run("list", "x", "--sotr", "name").reasons == "security: next: Did you mean --sort?")
        #expect(shell.run("list", "-d", "user").errors.hasPrefix("security: illegal option -- d\n"))
    }

    @Test(
        "a change of which nobody knows whether it was stored exits with 75 and says so, whatever the status",
        arguments: [KeychainStatus.notAvailable, .io])
    func unknownOutcome(status: KeychainStatus) {
        shell.keychain.update {
            $0.refusal = Refusal(status, .unknownOutcome, "x", "The daemon went away.", do: "Look whether it is there.")
        }
        let line = "The change may or may not have been stored."
        for words in [["add", "deploy/ci"], ["generate", "--save", "deploy/ci"]] {
            let outcome = shell.run(words, input: Array("sesame".utf8))
            #expect(outcome == .init(75, errors: "security: \(words[0]): \(line)\n"))
            #expect(
                outcome.reasons
                    == "security: why: The daemon went away.\nsecurity: next: Look whether it is there.")
        }
        let json = shell.run(["--json", "add", "deploy/ci"], input: Array("sesame".utf8))
        #expect(json.status == 75 && json.errors.contains(#""rule":"store.outcome-unknown""#))
        #expect(json.errors.contains(#""status":\#(status.rawValue)"#))
    }

    @Test("a command line that cannot be read shows the usage on stderr, and the status is 2")
    func usage() {
        let expected =
            "Usage: lock-keychain [-a | keychain]\n    -a  Lock the login keychain and all of the search list.\n"
            + "        Lock a keychain.\n"
        #expect(shell.run("lock-keychain", "-x") == .init(2, errors: "security: illegal option -- x\n" + expected))
        #expect(shell.run("lock-keychain", "a", "b") == .init(2, errors: expected))
        let missing = shell.run("find-generic-password", "-a")
        #expect(missing.status == 2)
        #expect(missing.errors.hasPrefix("security: option requires an argument -- a\nUsage: find-generic-password"))
        #expect(shell.run("-x").text.hasPrefix("Usage: security"))
        #expect(shell.run("-x").status == 2)
    }

    @Test(
        "a refusal's status is the command's, and the exit status its low eight bits", .rule("command.driver.status"),
        arguments: [
            (-25300, 44), (-25299, 45), (-25293, 51), (-25308, 36), (-25291, 53), (-25294, 50), (-50, 206), (-128, 128),
            (-34018, 30), (-25307, 37), (-25295, 49),
        ] as [(Int32, UInt8)])
    func exitStatus(status: Int32, exit: UInt8) {
        shell.keychain.update {
            $0.refusal = Refusal(KeychainStatus(rawValue: status), .internalError, "x", "Problem.", do: "Remedy.")
        }
        let outcome = shell.run("find-generic-password", "-s", "x")
        #expect(outcome.status == status)
        #expect(UInt8(truncatingIfNeeded: outcome.status) == exit)
        let message = StatusMessages.message(for: status)
        #expect(outcome.errors == "security: SecKeychainSearchCopyNext: \(message)\n")
    }

    @Test("-v shows the command with each argument quoted and no password")
    func verbose() {
        let outcome = shell.run("-v", "find-g", "-s", "a b")
        #expect(
            outcome
                == .init(
                    -25300,
                    errors: """
                        find-generic-password "-s" "a b"
                        security: SecKeychainSearchCopyNext: The specified item could not be found in the keychain.

                        """))
        let add = shell.run("-v", "add-generic-password", "-a", "x", "-s", "y", "-wsesame", "-p", "sesame2")
        #expect(add.errors.hasPrefix(#"add-generic-password "-a" "x" "-s" "y" "********" "-p" "********""#))
        #expect(!add.errors.contains("sesame"))
    }

    @Test(
        "behind macOS's line a refusal has its reason and what to do, also where nobody watches",
        .rule("command.driver.errors"))
    func reasons() {
        let outcome = shell.run("find-generic-password", "-s", "x")
        #expect(
            outcome.reasons == """
                security: why: Nothing matches.
                security: next: `security dump-keychain` shows the items there are.
                """)
        #expect(shell.run("-q", "find-generic-password", "-s", "x").reasons == "")
    }

    @Test(
        "with -M, or KEYCHAIN_MACOS_COMPAT, there are macOS's bytes alone",
        arguments: [(["-M"], nil), (["--macos-compat"], nil), ([], "1")] as [([String], String?)])
    func compatible(options: [String], variable: String?) {
        var shell = Shell()
        shell.environment["KEYCHAIN_MACOS_COMPAT"] = variable
        let refused = shell.run(options + ["find-generic-password", "-s", "x"], input: [])
        #expect(refused.errors.contains("could not be found in the keychain.") && refused.reasons == "")
        _ = shell.run(["add-generic-password", "-a", "a", "-s", "b", "-w", "bärchen"], input: [])
        let password = shell.run(options + ["find-generic-password", "-w", "-s", "b"], input: [])
        #expect(password == .init(0, "62c3a4726368656e\n"))
    }

    @Test("KEYCHAIN_MACOS_COMPAT of nothing or 0 changes nothing", arguments: ["", "0"])
    func notCompatible(value: String) {
        var shell = Shell()
        shell.environment["KEYCHAIN_MACOS_COMPAT"] = value
        #expect(shell.run("find-generic-password", "-s", "x").reasons != "")
    }

    @Test("a passcode that was not looked at is not called wrong")
    func throttled() {
        shell.keychain.update {
            $0.refusal = Refusal(
                .authFailed, .throttled, "passcode", "None is looked at for 32 seconds.", do: "Wait 32 seconds.")
        }
        let outcome = shell.run("find-generic-password", "-s", "x")
        #expect(outcome.errors == "security: SecKeychainSearchCopyNext: Too many wrong passwords were given.\n")
        #expect(
            outcome.reasons
                == "security: why: None is looked at for 32 seconds.\nsecurity: next: Wait 32 seconds.")
    }

    @Test(
        "a mistyped command is answered with the nearest one",
        arguments: [
            ("find-genric-password", "find-generic-password"), ("fidn-generic-password", "find-generic-password"),
            ("import-cert", "import"), ("generate-password", "generate"), ("get-password", "show"), ("ls", "list"),
            ("lock-keychains", "lock-keychain"), ("statsu", "status"), ("dump-keychian", "dump-keychain"),
        ])
    func mistyped(word: String, meant: String) {
        let outcome = shell.run(word)
        #expect(outcome == .init(1, errors: "security: unknown command \"\(word)\"\n"))
        #expect(outcome.reasons.hasSuffix("security: next: Did you mean `security \(meant)`?"))
    }

    @Test(
        "what is like no command is answered with the list of them",
        arguments: ["x", "frobnicate", "everything-import"])
    func unlike(word: String) {
        #expect(shell.run(word).reasons == "security: next: See `security help`.")
    }

    @Test(
        "a command of macOS whose subject Linux does not have says what to use",
        arguments: ["filevault", "authorizationdb"])
    func onMacOSAlone(name: String) {
        let outcome = shell.run(name)
        #expect(outcome.status == 1 && outcome.errors.hasPrefix("security: \(name): "))
        #expect(outcome.reasons.hasPrefix("security: next: Use "))
    }

    @Test(
        "--json works before and after the command, and a refusal is an object on stderr", .rule("command.driver.json"))
    func json() {
        let expected = Shell.Outcome(
            -25300,
            errors: """
                {"status":-25300,"name":"errSecItemNotFound","rule":"store.not-found","subject":"query",\
                "call":"SecKeychainSearchCopyNext","message":"Nothing matches.",\
                "remedy":"`security dump-keychain` shows the items there are."}

                """)
        #expect(shell.run("--json", "find-generic-password", "-s", "x") == expected)
        #expect(shell.run("find-generic-password", "--json", "-s", "x") == expected)
        #expect(shell.run("find-generic-password", "-s", "x", "login.keychain", "--json") == expected)
        let usage = shell.run("--json", "find-generic-password", "-a")
        #expect(usage.status == 2)
        #expect(
            usage.errors
                == #"{"status":2,"name":null,"rule":"command.usage","subject":null,"message":"#
                + #""option requires an argument -- a","remedy":"See `security help`."}"# + "\n")
    }

    @Test("what cannot be written fails: half a secret must not pass for a whole one")
    func fullDisk() throws {
        _ = shell.run("add-generic-password", "-a", "x", "-s", "y", "-w", "z")
        let errors = Shell.file()
        let session = shell.session(
            input: Shell.file(), output: try FileDescriptor.open("/dev/full", 1), diagnostics: errors)
        #expect(Driver.run(["find-generic-password", "-s", "y", "-w"].map { Argument($0) }, in: session) == 1)
        #expect(Shell.content(errors) == Array("security: standard output: write: No space left on device\n".utf8))
    }

    @Test("commands that need no keychain do not reach for one")
    func noKeychain() {
        let session = Session(
            input: Shell.file(), output: Shell.file(), diagnostics: Shell.file(), socket: "",
            connect: { () throws(Refusal) in throw StandInKeychain.notFound })
        #expect(Driver.run([Argument("help")], in: session) == 0)
        #expect(Driver.run([Argument("error"), Argument("0")], in: session) == 1)
        #expect(Driver.run([Argument("status")], in: session) == -25300)
    }
}

@Suite("error") struct ErrorCommandTests {
    let shell = Shell()

    @Test("a code is read in decimal and hexadecimal, and the status is always 1", .rule("command.driver.error"))
    func codes() {
        let line = "Error: 0xFFFF9D2C -25300 The specified item could not be found in the keychain.\n"
        #expect(shell.run("error", "-25300") == .init(1, line))
        #expect(shell.run("error", "0xFFFF9D2C", "-25300") == .init(1, line + line))
        #expect(shell.run("error", "4294941996") == .init(1, line))
    }

    @Test("what is no code is a wrong command line", arguments: ["x", "0x", "99999999999", "0x123456789"])
    func noCode(word: String) {
        let outcome = shell.run("error", word)
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("security: \"\(word)\" is not an error code\nUsage: error code...\n"))
        #expect(shell.run("error").status == 2)
    }

    @Test("--json gives an array")
    func json() {
        let expected = #"""
            [{"status":-25300,"hex":"0xFFFF9D2C","name":"errSecItemNotFound",\#
            "message":"The specified item could not be found in the keychain."},\#
            {"status":1,"hex":"0x00000001","name":null,"message":"OSStatus 1"}]

            """#
        #expect(shell.run("error", "-25300", "1", "--json") == .init(1, expected))
    }
}
