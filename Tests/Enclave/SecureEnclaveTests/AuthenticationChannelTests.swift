import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Prompts and guarded rows, through the channel as without it; one user's prompt delays no other caller.
struct AuthenticationChannelTests {
    private let user = TestUser(fingers: [1])
    private let served: ServedEnclave
    private let context = AuthenticationContext.test()
    private var connection: EnclaveConnection { served.connection }

    init() throws {
        served = try ServedEnclave(user: user)
        try served.connection.setPasscode(TestDevice.passcode("1234"))
    }

    /// Asks on a thread of its own.
    private func asking(_ task: AuthenticationTask, by deadline: Deadline = soon) throws -> (Thread, Monitor<Refusal?>)
    {
        let outcome = Monitor<Refusal?>(nil)
        let thread = try Thread(named: "asking") { [connection] in
            let refused = refusal { _ = try connection.authenticate(task, by: deadline) }
            outcome.update { $0 = refused }
        }
        return (thread, outcome)
    }

    @Test(
        "guarded rows are made and opened through the channel as without it",
        .rule("access-control.item.bound", "access-control.password.mixed"))
    func rows() throws {
        let row = try GuardedRow(Flag.userPresence, in: connection, context)
        #expect(row.refusal(connection, context)?.rule == .needsUser)
        user.will(.touch)
        let result = try connection.authenticate(row.task(context), by: soon)
        #expect(result == AuthenticationResult(factors: .biometry, enrolment: try user.biometry().enrolment))
        #expect(row.refusal(connection, context) == nil)
        #expect(row.refusal(connection, context)?.rule == .needsUser)
        #expect(try connection.capabilities() == (try served.enclave.capabilities()))
        try connection.setCredential(TestDevice.passcode("secret"), in: context)
        let other = try GuardedRow(Flag.applicationPassword, in: connection, context)
        #expect(other.refusal(connection, context) == nil)
        #expect(other.refusal(served.enclave, context) == nil)
        try connection.setCredential(TestDevice.passcode(""), in: context)
        #expect(other.refusal(connection, context)?.rule == .needsPassword)
    }

    @Test("guarded keys are made, used and bound through the channel as without it", .rule("keys.use.prompt"))
    func keys() throws {
        let key = try connection.makeKey(.test(control: Flag.privateKeyUsage | 1), in: context)
        user.will(.touch)
        let task = AuthenticationTask(
            context: context,
            purpose: .items(guards: [ItemGuard(identifier: key.identifier, flags: 1)], .useKeySign), prompt: Prompt())
        _ = try connection.authenticate(task, by: soon)
        let signature = try connection.useKey(key, .signature, in: context).bytes
        #expect(try key.verifies(signature, KeyUse.signature.input, .messageX962))
        #expect(refusal { _ = try connection.useKey(key, .signature, in: context) }?.rule == .needsUser)
        #expect(refusal { _ = try connection.rebindKey(key, to: .test(), in: context) }?.rule == .needsUser)
        user.will(.touch)
        _ = try connection.authenticate(.policy(2, context), by: soon)
        _ = try connection.useKey(try connection.rebindKey(key, to: .test(), in: context), .signature)
    }

    @Test("Every refusal of a prompt arrives as the enclave said it")
    func refusals() throws {
        for answer in [TestUser.Answer.cancel, .timeOut, .unreachable, .gone, .fallback] {
            user.will(answer, answer)
            let expected = served.enclave.refusal(.control(Flag.biometryAny, .test()))
            let got = refusal { _ = try connection.authenticate(.control(Flag.biometryAny, .test()), by: soon) }
            #expect(expected != nil && got == expected)
        }
        for task in [
            AuthenticationTask.policy(9, context),
            .policy(2, AuthenticationContext(identifier: [], caller: context.caller)),
        ] { #expect(refusal { _ = try connection.authenticate(task, by: soon) }?.status == .param) }
    }

    @Test("While users are asked, all else goes on: rows, keys, lock, unlock, passwords; and a context is invalidated")
    func goesOn() throws {
        user.will(.wait)
        // One prompt is open and three wait behind it: these are all the prompt slots.
        let all = (0..<EnclaveChannelFormat.promptSlots).map { _ in AuthenticationContext.test() }
        let threads = try all.map { try asking(.policy(2, $0)) }
        user.wait(for: 1)
        try #require(eventually { served.enclave.user.queue.length >= all.count })
        let row = try TestRow(.whenUnlocked, in: connection)
        for _ in 0..<20 { #expect(try connection.outcome(of: row) == .opened) }
        _ = try connection.status()
        try connection.unlock(passcode: TestDevice.passcode("1234"))
        try connection.setCredential(TestDevice.passcode("x"), in: context)
        // One more waits for a slot, until its own deadline at most.
        let refused = refusal { _ = try connection.authenticate(.policy(2, context), by: .after(milliseconds: 50)) }
        #expect(refused?.status == .notAvailable && refused?.rule == .deadline)
        // The open prompt is withdrawn last, because the next one would open then.
        let asked = user.questions[0].context
        for context in all where context != asked { try connection.invalidate(context) }
        try connection.invalidate(asked)
        for (thread, outcome) in threads {
            thread.join()
            #expect(outcome.update { $0 }?.rule == .withdrawn)
        }
        user.will(.touch)
        _ = try connection.authenticate(.policy(2, context), by: soon)
    }

    @Test("A lock through the channel withdraws the prompt that is open")
    func lock() throws {
        user.will(.wait)
        let (thread, outcome) = try asking(.policy(2, context))
        user.wait(for: 1)
        try connection.lock()
        thread.join()
        #expect(outcome.update { $0 }?.rule == .withdrawn)
        #expect(try connection.status().lockState == .locked)
    }

    @Test("A user who does not answer is waited for until the deadline, and the channel goes on")
    func deadline() throws {
        user.will(.wait)
        let refused = refusal { _ = try connection.authenticate(.policy(2, context), by: .after(milliseconds: 100)) }
        #expect(refused?.status == .notAvailable && refused?.rule == .deadline)
        _ = try connection.status()
    }

    @Test("When the daemon goes its prompts go too, and the enclave's end of the channel ends")
    func daemonGone() throws {
        let device = TestDevice()
        let enclave = try device.start(user: user)
        let (ours, theirs) = try UnixSocket.pair()
        let server = try ServedEnclave.serve(enclave, theirs)
        let connection = try EnclaveConnection(ours)
        try connection.setPasscode(TestDevice.passcode("1234"))
        user.will(.wait)
        let task = AuthenticationTask.policy(2, context)
        let thread = try Thread(named: "asking") { _ = refusal { _ = try connection.authenticate(task, by: soon) } }
        user.wait(for: 1)
        shutdown(theirs.descriptor.number, CInt(SHUT_RDWR))
        server.join()
        thread.join()
        #expect(enclave.user.queue.length == 0)
    }
}
