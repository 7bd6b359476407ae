import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// A grant counts once, for one thing, one caller, one context, one operation, and for a short time.
struct AuthenticationGrantTests {
    private let device = TestDevice()
    private let user = TestUser(fingers: [1])
    private let context = AuthenticationContext.test()
    private let enclave: SoftwareEnclave

    init() throws {
        enclave = try device.start(user: user)
        try enclave.setPasscode(TestDevice.passcode("1234"))
    }

    private func row(_ flags: UInt64 = Flag.userPresence) throws -> GuardedRow { try GuardedRow(flags, in: enclave) }

    private func needsUser(_ row: GuardedRow, _ context: AuthenticationContext? = nil) -> Bool {
        row.refusal(enclave, context ?? self.context)?.rule == .needsUser
    }

    @Test("A request's grant opens its item once")
    func once() throws {
        let row = try row()
        user.will(.touch)
        #expect(enclave.refusal(row.task(context)) == nil)
        #expect(row.refusal(enclave, context) == nil)
        #expect(needsUser(row))
    }

    @Test("A request's grant opens each of its items once, and no other")
    func eachOnce() throws {
        let rows = [try row(), try row(Flag.devicePasscode), try row(Flag.biometryCurrentSet)]
        let other = try row()
        user.will(.touch, .passcode("1234"))
        #expect(enclave.refusal(.items(rows, context)) == nil)
        #expect(needsUser(other))
        for row in rows { #expect(row.refusal(enclave, context) == nil) }
        for row in rows { #expect(needsUser(row)) }
    }

    @Test("What was shown in one context counts in no other, nor for another caller")
    func contexts() throws {
        let row = try row()
        for task in [row.task(context), .policy(2, context), .control(row.flags, context)] {
            user.will(.touch)
            #expect(enclave.refusal(task) == nil)
            let others = [
                AuthenticationContext.test(),
                AuthenticationContext(identifier: context.identifier, caller: [UInt8](repeating: 9, count: 32)),
                AuthenticationContext(identifier: Randomness.bytes(16), caller: context.caller),
            ]
            for other in others { #expect(needsUser(row, other)) }
            #expect(row.refusal(enclave, context) == nil)
            try enclave.invalidate(context)
        }
    }

    @Test("What was shown for one operation counts for no other")
    func operations() throws {
        let row = try row()
        for operation in GuardedOperation.allCases where operation != .useItem && !operation.isMaking {
            user.will(.touch, .touch)
            #expect(enclave.refusal(row.task(context, for: operation)) == nil)
            #expect(enclave.refusal(.control(row.flags, context, for: operation)) == nil)
            #expect(needsUser(row))
        }
        #expect(user.questions.count == 6)
    }

    @Test("What was shown for one access control opens nothing under another, though it would be enough")
    func otherFlags() throws {
        user.will(.touch)
        #expect(enclave.refusal(.control(Flag.biometryAny, context)) == nil)
        #expect(needsUser(try row(Flag.userPresence)))
        #expect(needsUser(try row(Flag.biometryAny | Flag.or)))
        for _ in 0..<3 { #expect(try row(Flag.biometryAny).refusal(enclave, context) == nil) }
    }

    @Test("What was shown for a policy opens all that it is enough for, and asks nobody again")
    func policy() throws {
        user.will(.touch)
        #expect(enclave.refusal(.policy(2, context)) == nil)
        for flags in [Flag.userPresence, Flag.biometryAny, Flag.biometryCurrentSet] {
            #expect(enclave.refusal(.control(flags, context)) == nil)
            for _ in 0..<2 { #expect(try row(flags).refusal(enclave, context) == nil) }
        }
        #expect(enclave.refusal(.policy(1, context)) == nil)
        #expect(needsUser(try row(Flag.devicePasscode)))
        #expect(user.questions.count == 1)
        // The prompt asks for the missing factor, and for no other.
        let both = try row(Flag.biometryAny | Flag.devicePasscode)
        #expect(needsUser(both))
        user.will(.passcode("1234"))
        #expect(enclave.refusal(both.task(context)) == nil)
        #expect(user.kinds == [.finger, .passcode])
        #expect(both.refusal(enclave, context) == nil)
        #expect(needsUser(both))
    }

    @Test("The daemon's word on what guards an item counts for the question, the item's own for the answer")
    func lies() throws {
        let row = try row(Flag.devicePasscode)
        for flags in [0, Flag.biometryAny, Flag.userPresence] {
            user.will(.touch)
            let guards = [ItemGuard(identifier: row.identity, flags: flags)]
            let task = AuthenticationTask(context: context, purpose: .items(guards: guards, .useItem), prompt: Prompt())
            #expect(enclave.refusal(task) == nil)
            #expect(needsUser(row))
        }
    }

    @Test("A request's grant ends after a minute, a context's after five", arguments: [false, true])
    func expiry(isContext: Bool) throws {
        let (first, second) = (try row(), try row())
        user.will(.touch)
        #expect(enclave.refusal(isContext ? .policy(2, context) : .items([first, second], context)) == nil)
        device.clock.advance(by: isContext ? 299 : 59)
        #expect(first.refusal(enclave, context) == nil)
        device.clock.advance(by: 1)
        #expect(needsUser(second))
    }

    @Test("Asking again does not make old proof young")
    func noRenewal() throws {
        user.will(.touch)
        #expect(enclave.refusal(.policy(2, context)) == nil)
        for _ in 0..<3 {
            device.clock.advance(by: 99)
            #expect(enclave.refusal(.policy(2, context)) == nil)
            #expect(enclave.refusal(.control(Flag.userPresence, context)) == nil)
        }
        device.clock.advance(by: 99)
        #expect(needsUser(try row()))
    }

    @Test("A lock, a change of the passcode and a restart of the system end all grants")
    func dropped() throws {
        let ends: [(SoftwareEnclave) throws -> Void] = [
            {
                try $0.lock()
                try $0.unlock(passcode: TestDevice.passcode("1234"))
            },
            { try $0.changePasscode(from: TestDevice.passcode("1234"), to: TestDevice.passcode("4321")) },
            { try $0.removePasscode(TestDevice.passcode("4321")) },
            { try $0.setPasscode(TestDevice.passcode("1234")) },
            {
                [device] in
                device.clock.reboot()
                try $0.unlock(passcode: TestDevice.passcode("1234"))
            },
            { [context] in try $0.invalidate(context) },
        ]
        for end in ends {
            let single = try row(Flag.biometryAny)
            user.will(.touch, .touch)
            #expect(enclave.refusal(single.task(context)) == nil)
            #expect(enclave.refusal(.control(Flag.biometryAny, context)) == nil)
            try end(enclave)
            #expect(needsUser(single))
            #expect(needsUser(try row(Flag.biometryAny)))
        }
    }

    @Test("A passcode that another process has changed ends all grants")
    func changedElsewhere() throws {
        let row = try GuardedRow(Flag.userPresence, in: enclave, nil, .always)
        user.will(.touch)
        #expect(enclave.refusal(row.task(context)) == nil)
        try device.start().changePasscode(from: TestDevice.passcode("1234"), to: TestDevice.passcode("4321"))
        #expect(needsUser(row))
    }

    @Test("A passcode in a prompt does not unlock the device")
    func locked() throws {
        let plain = try TestRow(.whenUnlocked, in: enclave)
        try enclave.lock()
        user.will(.fallback, .passcode("1234"))
        #expect(enclave.refusal(.policy(2, context)) == nil)
        #expect(try enclave.status().lockState == .locked)
        #expect(try enclave.outcome(of: plain) == .locked)
    }

    @Test("Of too many grants the oldest goes")
    func bounded() throws {
        let rows = try (0...Grants.limit).map { _ in try row() }
        for row in rows {
            user.will(.touch)
            #expect(enclave.refusal(row.task(context)) == nil)
        }
        #expect(enclave.user.grants.withLock { $0.count } == Grants.limit)
        #expect(needsUser(rows[0]))
        for row in rows.dropFirst() { #expect(row.refusal(enclave, context) == nil) }
    }

    @Test("Identifiers of a strange size, and more items than a request has, are refused")
    func malformed() throws {
        for guards in [
            [ItemGuard(identifier: [1], flags: 1)], [ItemGuard(identifier: [], flags: 1)],
            (0...AuthenticationTask.mostGuards).map { _ in ItemGuard(identifier: Randomness.bytes(16), flags: 1) },
        ] {
            let task = AuthenticationTask(context: context, purpose: .items(guards: guards, .useItem), prompt: Prompt())
            #expect(enclave.refusal(task)?.status == .param)
        }
        #expect(user.questions.isEmpty)
    }
}
