import KeychainModel
import KeychainWire
import LinuxSystem
import SecurityCommands
import TestSupport
import Testing

@Suite("lock-keychain and unlock-keychain") struct LockTests {
    let shell = Shell()

    private func set(_ passcode: String?, isLocked: Bool) {
        shell.keychain.update { state in
            state.passcode = passcode.map { Array($0.utf8) }
            state.isLocked = isLocked
        }
    }

    private var isLocked: Bool { shell.keychain.update { $0.isLocked } }

    @Test("lock-keychain locks, silently", .rule("command.device.lock"), arguments: [[], ["-a"], ["login.keychain"]])
    func lock(words: [String]) {
        set("1234", isLocked: false)
        #expect(shell.run(["lock-keychain"] + words, input: []) == .init(0))
        #expect(isLocked)
    }

    @Test("unlock-keychain takes the password from -p or the next line of standard input")
    func unlock() {
        set("1234", isLocked: true)
        #expect(shell.run("unlock-keychain", "-p", "1234") == .init(0))
        #expect(!isLocked)
        set("1234", isLocked: true)
        #expect(shell.run("unlock-keychain", input: "1234\n") == .init(0))
        #expect(!isLocked)
    }

    @Test("a wrong password is exit status 51 and macOS's line")
    func wrong() {
        set("1234", isLocked: true)
        let message = "The user name or passphrase you entered is not correct.\n"
        #expect(
            shell.run("unlock-keychain", "-p", "0000")
                == .init(-25293, errors: "security: SecKeychainUnlock <NULL>: \(message)"))
        #expect(
            shell.run("unlock-keychain", "-p", "0000", "login.keychain")
                == .init(-25293, errors: "security: SecKeychainUnlock login.keychain: \(message)"))
        #expect(UInt8(truncatingIfNeeded: -25293) == 51)
        #expect(isLocked)
    }

    @Test("no password on standard input is giving up")
    func noInput() {
        set("1234", isLocked: true)
        #expect(shell.run("unlock-keychain") == .init(-128, errors: "security: prompt: User canceled the operation.\n"))
    }

    @Test("a keychain without a password is unlocked already and asks for none", .rule("command.device.lock"))
    func noPasscode() {
        #expect(shell.run("unlock-keychain") == .init(0))
        #expect(shell.run("unlock-keychain", "-p", "whatever", "login.keychain") == .init(0))
        #expect(shell.keychain.update { $0.devices } == [.status, .status])
    }

    @Test("-u succeeds only where no password is needed")
    func withoutPassword() {
        set("1234", isLocked: false)
        #expect(shell.run("unlock-keychain", "-u") == .init(0))
        set("1234", isLocked: true)
        #expect(
            shell.run("unlock-keychain", "-u")
                == .init(-25308, errors: "security: SecKeychainUnlock <NULL>: User interaction is not allowed.\n"))
    }

    @Test(
        "a keychain of another name is exit status 50",
        arguments: [
            "lock-keychain", "unlock-keychain", "show-keychain-info", "set-keychain-password", "verify-keychain",
        ])
    func otherKeychain(command: String) {
        let outcome = shell.run(command, "other.keychain")
        #expect(outcome.status == -25294)
        #expect(outcome.errors.hasSuffix(": The specified keychain could not be found.\n"))
    }

    @Test("a password that no keychain can have is refused before it is sent")
    func tooLong() {
        set("1234", isLocked: true)
        let password = String(repeating: "x", count: WireLimits.passcodeBytes + 1)
        #expect(shell.run("unlock-keychain", input: password).status == -50)
        #expect(shell.keychain.update { $0.devices } == [.status])
    }
}

@Suite("set-keychain-password") struct SetPasswordTests {
    let shell = Shell()

    private var passcode: [UInt8]? { shell.keychain.update { $0.passcode } }

    @Test("-p sets, -o and -p change")
    func options() {
        #expect(shell.run("set-keychain-password", "-p", "1234") == .init(0))
        #expect(passcode == Array("1234".utf8))
        #expect(shell.run("set-keychain-password", "-o", "1234", "-p", "56", "login.keychain") == .init(0))
        #expect(passcode == Array("56".utf8))
    }

    @Test("a script does not remove the password with files that need it, unless it says so")
    func files() {
        shell.keychain.update { ($0.passcode, $0.passcodeShelves) = (Array("1234".utf8), 2) }
        let refused = shell.run("set-keychain-password", "-o", "1234", "-p", "")
        #expect(refused.status == -50)
        #expect(shell.run("remove-unlock-slot", "-f", "0", input: "1234\n").status == -50)
        #expect(passcode == Array("1234".utf8))
        #expect(shell.run("set-keychain-password", "-o", "1234", "-p", "", "-f").status == 0)
        #expect(passcode == nil)
    }

    @Test("a person is asked whether files may be lost with the password")
    func question() throws {
        for (answer, isRemoved) in [("y\n", false), ("\n", false), ("yes\n", true)] {
            shell.keychain.update { ($0.passcode, $0.passcodeShelves) = (Array("1234".utf8), 2) }
            let command = try TerminalCommand(shell, "set-keychain-password", "-o", "1234", "-p", "")
            try command.terminal.waitFor("Remove the password? Type yes to go on: ")
            try command.terminal.type(answer)
            #expect((command.end().status == 0) == isRemoved)
            #expect((passcode == nil) == isRemoved)
        }
    }

    @Test("what is not given comes from standard input, the old password first")
    func input() {
        #expect(shell.run("set-keychain-password", input: "1234\n") == .init(0))
        #expect(passcode == Array("1234".utf8))
        #expect(shell.run("set-keychain-password", input: "1234\n56\n") == .init(0))
        #expect(passcode == Array("56".utf8))
        #expect(shell.run("set-keychain-password", "-o", "56", input: "78") == .init(0))
        #expect(passcode == Array("78".utf8))
    }

    @Test("-p with nothing removes the password; an empty line does not")
    func remove() {
        #expect(shell.run("set-keychain-password", "-p", "") == .init(0))
        _ = shell.run("set-keychain-password", "-p", "1234")
        #expect(
            shell.run("set-keychain-password", "-o", "1234", input: "\n")
                == .init(1, errors: "security: the new password is empty\n"))
        #expect(passcode == Array("1234".utf8))
        #expect(shell.run("set-keychain-password", "-o", "1234", "-p", "") == .init(0))
        #expect(passcode == nil)
    }

    @Test("a wrong old password changes nothing", arguments: ["56", ""])
    func wrong(new: String) {
        _ = shell.run("set-keychain-password", "-p", "1234")
        #expect(
            shell.run("set-keychain-password", "-o", "x", "-p", new)
                == .init(
                    -25293,
                    errors:
                        "security: SecKeychainChangePassword: The user name or passphrase you entered is not correct.\n"
                ))
        #expect(passcode == Array("1234".utf8))
    }
}

@Suite("move-enclave") struct MoveEnclaveTests {
    let shell = Shell()

    @Test("the keys are moved with the password, and what is protected then is reported")
    func moves() {
        let moved = shell.run("move-enclave", "tpm")
        #expect(moved.status == 0)
        #expect(moved.text.hasPrefix("protection: hardware\n"))
        #expect(moved.text.contains("Copies of the keychain from before the move still open"))
        shell.keychain.update { $0.passcode = Array("right".utf8) }
        #expect(shell.run("move-enclave", "-p", "wrong", "software").status != 0)
        #expect(shell.keychain.update { $0.isOnTPM })
        let back = shell.run("move-enclave", "-p", "right", "software")
        #expect(back.status == 0)
        #expect(back.text.hasPrefix("protection: password\n"))
        #expect(shell.keychain.update { $0.devices }.suffix(3) == [.moveToSoftware, .status, .details])
    }

    @Test(
        "another target, or none, is refused before anything is asked",
        arguments: [["move-enclave", "cloud"], ["move-enclave"]])
    func target(_ words: [String]) {
        #expect(shell.run(words, input: []).status != 0)
        #expect(shell.keychain.update { $0.devices } == [])
    }
}

@Suite("accept-store, and what is said of an older keychain") struct AcceptStoreTests {
    let shell = Shell()

    @Test("a store is accepted with the password, and without one where there is none")
    func accepts() {
        shell.keychain.update { $0.age = .olderStore }
        #expect(shell.run("accept-store") == .init(0))
        #expect(shell.keychain.update { $0.age } == .current)
        shell.keychain.update { state in
            state.age = .olderStore
            state.passcode = Array("right".utf8)
        }
        #expect(shell.run("accept-store", "-p", "wrong").status != 0)
        #expect(shell.keychain.update { $0.age } == .olderStore)
        #expect(shell.run("accept-store", "-p", "right") == .init(0))
        #expect(shell.keychain.update { $0.age } == .current)
    }

    @Test(
        "status and verify-keychain say that store or vault are older ones, and verify-keychain exits with 1",
        arguments: [
            (KeychainAge.olderStore, "older-store", "The store is older"),
            (.olderVault, "older-vault", "The vault is older"), (.olderKeychain, "older-keychain", "Store and vault"),
        ])
    func told(_ age: KeychainAge, _ name: String, _ beginning: String) {
        shell.keychain.update { $0.age = age }
        #expect(shell.run("status").text.contains("age:         \(beginning)"))
        #expect(shell.run("status", "--json").text.contains(#""age":"\#(name)""#))
        let verified = shell.run("verify-keychain")
        #expect(verified.status == 1)
        #expect(verified.text.contains("age: \(beginning)"))
        #expect(verified.errors == "security: the keychain is an older one\n")
        #expect(shell.run("verify-keychain", "--json").text.contains(#""age":"\#(name)""#))
    }
}

@Suite("show-keychain-info, status and verify-keychain") struct StatusTests {
    let shell = Shell()

    @Test("show-keychain-info writes to stderr, as on macOS")
    func info() {
        #expect(shell.run("show-keychain-info") == .init(0, errors: "Keychain \"<NULL>\" no-timeout\n"))
        #expect(
            shell.run("show-keychain-info", "login.keychain")
                == .init(0, errors: "Keychain \"login.keychain\" no-timeout\n"))
        let json =
            #"{"keychain":"/home/ada/keychain/keychain.db","lockOnSleep":false,"timeout":null,"lockState":"unlocked"}"#
        #expect(shell.run("show-keychain-info", "--json") == .init(0, json + "\n"))
    }

    @Test(
        "status says how well the keychain is protected, what that means and how to raise it",
        .rule("protection.level.status", "command.device.status"))
    func status() {
        let expected = """
            protection:  software-only
                         Anyone with a copy of this user's files can open the keychain.
                         Set a password with `security set-keychain-password` to raise it.
            lock state:  unlocked
            password:    not set
            opens with:  no password: opens by itself
            locks:       never: no password is set
            deployment:  user daemon
            enclave:     separate process
            store:       /home/ada/keychain/keychain.db
            socket:      /run/user/1000/keychain
            caller:      /usr/bin/security, unsigned, not anchored
            user:        nobody can be asked: keychain-agent does not run
            version:     security 0.5.0, keychaind 0.5.0, running since 2027-01-15T08:00:00.000Z

            """
        #expect(shell.run("status") == .init(0, expected))
        shell.keychain.update { state in
            state.passcode = [1]
            state.isLocked = true
        }
        #expect(
            shell.run("status").text.hasPrefix(
                """
                protection:  password
                             Anyone with a copy of this user's files must also know the password.
                lock state:  locked
                password:    set

                """))
    }

    @Test("status says when the last backup was made and opened, and warns of an old one or none")
    func statusOfBackups() {
        func lines(_ made: Int64, _ checked: Int64) -> String {
            shell.keychain.update { state in
                var dates = BackupDates()
                (dates.made, dates.checked) = (made, checked)
                state.backups = dates
            }
            let text = shell.run("status").text
            let start = text.split(separator: "\n").drop { !$0.hasPrefix("backup:") }
            return start.prefix { !$0.hasPrefix("version:") }.map { $0.dropFirst(13) }.joined(separator: "\n")
        }
        #expect(lines(0, 0) == "none was made; `security backup FILE` makes one")
        let made = "made 2020-09-13T12:26:40.000Z"
        let old = "It is older than 30 days: `security backup FILE` makes another."
        #expect(lines(1_600_000_000, 1_600_000_060) == "\(made), opened 2020-09-13T12:27:40.000Z\n\(old)")
        let unchecked = "It was never opened: `security drill FILE` checks it."
        #expect(lines(1_600_000_000, 0) == "\(made)\n\(unchecked)\n\(old)")
        #expect(!lines(32_503_680_000, 32_503_680_000).contains("older"))
    }

    @Test("status counts the shelves of protected files, and those that the last backup lacks")
    func statusOfShelves() {
        func lines(_ all: UInt64, _ later: UInt64) -> String {
            shell.keychain.update { state in
                var dates = BackupDates()
                (dates.made, dates.checked) = (32_503_680_000, 32_503_680_000)
                (dates.shelves, dates.laterShelves) = (all, later)
                state.backups = dates
            }
            let text = shell.run("status").text
            let start = text.split(separator: "\n").drop { !$0.hasPrefix("shelves:") }
            return start.prefix { !$0.hasPrefix("version:") }.map { $0.dropFirst(13) }.joined(separator: "\n")
        }
        #expect(lines(0, 0) == "")
        #expect(lines(3, 0) == "3 of protected files")
        let later = "The last backup is older than 2 of them, whose files need another."
        #expect(lines(3, 2) == "3 of protected files\n\(later)")
        #expect(shell.run("status", "--json").text.contains(#""shelves":{"count":3,"afterBackup":2}"#))
    }

    @Test("status --json has the same facts")
    func statusJSON() {
        let expected = #"""
            {"version":"0.5.0","daemon":{"version":"0.5.0","since":"2027-01-15T08:00:00.000Z"},\#
            "protection":"software-only","meaning":"Anyone with a copy of this user's files can open the keychain.",\#
            "advice":"Set a password with `security set-keychain-password` to raise it.","lockState":"unlocked",\#
            "age":"current","passwordIsSet":false,"failedAttempts":0,"retryAfter":0,"deployment":"user daemon",\#
            "enclave":"separate process","store":"/home/ada/keychain/keychain.db","socket":"/run/user/1000/keychain",\#
            "slots":[{"slot":0,"kind":"device"}],"fileRecovery":[],"lockOnSleep":false,"timeout":null,"locks":[],\#
            "asks":[],\#
            "programsEmbed":false,"policy":null,"agent":null,\#
            "caller":{"program":"/usr/bin/security","identity":"unsigned","authority":null,"anchored":false,\#
            "user":1000,"process":42,"groups":["program:/usr/bin/security"]},\#
            "secretService":null,"backup":null,"shelves":null}

            """#
        #expect(shell.run("status", "--json") == .init(0, expected))
    }

    @Test("a sound keychain is reported and the status is 0")
    func sound() {
        shell.keychain.update { state in
            state.report.checked = 12
            state.report.locked = 3
        }
        let text = "checked: 12\ndamaged: 0\nlocked:  3 (not checked; unlock the keychain to check them)\n"
        #expect(shell.run("verify-keychain") == .init(0, text))
        #expect(
            shell.run("verify-keychain", "--json")
                == .init(0, #"{"checked":12,"locked":3,"damaged":[],"file":null,"age":"current"}"# + "\n"))
    }

    @Test("damage is reported by where it is, and the status is 1", .rule("command.device.verify"))
    func damaged() {
        shell.keychain.update { state in
            state.report.checked = 2
            state.report.damage = [.init(itemClass: .genericPassword, row: 7, problem: "the value does not open")]
        }
        #expect(
            shell.run("verify-keychain")
                == .init(
                    1, "checked: 2\ndamaged: 1\ngenp row 7: the value does not open\n",
                    errors: "security: the keychain is damaged\n"))
        let json = shell.run("verify-keychain", "--json")
        #expect(json.status == 1)
        #expect(
            json.text
                == #"{"checked":2,"locked":0,"damaged":[{"class":"genp","row":7,"problem":"the value does not open"}],"#
                + #""file":null,"age":"current"}"# + "\n")
        #expect(json.errors.hasPrefix(#"{"status":1,"name":null,"rule":"command.failure""#))
    }

    @Test("a file that SQLite finds broken is damage")
    func brokenFile() {
        shell.keychain.update { $0.report.file = "row 3 missing from index" }
        #expect(shell.run("verify-keychain").status == 1)
        #expect(shell.run("verify-keychain").text.hasSuffix("file: row 3 missing from index\n"))
    }
}
