import KeychainModel
import KeychainWire
import SecurityCommands
import TestSupport
import Testing

@Suite("list-, add- and remove-unlock-slot") struct UnlockSlotCommandTests {
    let shell = Shell()

    private var slots: [UnlockSlot] { shell.keychain.update { $0.slots } }

    @Test("the list has a line for each, and the same as JSON")
    func list() {
        #expect(shell.run("list-unlock-slots") == .init(0, "0: no password: opens by itself\n"))
        shell.keychain.update { state in
            state.passcode = [1]
            state.slots = [UnlockSlot(number: 1, kind: .recovery), UnlockSlot(number: 4, kind: .tpmWithPIN)]
        }
        #expect(shell.run("list-unlock-slots") == .init(0, "0: password\n1: recovery code\n4: TPM with a PIN\n"))
        let json =
            #"[{"slot":0,"kind":"password"},{"slot":1,"kind":"recovery"},{"slot":4,"kind":"tpm-pin"}]"#
        #expect(shell.run("list-unlock-slots", "--json") == .init(0, json + "\n"))
    }

    @Test("a recovery code is written to standard output alone, and the password comes from standard input")
    func recovery() {
        shell.keychain.update { $0.passcode = Array("right".utf8) }
        #expect(shell.run("add-unlock-slot", input: "right\n") == .init(0, "CODE\n"))
        #expect(
            shell.run("add-unlock-slot", "-t", "recovery", "--json", input: "right\n")
                == .init(0, #"{"slot":2,"kind":"recovery","code":"CODE"}"# + "\n"))
        let refused = shell.run("add-unlock-slot", input: "wrong\n")
        #expect(refused.status == -25293)
        #expect(refused.text == "")
        #expect(slots.count == 2)
        #expect(shell.run("add-unlock-slot", "--recovery", input: "CODE\n").status == 0)
    }

    @Test("a slot of the TPM, with a PIN or without")
    func tpm() {
        shell.keychain.update { $0.passcode = Array("right".utf8) }
        #expect(shell.run("add-unlock-slot", "-t", "tpm", input: "right\n") == .init(0))
        #expect(shell.run("add-unlock-slot", "-t", "tpm", "--new-pin", input: "right\n1234\n") == .init(0))
        #expect(slots.map(\.kind) == [.tpm, .tpmWithPIN])
        for words in [["-t", "finger"], ["-n"]] {
            #expect(shell.run(["add-unlock-slot"] + words, input: Array("right\n".utf8)).status == 2)
        }
    }

    @Test("a slot is removed by its number; the password's only with -f, and then it is the password that goes")
    func remove() {
        shell.keychain.update { state in
            state.passcode = Array("right".utf8)
            state.slots = [UnlockSlot(number: 1, kind: .recovery)]
        }
        #expect(shell.run("remove-unlock-slot", "1", input: "wrong\n").status == -25293)
        #expect(shell.run("remove-unlock-slot", "1", input: "right\n") == .init(0))
        #expect(slots.isEmpty)
        #expect(shell.run("remove-unlock-slot", "0").status == -50)
        #expect(shell.keychain.update { $0.passcode } != nil)
        #expect(shell.run("remove-unlock-slot", "-f", "0", input: "right\n") == .init(0))
        #expect(shell.keychain.update { $0.passcode } == nil)
        #expect(shell.run("remove-unlock-slot", "all").status == 2)
    }

    @Test("unlock-keychain takes a recovery code, and a forgotten password is replaced with one")
    func unlocking() {
        shell.keychain.update { state in
            state.passcode = Array("right".utf8)
            state.isLocked = true
        }
        #expect(shell.run("unlock-keychain", "--recovery", input: "wrong\n").status == -25293)
        #expect(shell.run("unlock-keychain", "--recovery", input: "CODE\n") == .init(0))
        #expect(!shell.keychain.update { $0.isLocked })
        #expect(shell.run("set-keychain-password", "-R", input: "CODE\nnew\n") == .init(0))
        #expect(shell.keychain.update { $0.passcode } == Array("new".utf8))
        #expect(shell.run("unlock-keychain", "-R", "-N").status == 2)
    }
}

@Suite("set-keychain-settings") struct KeychainSettingsTests {
    let shell = Shell()

    @Test(
        "-l and -t set, what is not given is off, and show-keychain-info has macOS's line",
        .rule("command.device.settings"))
    func settings() {
        let cases: [([String], DeviceSettings, String)] = [
            (["-l"], DeviceSettings(locksOnSleep: true), " lock-on-sleep no-timeout"),
            (
                ["-lut", "300"], DeviceSettings(locksOnSleep: true, idleSeconds: 300),
                " lock-on-sleep use-lock-interval timeout=300s"
            ),
            (["-t", "5"], DeviceSettings(idleSeconds: 5), " use-lock-interval timeout=5s"),
            (["-u"], DeviceSettings(), " no-timeout"), ([], DeviceSettings(), " no-timeout"),
        ]
        for (words, settings, line) in cases {
            #expect(shell.run(["set-keychain-settings"] + words, input: []) == .init(0))
            #expect(shell.keychain.update { $0.settings } == settings)
            #expect(shell.run("show-keychain-info") == .init(0, errors: "Keychain \"<NULL>\"\(line)\n"))
        }
        for words in [["-t"], ["-t", "soon"], ["-t", "-5"], ["-x"]] {
            #expect(shell.run(["set-keychain-settings"] + words, input: []).status == 2)
        }
    }
}
