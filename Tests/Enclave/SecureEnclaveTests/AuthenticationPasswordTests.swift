import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Passwords of the programs' own (rules access-control.password.mixed, access-control.password.credential).
struct AuthenticationPasswordTests {
    private let device = TestDevice()
    private let user = TestUser(fingers: [1])
    private let context = AuthenticationContext.test()
    private let enclave: SoftwareEnclave

    init() throws { enclave = try device.start(user: user) }

    private func set(_ password: String, _ other: AuthenticationContext? = nil) throws {
        try enclave.setCredential(TestDevice.passcode(password), in: other ?? context)
    }

    @Test(
        "an item opens with its password, and with nothing else",
        .rule("access-control.password.mixed", "access-control.password.credential"))
    func opens() throws {
        try set("secret")
        let row = try GuardedRow(Flag.applicationPassword, in: enclave, context)
        #expect(row.refusal(enclave, context) == nil)
        #expect(row.refusal(enclave, context) == nil)
        for other in [nil, AuthenticationContext.test()] {
            let missing = row.refusal(enclave, other)
            #expect(missing?.status == .authNeeded && missing?.rule == .needsPassword)
        }
        try set("Secret")
        let wrong = row.refusal(enclave, context)
        #expect(wrong?.status == .authFailed && wrong?.rule == .wrongPassword)
        try set("")
        #expect(row.refusal(enclave, context)?.rule == .needsPassword)
        try set("secret")
        #expect(row.refusal(enclave, context) == nil)
        #expect(user.questions.isEmpty)
    }

    @Test("Where nobody can or may be asked for it, the refusal says that the password is missing")
    func missing() throws {
        try set("secret")
        let row = try GuardedRow(Flag.applicationPassword, in: enclave, context)
        let other = AuthenticationContext.test()
        var task = row.task(other)
        for interaction in [Prompt.Interaction.any, .never] {
            task.prompt.interaction = interaction
            user.will(.unreachable)
            let refused = enclave.refusal(task)
            #expect(refused?.status == .interactionNotAllowed && refused?.rule == .needsPassword)
        }
        let alone = try device.start()
        let refused = alone.refusal(row.task(other))
        #expect(refused?.status == .interactionNotAllowed && refused?.rule == .needsPassword)
        let presence = try GuardedRow(Flag.applicationPassword | Flag.biometryAny, in: enclave, context)
        #expect(alone.refusal(presence.task(other))?.rule == .unreachable)
    }

    @Test("it works where nobody can be asked, and after a restart", .rule("access-control.password.credential"))
    func withoutAgent() throws {
        let plain = try device.start()
        try plain.setCredential(TestDevice.passcode("secret"), in: context)
        let row = try GuardedRow(Flag.applicationPassword, in: plain, context)
        let restarted = try device.start()
        #expect(row.refusal(restarted, context)?.rule == .needsPassword)
        try restarted.setCredential(TestDevice.passcode("secret"), in: context)
        #expect(row.refusal(restarted, context) == nil)
        #expect(restarted.refusal(.control(Flag.applicationPassword, .test()))?.rule == .needsPassword)
    }

    @Test(
        "without a password nothing is added, and the user is asked for one, twice as the agent does it",
        .rule("access-control.password.mixed"))
    func chosen() throws {
        let refused = refusal { _ = try GuardedRow(Flag.applicationPassword, in: enclave, context) }
        #expect(refused?.status == .authNeeded && refused?.rule == .needsPassword)
        user.will(.passcode(""), .passcode("chosen"))
        #expect(enclave.refusal(.control(Flag.applicationPassword, context, for: .createItem)) == nil)
        #expect(user.kinds == [.newApplicationPassword, .newApplicationPassword])
        let row = try GuardedRow(Flag.applicationPassword, in: enclave, context)
        try enclave.invalidate(context)
        try set("chosen")
        #expect(row.refusal(enclave, context) == nil)
    }

    @Test("making something asks the user for its password and for nothing else", .rule("access-control.add.free"))
    func makingAsksNothing() throws {
        for operation in [GuardedOperation.createItem, .createKey] {
            #expect(enclave.refusal(.control(Flag.biometryAny, context, for: operation)) == nil)
            #expect(user.questions.isEmpty)
            // And it is no proof of anything.
            #expect(try GuardedRow(Flag.biometryAny, in: enclave).refusal(enclave, context)?.rule == .needsUser)
        }
    }

    @Test(
        "a password that is lacking is asked for; one that was mistyped is forgotten, one that was set is not",
        .rule("access-control.password.mixed"))
    func typed() throws {
        try set("secret")
        let row = try GuardedRow(Flag.applicationPassword, in: enclave, context)
        #expect(enclave.refusal(row.task(context)) == nil)
        #expect(user.questions.isEmpty)
        let other = AuthenticationContext.test()
        user.will(.passcode("wrong"), .passcode("secret"))
        #expect(enclave.refusal(row.task(other)) == nil)
        #expect(row.refusal(enclave, other)?.rule == .wrongPassword)
        #expect(row.refusal(enclave, other)?.rule == .needsPassword)
        #expect(enclave.refusal(row.task(other)) == nil)
        #expect(row.refusal(enclave, other) == nil)
        #expect(user.kinds == [.applicationPassword, .applicationPassword])
        try set("wrong", other)
        for _ in 0..<2 { #expect(row.refusal(enclave, other)?.rule == .wrongPassword) }
    }

    @Test("password and finger are both asked for, in one conversation", .rule("access-control.password.mixed"))
    func withDemand() throws {
        try set("secret")
        let row = try GuardedRow(Flag.applicationPassword | Flag.biometryAny, in: enclave, context)
        #expect(row.refusal(enclave, context)?.rule == .needsUser)
        let other = AuthenticationContext.test()
        user.will(.touch, .passcode("secret"))
        #expect(enclave.refusal(row.task(other)) == nil)
        #expect(user.kinds == [.finger, .applicationPassword])
        #expect(row.refusal(enclave, other) == nil)
        #expect(row.refusal(enclave, other)?.rule == .needsUser)
        // A grant is not spent while the password is lacking.
        user.will(.touch)
        #expect(enclave.refusal(row.task(context)) == nil)
        try set("")
        #expect(row.refusal(enclave, context)?.rule == .needsPassword)
        try set("secret")
        #expect(row.refusal(enclave, context) == nil)
    }

    @Test(
        "Or does not make the password an alternative",
        .rule("access-control.flags.combined", "access-control.password.mixed"))
    func noAlternative() throws {
        try set("secret")
        let row = try GuardedRow(Flag.applicationPassword | Flag.or, in: enclave, context)
        #expect(row.refusal(enclave, context) == nil)
        #expect(row.refusal(enclave, nil)?.rule == .needsPassword)
    }

    @Test("A password is forgotten with its context, its time and the lock")
    func forgotten() throws {
        let ends: [(SoftwareEnclave) throws -> Void] = [
            { try $0.lock() }, { [context] in try $0.invalidate(context) },
            { [device] _ in device.clock.advance(by: 300) }, { [device] _ in device.clock.reboot() },
        ]
        for end in ends {
            try set("secret")
            let row = try GuardedRow(Flag.applicationPassword, in: enclave, context)
            try end(enclave)
            #expect(row.refusal(enclave, context)?.rule == .needsPassword)
        }
    }

    @Test("Of too many passwords the oldest goes")
    func bounded() throws {
        let contexts = (0...ContextPasswords.limit).map { _ in AuthenticationContext.test() }
        for context in contexts { try set("secret", context) }
        let row = try GuardedRow(Flag.applicationPassword, in: enclave, contexts[1])
        #expect(row.refusal(enclave, contexts[0])?.rule == .needsPassword)
        for context in contexts.dropFirst() { #expect(row.refusal(enclave, context) == nil) }
    }

    @Test("What cannot be read as a password is refused, and the one before it stays")
    func unreadable() throws {
        try set("secret")
        let row = try GuardedRow(Flag.applicationPassword, in: enclave, context)
        for file in [
            try FileDescriptor.open("/dev/zero", O_RDONLY),
            try TestDevice.passcode([UInt8](repeating: 1, count: WireLimits.passcodeBytes + 1)),
        ] {
            #expect(refusal { try enclave.setCredential(file, in: context) }?.status == .param)
            #expect(row.refusal(enclave, context) == nil)
        }
    }
}
