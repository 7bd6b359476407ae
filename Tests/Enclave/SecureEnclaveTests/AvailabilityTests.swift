import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Rule protection.class.states as a table: which class is open in which state of the device.
struct AvailabilityTests {
    enum State: CaseIterable { case noPasscode, beforeFirstUnlock, locked, unlocked }

    /// Which states a class is open in, in the order of `State`.
    private static let open: [Accessibility: [Bool]] = [
        .whenUnlocked: [true, false, false, true],
        .afterFirstUnlock: [true, false, true, true],
        .always: [true, true, true, true],
        .whenUnlockedThisDeviceOnly: [true, false, false, true],
        .afterFirstUnlockThisDeviceOnly: [true, false, true, true],
        .alwaysThisDeviceOnly: [true, true, true, true],
        .whenPasscodeSetThisDeviceOnly: [false, false, false, true],
    ]

    let device = TestDevice()

    @Test(
        "a class is open in the states of rule protection.class.states",
        .rule("protection.class.states", "protection.class.default", "protection.state.background"),
        arguments: State.allCases,
        Accessibility.allCases)
    func matrix(_ state: State, _ accessibility: Accessibility) throws {
        let (enclave, row, metadata) = try prepare(state, accessibility)
        let isOpen = try #require(Self.open[accessibility])[try #require(State.allCases.firstIndex(of: state))]
        let reading = refusal { _ = try enclave.unwrapMetadataKey(metadata, for: accessibility) }
        let adding = refusal { _ = try TestRow(accessibility, in: enclave) }
        #expect(try enclave.outcome(of: row) == (isOpen ? .opened : .locked))
        #expect(reading?.status == (isOpen ? nil : .interactionNotAllowed))
        let withoutPasscode = state == .noPasscode && accessibility == .whenPasscodeSetThisDeviceOnly
        #expect(adding?.status == (isOpen ? nil : withoutPasscode ? .authFailed : .interactionNotAllowed))
        #expect(adding?.rule == (isOpen ? nil : withoutPasscode ? .passcodeNotSet : .locked))
    }

    /// Stores a row and a metadata key while everything is open, then brings the device into the state.
    private func prepare(
        _ state: State, _ accessibility: Accessibility
    ) throws -> (SoftwareEnclave, TestRow, metadata: [UInt8]) {
        let enclave = try device.start()
        try enclave.setPasscode(TestDevice.passcode("1234"))
        let row = try TestRow(accessibility, in: enclave)
        let metadata = try enclave.makeMetadataKey(for: accessibility).wrapped
        switch state {
        case .unlocked: return (enclave, row, metadata)
        case .locked: try enclave.lock()
        case .beforeFirstUnlock: return (try device.start(), row, metadata)
        case .noPasscode: try enclave.removePasscode(TestDevice.passcode("1234"))
        }
        return (enclave, row, metadata)
    }

    @Test("the status says which state the device is in and what protects it", .rule("protection.level.status"))
    func status() throws {
        var enclave = try device.start()
        #expect(try enclave.status() == status(.softwareOnly, .unlocked))
        try enclave.setPasscode(TestDevice.passcode("1234"))
        #expect(try enclave.status() == status(.passcode, .unlocked))
        try enclave.lock()
        #expect(try enclave.status() == status(.passcode, .locked))
        enclave = try device.start()
        #expect(try enclave.status() == status(.passcode, .beforeFirstUnlock))
        try enclave.lock()
        #expect(try enclave.status() == status(.passcode, .beforeFirstUnlock))
        try enclave.unlock(passcode: TestDevice.passcode("1234"))
        let unlock = try enclave.status().lastUnlock
        #expect(unlock != 0)
        #expect(try enclave.status() == status(.passcode, .unlocked, lastUnlock: unlock))
        try enclave.removePasscode(TestDevice.passcode("1234"))
        #expect(try enclave.status() == status(.softwareOnly, .unlocked, lastUnlock: unlock))
    }

    private func status(
        _ protection: DeviceStatus.Protection, _ lockState: DeviceStatus.LockState, lastUnlock: UInt64 = 0
    ) -> EnclaveStatus {
        EnclaveStatus(
            protection: protection, lockState: lockState, passcodeIsSet: protection == .passcode, failedAttempts: 0,
            retryAfter: 0, kind: "in process", lastUnlock: lastUnlock)
    }

    @Test(
        "without a passcode there is nothing to lock, and locking says so by doing nothing",
        .rule("protection.level.status", "protection.passcode.none"))
    func lockWithoutPasscode() throws {
        let enclave = try device.start()
        let row = try TestRow(.whenUnlocked, in: enclave)
        try enclave.lock()
        #expect(try enclave.outcome(of: row) == .opened)
    }

    @Test(
        "what only a passcode may open cannot be stored without one, and says what to do",
        .rule("access-control.add.impossible"))
    func needsPasscode() throws {
        let enclave = try device.start()
        for refused in [
            refusal { _ = try TestRow(.whenPasscodeSetThisDeviceOnly, in: enclave) },
            refusal { _ = try enclave.makeMetadataKey(for: .whenPasscodeSetThisDeviceOnly) },
        ] {
            #expect(refused?.status == .authFailed)
            #expect(refused?.rule == .passcodeNotSet)
            #expect(refused?.remedy.contains("Set a passcode") == true)
        }
    }

    @Test("removing the passcode destroys what only a passcode may open; a new passcode does not bring it back")
    func passcodeClassIsDestroyed() throws {
        let enclave = try device.start()
        try enclave.setPasscode(TestDevice.passcode("1234"))
        let row = try TestRow(.whenPasscodeSetThisDeviceOnly, in: enclave)
        try enclave.removePasscode(TestDevice.passcode("1234"))
        #expect(try enclave.outcome(of: row) == .locked)
        try enclave.setPasscode(TestDevice.passcode("1234"))
        #expect(try enclave.outcome(of: row) == .damaged)
        #expect(try enclave.outcome(of: try TestRow(.whenPasscodeSetThisDeviceOnly, in: enclave)) == .opened)
    }
}
