import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Slots besides the passcode's: recovery codes, which need no chip.
struct UnlockSlotTests {
    let device = TestDevice()

    private static func kinds(_ enclave: SoftwareEnclave) throws -> [UnlockSlot.Kind] {
        try enclave.details().slots.map(\.kind)
    }

    @Test("without a passcode the device alone opens, and nothing can be added")
    func withoutPasscode() throws {
        let enclave = try device.start()
        #expect(try enclave.details().slots == [UnlockSlot(number: 0, kind: .device)])
        let refused = refusal { _ = try enclave.addRecoveryCode(by: .passcode, "x") }
        #expect(refused?.rule == .passcodeNotSet)
        #expect(try enclave.status().failedAttempts == 0)
    }

    @Test("a recovery code unlocks, in capitals or small letters, with dashes, blanks or neither")
    func recovery() throws {
        let enclave = try device.start(passcode: "1234")
        let code = try enclave.addRecoveryCode(by: .passcode, "1234")
        let row = try TestRow(.whenUnlocked, in: enclave)
        let typed = [
            code, code.lowercased(), code.filter { $0 != "-" }, code.map { "\($0) " }.joined(), code + "\n",
            code.replacing("1", with: "l").replacing("0", with: "o"),
        ]
        for text in typed {
            try enclave.lock()
            #expect(try enclave.outcome(of: row) == .locked)
            try enclave.unlock(with: .recoveryCode, TestDevice.passcode(text))
            #expect(try enclave.outcome(of: row) == .opened, "\(text.count) characters")
        }
        let restarted = try device.start()
        #expect(try restarted.status().lockState == .beforeFirstUnlock)
        try restarted.unlock(with: .recoveryCode, TestDevice.passcode(code))
        #expect(try restarted.outcome(of: row) == .opened)
    }

    @Test("a code has 128 random bits in six groups, and no two are the same")
    func shape() throws {
        let enclave = try device.start(passcode: "1234")
        var codes: Set<String> = []
        for _ in 0..<7 {
            let code = try enclave.addRecoveryCode(by: .passcode, "1234")
            #expect(code.split(separator: "-").map(\.count) == [5, 5, 5, 5, 5, 5])
            #expect(code.allSatisfy { "0123456789ABCDEFGHJKMNPQRSTVWXYZ-".contains($0) })
            codes.insert(code)
        }
        #expect(codes.count == 7)
        #expect(refusal { _ = try enclave.addRecoveryCode(by: .passcode, "1234") }?.rule == .tooLarge)
        #expect(try Self.kinds(enclave) == [.passcode] + Array(repeating: .recovery, count: 7))
    }

    @Test("a typing error is told from a wrong code, and does not count; a wrong code does")
    func mistyped() throws {
        let enclave = try device.start(passcode: "1234")
        let code = Array(try enclave.addRecoveryCode(by: .passcode, "1234"))
        for index in code.indices where code[index] != "-" {
            var changed = code
            changed[index] = code[index] == "7" ? "8" : "7"
            let text = String(changed)
            let refused = refusal { try enclave.unlock(with: .recoveryCode, TestDevice.passcode(text)) }
            #expect(refused?.rule == .mistypedCode, "changed at \(index)")
            #expect(refused?.status == .param)
        }
        for text in [String(code.dropLast()), String(code) + "0", "U" + String(code.dropFirst()), "hello"] {
            #expect(
                refusal { try enclave.unlock(with: .recoveryCode, TestDevice.passcode(text)) }?.rule == .mistypedCode)
        }
        #expect(try enclave.status().failedAttempts == 0)
        let stranger = TestDevice()
        let other = try stranger.start(passcode: "1").addRecoveryCode(by: .passcode, "1")
        let wrong = refusal { try enclave.unlock(with: .recoveryCode, TestDevice.passcode(other)) }
        #expect(wrong?.rule == .wrongRecoveryCode)
        #expect(wrong?.status == .authFailed)
        #expect(try enclave.status().failedAttempts == 1)
        try enclave.unlock(with: .recoveryCode, TestDevice.passcode(String(code)))
        #expect(try enclave.status().failedAttempts == 0)
    }

    @Test(
        "passcodes and codes share the growing wait, which no restart shortens, and not even the right code passes it")
    func sharedWait() throws {
        let enclave = try device.start(passcode: "1234")
        let code = try enclave.addRecoveryCode(by: .passcode, "1234")
        let stranger = TestDevice()
        let foreign = try stranger.start(passcode: "1").addRecoveryCode(by: .passcode, "1")
        for _ in 0..<3 {
            #expect(refusal { try enclave.unlock(passcode: TestDevice.passcode("0")) }?.rule == .wrongPasscode)
        }
        for _ in 0..<2 {
            #expect(
                refusal { try enclave.unlock(with: .recoveryCode, TestDevice.passcode(foreign)) }?.rule
                    == .wrongRecoveryCode)
        }
        let restarted = try device.start()
        #expect(try restarted.status().failedAttempts == 5)
        for enclave in [enclave, restarted] {
            #expect(
                refusal { try enclave.unlock(with: .recoveryCode, TestDevice.passcode(code)) }?.rule == .throttled)
            #expect(refusal { try enclave.unlock(passcode: TestDevice.passcode("1234")) }?.rule == .throttled)
            #expect(refusal { _ = try enclave.addRecoveryCode(by: .passcode, "1234") }?.rule == .throttled)
        }
        device.clock.advance(by: 60)
        try restarted.unlock(with: .recoveryCode, TestDevice.passcode(code))
    }

    @Test("adding and removing take a credential that opens, and any of them does")
    func credentials() throws {
        let enclave = try device.start(passcode: "1234")
        let (first, content) = (try enclave.addRecoveryCode(by: .passcode, "1234"), try device.content())
        #expect(refusal { _ = try enclave.addRecoveryCode(by: .passcode, "0") }?.rule == .wrongPasscode)
        #expect(refusal { try enclave.removeSlot(1, by: .passcode, TestDevice.passcode("0")) }?.rule == .wrongPasscode)
        #expect(refusal { try enclave.removeSlot(9, by: .passcode, TestDevice.passcode("1234")) }?.rule == .noSlot)
        #expect(refusal { try enclave.unlock(with: .pin, TestDevice.passcode("1234")) }?.rule == .noSlot)
        #expect(try device.content().count == content.count)
        let second = try enclave.addRecoveryCode(by: .recoveryCode, first)
        try enclave.removeSlot(1, by: .recoveryCode, TestDevice.passcode(second))
        #expect(try enclave.details().slots.map(\.number) == [0, 2])
        #expect(
            refusal { try enclave.unlock(with: .recoveryCode, TestDevice.passcode(first)) }?.rule == .wrongRecoveryCode)
        try enclave.unlock(with: .recoveryCode, TestDevice.passcode(second))
        try enclave.unlock(passcode: TestDevice.passcode("1234"))
        #expect(try enclave.addRecoveryCode(by: .passcode, "1234") != first)
        #expect(try enclave.details().slots.map(\.number) == [0, 2, 1])
    }

    @Test("the last slot cannot be removed by mistake")
    func last() throws {
        let enclave = try device.start(passcode: "1234")
        let row = try TestRow(
            .whenUnlocked,
            in: { () throws in
                try enclave.unlock(passcode: TestDevice.passcode("1234"))
                return enclave
            }())
        let destroyed = try TestRow(.whenPasscodeSetThisDeviceOnly, in: enclave)
        let content = try device.content()
        #expect(
            refusal { try enclave.removeSlot(0, by: .passcode, TestDevice.passcode("1234")) }?.rule == .contradiction)
        #expect(try device.content() == content)
        #expect(try enclave.outcome(of: destroyed) == .opened)
        let code = try enclave.addRecoveryCode(by: .passcode, "1234")
        #expect(refusal { try enclave.removeSlot(0, by: .recoveryCode, TestDevice.passcode(code)) }?.status == .param)
        // Removing the passcode is another thing, and does what it says.
        try enclave.removePasscode(TestDevice.passcode("1234"))
        #expect(try Self.kinds(enclave) == [.device])
        #expect(try enclave.outcome(of: row) == .opened)
        #expect(try enclave.outcome(of: destroyed) != .opened)
        try enclave.setPasscode(TestDevice.passcode("new"))
        #expect(refusal { try enclave.unlock(with: .recoveryCode, TestDevice.passcode(code)) }?.rule == .noSlot)
    }

    @Test("a new passcode wraps its own slot alone: class keys, other slots and items stay as they are, byte by byte")
    func changingPasscode() throws {
        let enclave = try device.start(passcode: "old")
        let code = try enclave.addRecoveryCode(by: .passcode, "old")
        let row = try TestRow(.whenPasscodeSetThisDeviceOnly, in: enclave)
        let before = try device.content()
        try enclave.changePasscode(from: TestDevice.passcode("old"), to: TestDevice.passcode("new"))
        let after = try device.content()
        #expect(after[140..<560] == before[140..<560])
        #expect(after[696..<788] != before[696..<788])
        #expect(after[788..<880] == before[788..<880])
        for credential in [(CredentialKind.passcode, "new"), (.recoveryCode, code)] {
            try enclave.lock()
            try enclave.unlock(with: credential.0, TestDevice.passcode(credential.1))
            #expect(try enclave.outcome(of: row) == .opened)
        }
        #expect(refusal { try enclave.unlock(passcode: TestDevice.passcode("old")) }?.rule == .wrongPasscode)
    }

    @Test("a forgotten passcode is replaced with a recovery code, and what only a passcode may open is kept")
    func forgotten() throws {
        let enclave = try device.start(passcode: "forgotten")
        let code = try enclave.addRecoveryCode(by: .passcode, "forgotten")
        let row = try TestRow(.whenPasscodeSetThisDeviceOnly, in: enclave)
        let restarted = try device.start()
        try restarted.replacePasscode(
            with: TestDevice.passcode("new"), by: .recoveryCode, TestDevice.passcode(code))
        #expect(try restarted.outcome(of: row) == .opened)
        try restarted.lock()
        try restarted.unlock(passcode: TestDevice.passcode("new"))
        try restarted.unlock(with: .recoveryCode, TestDevice.passcode(code))
        #expect(
            refusal {
                try restarted.replacePasscode(
                    with: TestDevice.passcode("x"), by: .recoveryCode, TestDevice.passcode("nonsense"))
            }?.rule == .mistypedCode)
    }

    @Test("a code is handed over in a file that cannot be resized, and only there; without one no slot is added")
    func handingOver() throws {
        let enclave = try device.start(passcode: "1234")
        for (file, status) in [
            (try PasscodeFile.makeRoom(4), KeychainStatus.param), (try FileDescriptor.pipe().0, .param),
        ] {
            #expect(
                refusal {
                    try enclave.addSlot(.recovery, file, by: .passcode, TestDevice.passcode("1234"))
                }?.status == status)
        }
        #expect(
            refusal { try enclave.addSlot(.recovery, nil, by: .passcode, TestDevice.passcode("1234")) }?.status
                == .param)
        #expect(
            refusal { try enclave.addSlot(.tpm, nil, by: .passcode, TestDevice.passcode("1234")) }?.status
                == .notAvailable)
        #expect(
            refusal {
                try enclave.addSlot(.passcode, TestDevice.passcode("x"), by: .passcode, TestDevice.passcode("1234"))
            }?.status == .param)
        #expect(try enclave.details().slots.count == 1)
        #expect(try device.start().details().slots.count == 1)
    }
}

extension EnclaveService {
    /// Adds a recovery slot and gives its code.
    func addRecoveryCode(by kind: CredentialKind, _ credential: String) throws -> String {
        let room = try PasscodeFile.makeRoom(RecoveryCodeFormat.room)
        try addSlot(.recovery, room, by: kind, TestDevice.passcode(credential))
        let bytes = try PasscodeFile.read(room, limit: 64, deadline: .after(milliseconds: 1000))
        return bytes.withSpan { bytes in String(decoding: bytes.array(0, bytes.count).prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
