import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// When the keychain locks by itself.
struct SessionTests {
    let device = TestDevice()

    private func unlocked(_ settings: DeviceSettings = DeviceSettings()) throws -> SoftwareEnclave {
        let enclave = try device.start(passcode: "1234")
        try enclave.unlock(passcode: TestDevice.passcode("1234"))
        if settings != DeviceSettings() { try enclave.change(settings) }
        return enclave
    }

    @Test("settings are in the vault, and stay there through restarts, passcodes and slots")
    func settings() throws {
        let settings = DeviceSettings(locksOnSleep: true, idleSeconds: 300)
        let enclave = try unlocked(settings)
        try enclave.changePasscode(from: TestDevice.passcode("1234"), to: TestDevice.passcode("5678"))
        _ = try enclave.addRecoveryCode(by: .passcode, "5678")
        for enclave in [enclave, try device.start()] { #expect(try enclave.details().settings == settings) }
        try enclave.removePasscode(TestDevice.passcode("5678"))
        #expect(try device.start().details().settings == settings)
        #expect(refusal { try enclave.change(DeviceSettings(idleSeconds: .max)) }?.rule == .wrongValue)
    }

    @Test("settings that somebody changed in the file without the device key are damage")
    func forged() throws {
        _ = try unlocked(DeviceSettings(idleSeconds: 300))
        var content = try device.content()
        content[628] = 0
        let end = content.count - 32
        content[end...] = try Self.digest(content[..<end])[...]
        try device.replaceContent(with: content)
        #expect(refusal { _ = try device.start() }?.status == .decode)
    }

    private static func digest(_ bytes: ArraySlice<UInt8>) throws -> [UInt8] {
        let digest = try Digest.sha256(Array(bytes).span)
        return digest.span.array(0, 32)
    }

    @Test("a use after the time limit finds the keychain locked; each use before it begins the time anew")
    func idle() throws {
        let enclave = try unlocked(DeviceSettings(idleSeconds: 60))
        let row = try TestRow(.whenUnlocked, in: enclave)
        let other = try TestRow(.afterFirstUnlock, in: enclave)
        for _ in 0..<5 {
            device.clock.advance(by: 59)
            #expect(try enclave.outcome(of: row) == .opened)
        }
        // The second in which it was used may have begun long before.
        device.clock.advance(by: 60)
        #expect(try enclave.status().lockState == .unlocked)
        device.clock.advance(by: 1)
        #expect(try enclave.outcome(of: row) == .locked)
        #expect(try enclave.outcome(of: other) == .opened)
        #expect(try enclave.status().lockState == .locked)
        try enclave.unlock(passcode: TestDevice.passcode("1234"))
        #expect(try enclave.outcome(of: row) == .opened)
        device.clock.advance(by: 61)
        #expect(refusal { _ = try TestRow(.whenUnlocked, in: enclave) }?.rule == .locked)
    }

    @Test("looking at the state is no use, and tells the truth about the time that has passed")
    func lookingIsNoUse() throws {
        let enclave = try unlocked(DeviceSettings(idleSeconds: 60))
        for _ in 0..<5 {
            #expect(try enclave.status().lockState == .unlocked)
            device.clock.advance(by: 13)
        }
        #expect(try enclave.status().lockState == .locked)
    }

    @Test("the time that the machine slept counts as time without use")
    func suspension() throws {
        let enclave = try unlocked(DeviceSettings(idleSeconds: 600))
        let row = try TestRow(.whenUnlocked, in: enclave)
        enclave.sessionChanged(.goingToSleep)
        device.clock.advance(by: 3600)
        enclave.sessionChanged(.awake)
        #expect(try enclave.outcome(of: row) == .locked)
    }

    @Test("a clock that runs backwards keeps nothing open that has a time, and closes nothing that has none")
    func setBack() throws {
        let enclave = try unlocked(DeviceSettings(idleSeconds: 600))
        let row = try TestRow(.whenUnlocked, in: enclave)
        device.clock.moment.withLock { $0.seconds -= 500 }
        #expect(try enclave.outcome(of: row) == .locked)
        try enclave.unlock(passcode: TestDevice.passcode("1234"))
        try enclave.change(DeviceSettings())
        device.clock.moment.withLock { $0.seconds -= 100 }
        #expect(try enclave.outcome(of: row) == .opened)
    }

    @Test("keys that nobody uses are wiped by a timer, and whoever waits for a change hears of it")
    func timer() throws {
        let vault = device.vault
        let enclave = try SoftwareEnclave(vault: vault, createIfMissing: true, passcodeCost: .cheapest)
        try enclave.setPasscode(TestDevice.passcode("1234"))
        try enclave.change(DeviceSettings(idleSeconds: 1))
        let epoch = enclave.epoch.value
        #expect(enclave.state.withLock { $0.cipher(for: .whenUnlocked) != nil })
        #expect(enclave.epoch.wait(while: epoch, deadline: soon) != epoch)
        // Nothing was called that looks at the clock.
        #expect(enclave.state.withLock { $0.cipher(for: .whenUnlocked) == nil })
    }

    @Test("the session locks the keychain, and sleep does where that is set", .rule("protection.state.session"))
    func session() throws {
        let enclave = try unlocked()
        let row = try TestRow(.whenUnlocked, in: enclave)
        enclave.sessionChanged(.goingToSleep)
        enclave.sessionChanged(.awake)
        #expect(try enclave.outcome(of: row) == .opened)
        enclave.sessionChanged(.locked)
        #expect(try enclave.outcome(of: row) == .locked)
        // A session that is unlocked has shown no passcode here.
        enclave.sessionChanged(.unlocked)
        #expect(try enclave.outcome(of: row) == .locked)
        try enclave.unlock(passcode: TestDevice.passcode("1234"))
        try enclave.change(DeviceSettings(locksOnSleep: true))
        enclave.sessionChanged(.goingToSleep)
        #expect(try enclave.outcome(of: row) == .locked)
    }

    @Test("a logout from a desktop forgets everything but what is always open", .rule("protection.state.logout"))
    func logout() throws {
        let enclave = try unlocked()
        let rows = try Accessibility.allCases.map { try TestRow($0, in: enclave) }
        enclave.sessionChanged(.ended)
        for row in rows {
            let isOpen = row.accessibility.availability == .always
            #expect(try enclave.outcome(of: row) == (isOpen ? .opened : .locked), "\(row.accessibility.code)")
        }
        #expect(try enclave.status().lockState == .beforeFirstUnlock)
        try enclave.unlock(passcode: TestDevice.passcode("1234"))
        for row in rows { #expect(try enclave.outcome(of: row) == .opened) }
    }

    @Test("without a passcode there is nothing to lock, whatever happens", .rule("protection.passcode.none"))
    func withoutPasscode() throws {
        let enclave = try device.start()
        try enclave.change(DeviceSettings(locksOnSleep: true, idleSeconds: 1))
        let row = try TestRow(.whenUnlocked, in: enclave)
        for event in SessionEvent.allCases { enclave.sessionChanged(event) }
        device.clock.advance(by: 1000)
        device.clock.reboot()
        #expect(try enclave.outcome(of: row) == .opened)
    }

    @Test("a process that wakes in another boot has forgotten everything but what is always open")
    func reboot() throws {
        let enclave = try unlocked()
        let rows = try Accessibility.allCases.map { try TestRow($0, in: enclave) }
        let epoch = enclave.epoch.value
        device.clock.reboot()
        for row in rows {
            let isOpen = row.accessibility.availability == .always
            #expect(try enclave.outcome(of: row) == (isOpen ? .opened : .locked), "\(row.accessibility.code)")
        }
        #expect(try enclave.status().lockState == .beforeFirstUnlock)
        #expect(enclave.epoch.value != epoch)
        try enclave.unlock(passcode: TestDevice.passcode("1234"))
        for row in rows { #expect(try enclave.outcome(of: row) == .opened) }
    }

    @Test("the number of the state moves with lock, unlock, passcode, slots and settings, and with nothing else")
    func epoch() throws {
        let enclave = try device.start()
        func moves(_ body: () throws -> Void) rethrows -> Bool {
            let before = enclave.epoch.value
            try body()
            return enclave.epoch.value != before
        }
        #expect(try moves { try enclave.setPasscode(TestDevice.passcode("1234")) })
        #expect(try moves { try enclave.lock() })
        #expect(try !moves { try enclave.lock() })
        #expect(try moves { try enclave.unlock(passcode: TestDevice.passcode("1234")) })
        #expect(try moves { _ = try enclave.addRecoveryCode(by: .passcode, "1234") })
        #expect(try moves { try enclave.change(DeviceSettings(idleSeconds: 9)) })
        #expect(try moves { try enclave.removeSlot(1, by: .passcode, TestDevice.passcode("1234")) })
        let passcodes = (try TestDevice.passcode("1234"), try TestDevice.passcode("5678"))
        #expect(try moves { try enclave.changePasscode(from: passcodes.0, to: passcodes.1) })
        let row = try TestRow(.whenUnlocked, in: enclave)
        #expect(
            try !moves {
                _ = try enclave.status()
                _ = try enclave.outcome(of: row)
                _ = refusal { try enclave.unlock(passcode: TestDevice.passcode("wrong")) }
            })
        #expect(try moves { try enclave.removePasscode(TestDevice.passcode("5678")) })
    }

    @Test("behind a channel the same holds: slots, settings, refusals, and a word that the daemon sees move")
    func channel() throws {
        let served = try ServedEnclave()
        let enclave = served.connection
        try enclave.setPasscode(TestDevice.passcode("1234"))
        let epoch = enclave.epoch.value
        let code = try enclave.addRecoveryCode(by: .passcode, "1234")
        #expect(enclave.epoch.value != epoch)
        try enclave.change(DeviceSettings(locksOnSleep: true, idleSeconds: 7))
        #expect(
            try enclave.details()
                == DeviceDetails(
                    settings: DeviceSettings(locksOnSleep: true, idleSeconds: 7),
                    slots: [UnlockSlot(number: 0, kind: .passcode), UnlockSlot(number: 1, kind: .recovery)]))
        let waited = enclave.epoch.value
        let locker = try Thread(named: "locker") { try? enclave.lock() }
        #expect(enclave.epoch.wait(while: waited, deadline: soon) != waited)
        locker.join()
        #expect(refusal { try enclave.unlock(with: .recoveryCode, TestDevice.passcode("x")) }?.rule == .mistypedCode)
        try enclave.unlock(with: .recoveryCode, TestDevice.passcode(code))
        try enclave.replacePasscode(
            with: TestDevice.passcode("new"), by: .recoveryCode, TestDevice.passcode(code))
        try enclave.removeSlot(1, by: .passcode, TestDevice.passcode("new"))
        #expect(refusal { try enclave.removeSlot(0, by: .passcode, TestDevice.passcode("new")) }?.status == .param)
        #expect(
            refusal { try enclave.addSlot(.tpm, nil, by: .passcode, TestDevice.passcode("new")) }?.rule == .unavailable)
    }
}
