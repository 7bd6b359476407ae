import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import Testing

@testable import SecureEnclave

struct FailedAttemptsTests {
    typealias Moment = DeviceClock.Moment

    let device = TestDevice()

    @Test(
        "the wait grows with the failed attempts",
        arguments: [
            (0, 0), (1, 0), (4, 0), (5, 60), (6, 300), (7, 900), (8, 900), (9, 3600), (10, 3600), (UInt32.max, 3600),
        ] as [(UInt32, UInt32)])
    func schedule(_ count: UInt32, _ wait: UInt32) {
        #expect(FailedAttempts.wait(after: count) == wait)
        let attempts = FailedAttempts(count: count, boot: "a", since: 500)
        #expect(attempts.remainingWait(at: Moment(boot: "a", seconds: 500)) == wait)
    }

    @Test(
        "a wait runs on the clock of one boot, and begins anew with the next",
        arguments: [
            (Moment(boot: "a", seconds: 500), 60), (Moment(boot: "a", seconds: 559), 1),
            (Moment(boot: "a", seconds: 560), 0), (Moment(boot: "a", seconds: .max), 0),
            // A clock that runs backwards within a boot is not the one that the wait began on.
            (Moment(boot: "a", seconds: 499), 60), (Moment(boot: "a", seconds: 100), 60),
            (Moment(boot: "b", seconds: 0), 60), (Moment(boot: "b", seconds: 59), 1),
            (Moment(boot: "b", seconds: 60), 0), (Moment(boot: "b", seconds: 1000), 0),
        ] as [(Moment, UInt32)])
    func remainingWait(_ moment: Moment, _ expected: UInt32) {
        let attempts = FailedAttempts(count: 5, boot: "a", since: 500)
        #expect(attempts.remainingWait(at: moment) == expected)
    }

    @Test("where boots have no names, a clock that runs backwards is the next boot's")
    func namelessBoot() {
        let attempts = FailedAttempts(count: 5, boot: DeviceClock.namelessBoot, since: 500)
        #expect(attempts.remainingWait(at: Moment(boot: DeviceClock.namelessBoot, seconds: 10)) == 50)
        #expect(attempts.remainingWait(at: Moment(boot: DeviceClock.namelessBoot, seconds: 60)) == 0)
    }

    @Test("a clock that is set back while an attempt has to wait shortens nothing")
    func setBack() throws {
        let enclave = try device.start(passcode: "right")
        try fail(5, on: enclave)
        device.clock.moment.withLock { $0.seconds -= 900 }
        #expect(try enclave.status().retryAfter == 60)
        #expect(refusal { try enclave.unlock(passcode: TestDevice.passcode("right")) }?.rule == .throttled)
        device.clock.advance(by: 960)
        try enclave.unlock(passcode: TestDevice.passcode("right"))
    }

    @Test("the count of failed attempts does not overflow")
    func overflow() {
        var attempts = FailedAttempts(count: .max, boot: "a", since: 0)
        attempts.add(at: Moment(boot: "a", seconds: 1))
        #expect(attempts.count == .max)
    }

    /// Fails that often, waiting as long as it takes.
    private func fail(_ times: Int, on enclave: SoftwareEnclave) throws {
        for _ in 0..<times {
            device.clock.advance(by: UInt64(try enclave.status().retryAfter))
            let refused = refusal { try enclave.unlock(passcode: TestDevice.passcode("wrong")) }
            #expect(refused?.rule == .wrongPasscode)
        }
    }

    @Test("during the wait even the right passcode is refused, and the refusal says how long to wait")
    func throttled() throws {
        let enclave = try device.start(passcode: "right")
        try fail(5, on: enclave)
        device.clock.advance(by: 59)
        #expect(try enclave.status().retryAfter == 1)
        let (right, new) = (try TestDevice.passcode("right"), try TestDevice.passcode("new"))
        for refused in [
            refusal { try enclave.unlock(passcode: right) },
            refusal { try enclave.removePasscode(right) },
            refusal { try enclave.changePasscode(from: right, to: new) },
        ] {
            #expect(refused?.status == .authFailed)
            #expect(refused?.rule == .throttled)
            #expect(refused?.remedy.contains("1 second") == true)
        }
        #expect(try enclave.status().failedAttempts == 5)
        device.clock.advance(by: 1)
        try enclave.unlock(passcode: right)
        #expect(try enclave.status().failedAttempts == 0)
    }

    @Test("during the wait no passcode is looked at: the vault is not even written")
    func notLookedAt() throws {
        let enclave = try device.start(passcode: "right")
        try fail(5, on: enclave)
        let before = try FileStatus(at: device.vault)
        #expect(refusal { try enclave.unlock(passcode: TestDevice.passcode("right")) }?.rule == .throttled)
        #expect(try FileStatus(at: device.vault) == before)
    }

    @Test("count and wait survive a restart of the enclave, and a restart of the system begins the wait anew")
    func restart() throws {
        try fail(6, on: try device.start(passcode: "right"))
        device.clock.advance(by: 299)
        #expect(try device.start().status().failedAttempts == 6)
        #expect(refusal { try device.start().unlock(passcode: TestDevice.passcode("right")) }?.rule == .throttled)
        device.clock.reboot()
        #expect(try device.start().status().retryAfter == 300)
        device.clock.advance(by: 300)
        try device.start().unlock(passcode: TestDevice.passcode("right"))
        #expect(try device.start().status().failedAttempts == 0)
    }

    @Test("processes that share the vault share the count")
    func shared() throws {
        let first = try device.start(passcode: "right")
        let second = try device.start()
        try fail(3, on: first)
        try fail(2, on: second)
        #expect(refusal { try first.unlock(passcode: TestDevice.passcode("right")) }?.rule == .throttled)
    }

    @Test("changing the passcode resets the count, an item that is stored does not")
    func reset() throws {
        let enclave = try device.start(passcode: "right")
        try fail(2, on: enclave)
        _ = try TestRow(.always, in: enclave)
        #expect(try enclave.status().failedAttempts == 2)
        try enclave.changePasscode(from: TestDevice.passcode("right"), to: TestDevice.passcode("new"))
        #expect(try enclave.status().failedAttempts == 0)
    }
}
