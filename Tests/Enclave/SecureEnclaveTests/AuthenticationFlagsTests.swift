import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Every flag alone and in combinations: what is asked, and what opens (rule access-control.flags.demands).
@Suite(
    .rule(
        "access-control.flags.presence", "access-control.add.free", "access-control.flags.biometry-any",
        "access-control.flags.current-set", "access-control.flags.passcode", "access-control.flags.combined"))
struct AuthenticationFlagsTests {
    private let device = TestDevice()
    private let user = TestUser(fingers: [1])

    private func start(passcode: Bool = true) throws -> SoftwareEnclave {
        let enclave = try device.start(user: user)
        if passcode { try enclave.setPasscode(TestDevice.passcode("1234")) }
        return enclave
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let flags: UInt64
        let answers: [TestUser.Answer]
        let asked: [UserQuestion.Kind]
        var refused: Refusal.Rule?
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "a finger is presence", flags: Flag.userPresence, answers: [.touch], asked: [.finger]),
        Case(
            name: "so is the passcode, in place of a finger", flags: Flag.userPresence,
            answers: [.fallback, .passcode("1234")], asked: [.finger, .passcode]),
        Case(name: "any finger", flags: Flag.biometryAny, answers: [.touch], asked: [.finger]),
        Case(
            name: "never the passcode in place of it", flags: Flag.biometryAny, answers: [.fallback],
            asked: [.finger], refused: .userFallback),
        Case(
            name: "a finger of those enrolled now", flags: Flag.biometryCurrentSet, answers: [.touch],
            asked: [.finger]),
        Case(
            name: "the passcode", flags: Flag.devicePasscode, answers: [.passcode("1234")], asked: [.passcode]),
        Case(
            name: "finger and passcode, which is what several flags mean",
            flags: Flag.biometryAny | Flag.devicePasscode,
            answers: [.touch, .passcode("1234")], asked: [.finger, .passcode]),
        Case(
            name: "And says the same", flags: Flag.biometryCurrentSet | Flag.devicePasscode | Flag.and,
            answers: [.touch, .passcode("1234")], asked: [.finger, .passcode]),
        Case(
            name: "one of two is not both", flags: Flag.biometryAny | Flag.devicePasscode | Flag.and,
            answers: [.touch, .cancel], asked: [.finger, .passcode], refused: .userCanceled),
        Case(
            name: "Or: a finger suffices", flags: Flag.biometryAny | Flag.devicePasscode | Flag.or,
            answers: [.touch], asked: [.finger]),
        Case(
            name: "Or: so does the passcode", flags: Flag.biometryCurrentSet | Flag.devicePasscode | Flag.or,
            answers: [.fallback, .passcode("1234")], asked: [.finger, .passcode]),
        Case(
            name: "Or with a companion that is not there", flags: Flag.companion | Flag.devicePasscode | Flag.or,
            answers: [.passcode("1234")], asked: [.passcode]),
        Case(
            name: "a flag alone with Or is itself", flags: Flag.devicePasscode | Flag.or,
            answers: [.passcode("1234")], asked: [.passcode]),
    ]

    @Test(
        "what is guarded is added without the user, and opens when he has shown what it wants",
        .rule("access-control.item.state", "access-control.add.free"),
        arguments: cases)
    func flags(_ example: Case) throws {
        let enclave = try start()
        let (row, context) = (try GuardedRow(example.flags, in: enclave), AuthenticationContext.test())
        #expect(user.questions.isEmpty)
        for _ in 0..<2 {
            let refused = row.refusal(enclave, context)
            #expect(refused?.status == .authNeeded && refused?.rule == .needsUser)
        }
        #expect(row.refusal(enclave, nil)?.rule == .needsUser)
        for answer in example.answers { user.will(answer) }
        #expect(enclave.refusal(row.task(context))?.rule == example.refused)
        #expect(user.kinds == example.asked)
        #expect(row.refusal(enclave, context)?.rule == (example.refused == nil ? nil : .needsUser))
    }

    struct Impossible: Sendable {
        let flags: UInt64
        let fingers: [UInt8]?
        let passcode: Bool
        let rule: Refusal.Rule?
    }

    @Test(
        "what can never be met is not added, and the refusal says what is missing",
        .rule(
            "access-control.flags.biometry-any", "access-control.flags.current-set", "access-control.flags.passcode",
            "access-control.add.impossible", "access-control.add.explained"),
        arguments: [
            Impossible(flags: Flag.userPresence, fingers: [1], passcode: false, rule: .passcodeNotSet),
            Impossible(flags: Flag.userPresence, fingers: nil, passcode: false, rule: .passcodeNotSet),
            Impossible(flags: Flag.userPresence, fingers: nil, passcode: true, rule: nil),
            Impossible(flags: Flag.devicePasscode, fingers: [1], passcode: false, rule: .passcodeNotSet),
            Impossible(flags: Flag.biometryAny, fingers: nil, passcode: true, rule: .biometryUnavailable),
            Impossible(flags: Flag.biometryAny, fingers: [], passcode: true, rule: .biometryUnavailable),
            Impossible(flags: Flag.biometryAny, fingers: [1], passcode: false, rule: nil),
            Impossible(flags: Flag.biometryCurrentSet, fingers: [], passcode: true, rule: .biometryUnavailable),
            Impossible(flags: Flag.companion, fingers: [1], passcode: true, rule: .companionUnavailable),
            Impossible(
                flags: Flag.companion | Flag.devicePasscode, fingers: [1], passcode: true, rule: .companionUnavailable),
            Impossible(
                flags: Flag.companion | Flag.devicePasscode | Flag.or, fingers: [], passcode: true, rule: nil),
            Impossible(
                flags: Flag.biometryAny | Flag.devicePasscode, fingers: [1], passcode: false, rule: .passcodeNotSet),
            Impossible(
                flags: Flag.biometryCurrentSet | Flag.devicePasscode | Flag.or, fingers: [], passcode: true, rule: nil),
            Impossible(flags: 1 << 2, fingers: [1], passcode: true, rule: .wrongValue),
            Impossible(flags: 1 << 40 | Flag.userPresence | Flag.or, fingers: [1], passcode: true, rule: .wrongValue),
        ])
    func impossible(_ example: Impossible) throws {
        user.enrol(example.fingers)
        let enclave = try start(passcode: example.passcode)
        let refused = refusal { _ = try GuardedRow(example.flags, in: enclave) }
        #expect(refused?.rule == example.rule)
        #expect(refused == nil || refused?.status == .authFailed)
        let key = refusal { _ = try enclave.makeKey(.test(control: example.flags | Flag.privateKeyUsage)) }
        #expect(key == refused)
        #expect(user.questions.isEmpty)
    }

    @Test(
        "a row whose access control asks for nothing opens for everybody",
        .rule("access-control.item.state", "access-control.item.no-demand"))
    func asksForNothing() throws {
        let row = try GuardedRow(0, in: try start())
        #expect(row.refusal(try device.start(), nil)?.rule == .locked)
        let enclave = try device.start()
        try enclave.unlock(passcode: TestDevice.passcode("1234"))
        #expect(row.refusal(enclave, nil) == nil)
    }

    @Test(
        "presence that the passcode met is gone with the passcode, until there is one again",
        .rule("access-control.add.impossible"))
    func passcodeRemoved() throws {
        let enclave = try start()
        user.enrol(nil)
        let (row, context) = (try GuardedRow(Flag.userPresence, in: enclave), AuthenticationContext.test())
        try enclave.removePasscode(TestDevice.passcode("1234"))
        #expect(row.refusal(enclave, context)?.rule == .needsUser)
        let refused = enclave.refusal(row.task(context))
        #expect(refused?.status == .authFailed && refused?.rule == .passcodeNotSet)
        #expect(user.questions.isEmpty)
        try enclave.setPasscode(TestDevice.passcode("new"))
        user.will(.passcode("new"))
        #expect(enclave.refusal(row.task(context)) == nil)
        #expect(row.refusal(enclave, context) == nil)
    }

    @Test(
        "what is guarded opens in the device states of its class, whatever the user has shown",
        .rule("access-control.item.state"))
    func classes() throws {
        let enclave = try start()
        for accessibility in Accessibility.allCases {
            let context = AuthenticationContext.test()
            let row = try GuardedRow(Flag.biometryAny, in: enclave, nil, accessibility)
            try enclave.lock()
            user.will(.touch)
            #expect(enclave.refusal(row.task(context)) == nil)
            let isOpen = accessibility.availability != .whileUnlocked
            #expect(row.refusal(enclave, context)?.rule == (isOpen ? nil : .locked))
            try enclave.unlock(passcode: TestDevice.passcode("1234"))
        }
    }

    @Test("A guarded key that was changed, moved to another row or class, or made elsewhere does not open")
    func changed() throws {
        let enclave = try start()
        let row = try GuardedRow(Flag.biometryCurrentSet, in: enclave)
        let context = AuthenticationContext.test()
        let open: ([UInt8], [UInt8], Accessibility) -> Refusal? = { wrapped, identity, accessibility in
            refusal { _ = try enclave.unwrapGuardedRowKey(wrapped, row: identity, for: accessibility, in: context) }
        }
        for offset in row.wrapped.indices {
            var bytes = row.wrapped
            bytes[offset] ^= 0x10
            #expect(open(bytes, row.identity, .whenUnlocked)?.status == .decode, "byte \(offset)")
        }
        #expect(open(row.wrapped, Randomness.bytes(16), .whenUnlocked)?.status == .decode)
        #expect(open(row.wrapped, row.identity, .always)?.status == .decode)
        #expect(open([], row.identity, .whenUnlocked)?.status == .decode)
        #expect(open(row.wrapped + [0], row.identity, .whenUnlocked)?.status == .decode)
        #expect(open(row.wrapped, [1], .whenUnlocked)?.status == .param)
        #expect(row.refusal(enclave, context)?.rule == .needsUser)
        let other = TestDevice()
        #expect(row.refusal(try other.start(user: user), context)?.status == .decode)
    }

    @Test("A guarded key is no plain one, and a plain one no guarded one")
    func kinds() throws {
        let enclave = try start()
        let guarded = try GuardedRow(0, in: enclave)
        let box = try GuardedRowKey(decoding: guarded.wrapped).box
        #expect(box.count == RowKeyRecord.wrappedBytes)
        let answers = try enclave.unwrap([[1, 0, 0, 0] + guarded.identity + box])
        #expect(answers.outcomes == [.damaged])
        let plain = try TestRow(.whenUnlocked, in: enclave)
        for wrapped in [plain.wrapped, GuardedRowKey(flags: 0, binding: GuardBinding(), box: plain.wrapped).bytes] {
            let refused = refusal {
                _ = try enclave.unwrapGuardedRowKey(wrapped, row: plain.identity, for: .whenUnlocked, in: nil)
            }
            #expect(refused?.status == .decode)
        }
    }
}
