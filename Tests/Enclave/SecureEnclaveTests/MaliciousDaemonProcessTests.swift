import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// The same against keychain-enclaved itself, behind its filter of system calls, with an agent in a third process.
@Suite(.enabled(if: !Sanitizer.isActive, "a sanitizer makes system calls of its own"))
struct MaliciousDaemonProcessTests {
    private let context = AuthenticationContext.test()

    @Test("The real enclave opens nothing without proof, and what its user shows once, for that alone")
    func proof() throws {
        let hostile = try HostileProcess(answers: ["touch", "fallback", "1234"])
        let daemon = hostile.daemon
        try #require(try daemon.send(EnclaveCalls.setPasscode, "1234") == 0)
        let (row, other) = (try daemon.row(Flag.userPresence), try daemon.row(Flag.biometryCurrentSet))
        for row in [row, other] { #expect(try daemon.open(row, context) == .authNeeded) }
        #expect(hostile.questions == [])
        #expect(try daemon.ask(row.task(context)) == 0)
        #expect(try daemon.open(other, context) == .authNeeded)
        #expect(try daemon.open(row, .test()) == .authNeeded)
        #expect(
            try daemon.open(
                row, AuthenticationContext(identifier: context.identifier, caller: [UInt8](repeating: 9, count: 32)))
                == .authNeeded)
        let opened = try daemon.open(row.wrapped, row.identity, context)
        #expect(opened.status == .success && opened.key == row.key.bytes)
        #expect(try daemon.open(row, context) == .authNeeded)
        // In place of the finger the passcode, which is no finger.
        #expect(try daemon.ask(row.task(context, for: .useKeySign)) == 0)
        for row in [row, other] { #expect(try daemon.open(row, context) == .authNeeded) }
        #expect(hostile.questions == [.finger, .finger, .passcode])
    }

    @Test("The real enclave is not deceived by edited flags, enrolments and passwords, with all the proof there is")
    func edited() throws {
        let hostile = try HostileProcess(answers: ["touch"])
        let daemon = hostile.daemon
        try #require(try daemon.send(EnclaveCalls.setPasscode, "1234") == 0)
        let row = try daemon.row(Flag.biometryCurrentSet)
        #expect(try daemon.ask(.policy(2, context)) == 0)
        for offset in row.wrapped.indices {
            var bytes = row.wrapped
            bytes[offset] ^= 2
            #expect(try daemon.open(bytes, row.identity, context).status == .decode)
        }
        let honest = try GuardedRowKey(decoding: row.wrapped)
        #expect(honest.binding.enrolment == [UInt8](repeating: 7, count: 32))
        for flags in [0, Flag.userPresence, row.flags | Flag.or] {
            let edited = GuardedRowKey(flags: flags, binding: honest.binding, box: honest.box).bytes
            #expect(try daemon.open(edited, row.identity, context).status == .decode)
        }
        #expect(try daemon.open(row, context) == .success)
    }

    @Test("The real enclave lets passcodes be tried no faster than the delay allows, not even across a crash")
    func flood() throws {
        let guesses = [String](repeating: "guess", count: 40)
        let device = TestDevice()
        var hostile = try HostileProcess(device, answers: guesses)
        try #require(try hostile.daemon.send(EnclaveCalls.setPasscode, "1234") == 0)
        for slot in 0..<2 {
            _ = try hostile.daemon.ask(.control(Flag.devicePasscode, .test()), slot: EnclaveChannelFormat.slots + slot)
        }
        hostile.kill()
        hostile = try HostileProcess(device, answers: guesses)
        for _ in 0..<3 {
            _ = try hostile.daemon.ask(.control(Flag.devicePasscode, .test()))
            #expect(try hostile.daemon.send(EnclaveCalls.unlock, "1234") == KeychainStatus.authFailed.rawValue)
        }
        #expect(try device.start().status().failedAttempts == 5)
        #expect(hostile.questions.count == 5)
    }

    @Test("The real enclave serves on while its user is asked, withdraws, and ends with its daemon")
    func servesOn() throws {
        let hostile = try HostileProcess(answers: [])
        let daemon = hostile.daemon
        try #require(try daemon.send(EnclaveCalls.setPasscode, "1234") == 0)
        let status = Monitor<Int32?>(nil)
        let task = AuthenticationTask.policy(2, context)
        let asking = try Thread(named: "asking") {
            let answer = try? daemon.ask(task)
            status.update { $0 = answer }
        }
        try #require(eventually { !hostile.questions.isEmpty })
        #expect(try daemon.call(EnclaveCalls.indexKey).body.count == 32)
        #expect(try daemon.send(EnclaveCalls.unlock, "1234") == 0)
        #expect(status.update { $0 } == nil)
        #expect(try daemon.call(EnclaveCalls.lock).status == 0)
        asking.join()
        #expect(status.update { $0 } == KeychainStatus.authFailed.rawValue)
        #expect(try daemon.call(EnclaveCalls.capabilities).status == 0)
    }
}
