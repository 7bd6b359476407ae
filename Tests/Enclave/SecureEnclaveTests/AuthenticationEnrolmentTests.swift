import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Access controls that require the fingers enrolled when they were made, and those that do not (rules
/// access-control.flags.biometry-any, access-control.flags.current-set).
struct AuthenticationEnrolmentTests {
    private let device = TestDevice()
    private let user = TestUser(fingers: [1])
    private let context = AuthenticationContext.test()
    private let enclave: SoftwareEnclave

    init() throws {
        enclave = try device.start(user: user)
        try enclave.setPasscode(TestDevice.passcode("1234"))
    }

    private func row(_ flags: UInt64) throws -> GuardedRow { try GuardedRow(flags, in: enclave) }

    private func needsUser(_ row: GuardedRow) -> Bool { row.refusal(enclave, context)?.rule == .needsUser }

    @Test(
        "an item of the present enrolment is lost when a finger comes or goes, with an explanation of its own",
        .rule("access-control.flags.current-set"))
    func changedEnrolment() throws {
        for fingers: [UInt8] in [[1, 2], [2], []] {
            user.enrol([1])
            let row = try row(Flag.biometryCurrentSet)
            user.enrol(fingers)
            // For good: whatever is shown, and whatever was.
            for _ in 0..<2 {
                let refused = row.refusal(enclave, context)
                #expect(refused?.status == .authFailed && refused?.rule == .changedEnrolment)
                #expect(row.refusal(enclave, nil)?.rule == .changedEnrolment)
            }
            guard !fingers.isEmpty else { continue }
            user.will(.touch)
            #expect(enclave.refusal(.policy(1, context)) == nil)
            #expect(row.refusal(enclave, context)?.rule == .changedEnrolment)
            try enclave.invalidate(context)
        }
    }

    @Test(
        "what asks for presence, or for any finger, survives a change of the enrolment",
        .rule("access-control.flags.presence", "access-control.flags.biometry-any"))
    func survives() throws {
        let rows = [try row(Flag.userPresence), try row(Flag.biometryAny)]
        user.enrol([2, 3])
        user.will(.touch)
        #expect(enclave.refusal(.items(rows, context)) == nil)
        for row in rows { #expect(row.refusal(enclave, context) == nil) }
    }

    @Test(
        "a finger that was shown before the enrolment changed opens nothing that belongs to the new one",
        .rule("access-control.flags.current-set"))
    func shownBefore() throws {
        user.will(.touch)
        #expect(enclave.refusal(.policy(1, context)) == nil)
        user.enrol([1, 2])
        let row = try row(Flag.biometryCurrentSet)
        #expect(needsUser(row))
        user.enrol([1])
        #expect(row.refusal(enclave, context)?.rule == .changedEnrolment)
    }

    @Test(
        "with an alternative the item is not lost",
        .rule("access-control.flags.current-set", "access-control.flags.combined"))
    func alternative() throws {
        let row = try row(Flag.biometryCurrentSet | Flag.devicePasscode | Flag.or)
        user.enrol([2])
        for task in [row.task(context), .control(row.flags, context)] {
            // Where it was not tried before, a finger is asked for in vain; then nobody is asked for one again.
            user.will(.touch, .passcode("1234"))
            #expect(enclave.refusal(task) == nil)
            #expect(needsUser(row))
            #expect(enclave.refusal(task) == nil)
            #expect(row.refusal(enclave, context) == nil)
            #expect(user.kinds.suffix(2) == [.finger, .passcode])
            try enclave.invalidate(context)
        }
        #expect(needsUser(row))
        user.will(.passcode("1234"))
        #expect(enclave.refusal(row.task(context)) == nil)
        #expect(row.refusal(enclave, context) == nil)
    }

    @Test(
        "a sensor that is not there proves nothing; with it the item opens again",
        .rule("access-control.flags.current-set"))
    func absentSensor() throws {
        let row = try row(Flag.biometryCurrentSet)
        user.enrol(nil)
        #expect(needsUser(row))
        #expect(enclave.refusal(row.task(context))?.rule == .biometryUnavailable)
        user.enrol([1])
        user.will(.touch)
        #expect(enclave.refusal(row.task(context)) == nil)
        #expect(row.refusal(enclave, context) == nil)
    }
}
