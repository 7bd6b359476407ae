import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// One prompt at a time: who waits, who is served along, and what ends a prompt.
struct AuthenticationPromptTests {
    private let device = TestDevice()
    private let user = TestUser(fingers: [1])
    private let context = AuthenticationContext.test()
    private let enclave: SoftwareEnclave

    init() throws {
        enclave = try device.start(user: user)
        try enclave.setPasscode(TestDevice.passcode("1234"))
    }

    /// Asks on a thread of its own.
    private final class Asking: Sendable {
        private let outcome = Monitor<Refusal??>(nil)
        private let thread: Thread

        init(_ enclave: SoftwareEnclave, _ task: AuthenticationTask, by deadline: Deadline = soon) throws {
            thread = try Thread(named: "asking") { [outcome] in
                let refusal = enclave.refusal(task, by: deadline)
                outcome.update { $0 = .some(refusal) }
            }
        }

        var hasEnded: Bool { outcome.update { $0 != nil } }

        /// The refusal that it got.
        func end() -> Refusal? {
            thread.join()
            return outcome.update { $0 ?? nil }
        }
    }

    /// Waits until so many stand in the line, the one who has the user included.
    private func waitForLine(_ count: Int) {
        #expect(eventually { enclave.user.queue.length >= count })
    }

    @Test("While the user is asked everything else goes on")
    func goesOn() throws {
        let row = try TestRow(.whenUnlocked, in: enclave)
        user.will(.wait)
        let asking = try Asking(enclave, .policy(2, context))
        user.wait(for: 1)
        #expect(try enclave.outcome(of: row) == .opened)
        try enclave.unlock(passcode: TestDevice.passcode("1234"))
        _ = try enclave.capabilities()
        _ = try enclave.makeKey(.test())
        try enclave.setCredential(TestDevice.passcode("x"), in: context)
        #expect(!asking.hasEnded)
        try enclave.invalidate(context)
        #expect(asking.end()?.rule == .withdrawn)
    }

    @Test("A second prompt waits for the first one, and no longer than its own deadline")
    func oneAtATime() throws {
        user.will(.wait)
        let first = try Asking(enclave, .policy(2, context))
        user.wait(for: 1)
        let other = AuthenticationContext.test()
        let late = enclave.refusal(.policy(2, other), by: .after(milliseconds: 30))
        #expect(late?.status == .notAvailable && late?.rule == .deadline)
        let second = try Asking(enclave, .policy(2, other))
        waitForLine(2)
        #expect(user.questions.count == 1)
        user.will(.touch)
        try enclave.invalidate(context)
        #expect(first.end()?.rule == .withdrawn)
        #expect(second.end() == nil)
        #expect(user.questions.map(\.context) == [context, other])
    }

    @Test("What lacks nothing waits behind nobody")
    func nothingLacking() throws {
        user.will(.touch, .wait)
        #expect(enclave.refusal(.policy(2, context)) == nil)
        let other = AuthenticationContext.test()
        let asking = try Asking(enclave, .policy(2, other))
        user.wait(for: 2)
        #expect(enclave.refusal(.policy(2, context), by: soon) == nil)
        try enclave.invalidate(other)
        _ = asking.end()
    }

    @Test("Equal requests that wait are served by one answer, each with a use of its own")
    func coalesced() throws {
        let row = try GuardedRow(Flag.userPresence, in: enclave)
        user.will(.wait)
        let blocking = try Asking(enclave, .policy(2, .test()))
        user.wait(for: 1)
        user.will(.touch)
        let equal = try (0..<3).map { _ in try Asking(enclave, row.task(context)) }
        waitForLine(4)
        enclave.user.queue.withdraw(user.questions[0].context, from: user)
        #expect(blocking.end()?.rule == .withdrawn)
        for asking in equal { #expect(asking.end() == nil) }
        #expect(user.questions.count == 2)
        for _ in 0..<3 { #expect(row.refusal(enclave, context) == nil) }
        #expect(row.refusal(enclave, context)?.rule == .needsUser)
    }

    @Test("A request of another caller, context or purpose is asked for itself")
    func notCoalesced() throws {
        let row = try GuardedRow(Flag.userPresence, in: enclave)
        user.will(.wait)
        let blocking = try Asking(enclave, .policy(2, context))
        user.wait(for: 1)
        let tasks = [
            row.task(context), row.task(context, for: .useKeySign), row.task(.test()),
            row.task(AuthenticationContext(identifier: context.identifier, caller: [UInt8](repeating: 7, count: 32))),
        ]
        user.will(.touch, .touch, .touch, .touch)
        let others = try tasks.map { try Asking(enclave, $0) }
        waitForLine(5)
        user.withdraw(context)
        #expect(blocking.end()?.rule == .withdrawn)
        for asking in others { #expect(asking.end() == nil) }
        #expect(user.questions.count == 5)
    }

    @Test("When the user refuses the one who asked, the equal one behind him is asked for itself")
    func refusedFirst() throws {
        user.will(.wait)
        let first = try Asking(enclave, .policy(2, context))
        user.wait(for: 1)
        let second = try Asking(enclave, .policy(2, context))
        waitForLine(2)
        user.will(.touch)
        user.withdraw(context)
        #expect(first.end()?.rule == .withdrawn)
        #expect(second.end() == nil)
    }

    @Test("Invalidating a context withdraws those who wait in it as well")
    func invalidated() throws {
        user.will(.wait)
        let first = try Asking(enclave, .policy(2, .test()))
        user.wait(for: 1)
        let second = try Asking(enclave, .policy(2, context))
        waitForLine(2)
        try enclave.invalidate(context)
        #expect(second.end()?.rule == .withdrawn)
        #expect(!first.hasEnded)
        try enclave.invalidate(user.questions[0].context)
        let refused = first.end()
        #expect(refused?.status == .authFailed && refused?.rule == .withdrawn)
        #expect(user.questions.count == 1)
    }

    @Test("A lock withdraws all prompts, and what comes of one counts no more")
    func lockWithdraws() throws {
        let row = try GuardedRow(Flag.userPresence, in: enclave, nil, .always)
        user.will(.wait)
        let asking = [try Asking(enclave, row.task(context)), try Asking(enclave, .policy(2, .test()))]
        user.wait(for: 1)
        waitForLine(2)
        try enclave.lock()
        for asking in asking { #expect(asking.end()?.rule == .withdrawn) }
        #expect(row.refusal(enclave, context)?.rule == .needsUser)
        #expect(enclave.user.queue.length == 0)
    }

    @Test("Threads that ask, lock, unlock and invalidate at once do each other no harm")
    func threads() throws {
        let row = try GuardedRow(Flag.devicePasscode, in: enclave, nil, .always)
        for _ in 0..<200 { user.will(.passcode("1234")) }
        let threads = try (0..<4).map { number in
            try Thread(named: "threads") {
                for _ in 0..<25 {
                    let context = AuthenticationContext.test(caller: UInt8(number))
                    if number == 0 {
                        try? enclave.lock()
                        try? enclave.unlock(passcode: TestDevice.passcode("1234"))
                    } else if enclave.refusal(row.task(context)) == nil {
                        _ = row.refusal(enclave, context)
                    }
                    try? enclave.invalidate(context)
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(enclave.user.queue.length == 0)
        #expect(enclave.user.grants.withLock { $0.count } == 0)
    }
}
