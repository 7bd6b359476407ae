import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import Testing

@testable import SecureEnclave

/// Two enclaves over one vault, as two processes that embed the keychain have.
struct SharedVaultTests {
    let device = TestDevice()

    @Test("a passcode that one process sets locks the others until they know it")
    func passcodeSetElsewhere() throws {
        let (first, second) = (try device.start(), try device.start())
        let row = try TestRow(.whenUnlocked, in: first)
        try second.setPasscode(TestDevice.passcode("1234"))
        #expect(try first.status().lockState == .locked)
        #expect(refusal { _ = try TestRow(.whenUnlocked, in: first) }?.status == .interactionNotAllowed)
        #expect(try first.outcome(of: row) == .locked)
        #expect(try first.outcome(of: try TestRow(.afterFirstUnlock, in: first)) == .opened)
        try first.unlock(passcode: TestDevice.passcode("1234"))
        #expect(try first.outcome(of: row) == .opened)
    }

    @Test("a passcode that one process removes opens the others")
    func passcodeRemovedElsewhere() throws {
        let first = try device.start(passcode: "1234")
        let second = try device.start()
        try second.removePasscode(TestDevice.passcode("1234"))
        #expect(try first.status().lockState == .unlocked)
        #expect(try first.outcome(of: try TestRow(.whenUnlocked, in: second)) == .opened)
    }

    @Test("a row whose class key was made elsewhere is closed here, not damaged")
    func passcodeClassMadeElsewhere() throws {
        let (first, second) = (try device.start(), try device.start())
        try first.setPasscode(TestDevice.passcode("1"))
        try second.removePasscode(TestDevice.passcode("1"))
        try second.setPasscode(TestDevice.passcode("2"))
        let row = try TestRow(.whenPasscodeSetThisDeviceOnly, in: second)
        #expect(try first.outcome(of: row) == .locked)
        try first.unlock(passcode: TestDevice.passcode("2"))
        #expect(try first.outcome(of: row) == .opened)
    }

    @Test("after a change elsewhere only the new passcode unlocks")
    func passcodeChangedElsewhere() throws {
        let first = try device.start(passcode: "old")
        try device.start().changePasscode(from: TestDevice.passcode("old"), to: TestDevice.passcode("new"))
        #expect(refusal { try first.unlock(passcode: TestDevice.passcode("old")) }?.rule == .wrongPasscode)
        try first.unlock(passcode: TestDevice.passcode("new"))
    }

    @Test("lock and unlock in one process are no business of the others")
    func lockIsOwn() throws {
        let first = try device.start(passcode: "1234")
        let second = try device.start()
        try first.unlock(passcode: TestDevice.passcode("1234"))
        #expect(try second.status().lockState == .beforeFirstUnlock)
        try second.unlock(passcode: TestDevice.passcode("1234"))
        try first.lock()
        #expect(try second.status().lockState == .unlocked)
    }

    @Test("threads that read, store and unlock at once all get right answers")
    func threads() throws {
        let enclave = try device.start(passcode: "1234")
        try enclave.unlock(passcode: TestDevice.passcode("1234"))
        let failures = Monitor<[String]>([])
        let threads = try (0..<4).map { number in
            try Thread(named: "reader") {
                do {
                    for _ in 0..<50 {
                        let row = try TestRow(.whenUnlocked, in: enclave)
                        let answers = try enclave.unwrap([row.record, row.record])
                        #expect(answers.outcomes == [.opened, .opened])
                        #expect(answers.keys[1].isEqual(to: row.key))
                        if number == 0 { try enclave.unlock(passcode: TestDevice.passcode("1234")) }
                    }
                } catch { failures.update { $0.append("\(error)") } }
            }
        }
        for thread in threads { thread.join() }
        #expect(failures.update { $0 } == [])
    }
}
