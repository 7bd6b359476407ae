import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Private keys that their user guards (rules access-control.flags.private-key, keys.item.free, keys.use.prompt).
struct AuthenticationKeyTests {
    private let device = TestDevice()
    private let user = TestUser(fingers: [1])
    private let context = AuthenticationContext.test()
    private let enclave: SoftwareEnclave

    init() throws {
        enclave = try device.start(user: user)
        try enclave.setPasscode(TestDevice.passcode("1234"))
    }

    private func task(_ key: SealedKey, _ operation: GuardedOperation) -> AuthenticationTask {
        let guards = [ItemGuard(identifier: key.identifier, flags: key.binding.control)]
        return AuthenticationTask(context: context, purpose: .items(guards: guards, operation), prompt: Prompt())
    }

    private func guarded(_ flags: UInt64) -> KeyBinding { .test(control: flags | Flag.privateKeyUsage) }

    private func rule(_ body: () throws -> Void) -> Refusal.Rule? { refusal(body)?.rule }

    @Test(
        "a key signs, decrypts and exchanges keys when its user has allowed just that, and is found freely",
        .rule("access-control.flags.private-key", "keys.use.prompt"),
        arguments: [Flag.userPresence, Flag.biometryAny, Flag.biometryCurrentSet, Flag.devicePasscode])
    func uses(flags: UInt64) throws {
        let key = try enclave.makeKey(guarded(flags), in: context)
        #expect(user.questions.isEmpty)
        try enclave.checkKey(key)
        let uses: [(GuardedOperation, KeyUse)] = [
            (.useKeySign, .signature), (.useKeyKeyExchange, KeyUse("algid:keyexchange:ECDH", key.publicKey)),
            (.useKeyDecrypt, try .decryption(for: key)),
        ]
        for (operation, use) in uses {
            let refused = refusal { _ = try enclave.useKey(key, use, in: context) }
            #expect(refused?.status == .authNeeded && refused?.rule == .needsUser)
            #expect(rule { _ = try enclave.useKey(key, use) } == .needsUser)
            user.will(flags == Flag.devicePasscode ? .passcode("1234") : .touch)
            #expect(enclave.refusal(task(key, operation)) == nil)
            for (_, other) in uses where other != use {
                #expect(rule { _ = try enclave.useKey(key, other, in: context) } == .needsUser)
            }
            _ = try enclave.useKey(key, use, in: context)
            #expect(rule { _ = try enclave.useKey(key, use, in: context) } == .needsUser)
        }
    }

    @Test("a context that was evaluated lets a key be used many times, and another key not", .rule("keys.use.prompt"))
    func evaluated() throws {
        let (key, other) = (try enclave.makeKey(guarded(1)), try enclave.makeKey(guarded(Flag.biometryAny)))
        user.will(.fallback, .passcode("1234"))
        #expect(enclave.refusal(.control(1 | Flag.privateKeyUsage, context, for: .useKeySign)) == nil)
        for _ in 0..<3 { _ = try enclave.useKey(key, .signature, in: context) }
        #expect(rule { _ = try enclave.useKey(other, .signature, in: context) } == .needsUser)
    }

    @Test(
        "without privateKeyUsage nobody is asked, for the key may not be used",
        .rule("access-control.flags.private-key"))
    func usageFlag() throws {
        let key = try enclave.makeKey(.test(control: Flag.userPresence))
        #expect(rule { _ = try enclave.useKey(key, .signature, in: context) } == .keyUsage)
    }

    @Test("a key that was handed in is guarded as one made inside", .rule("access-control.flags.private-key"))
    func imported() throws {
        let privateKey = try PrivateKey.generate(.rsa, bits: 2048)
        let key = try enclave.importKey(try privateKey.external(), type: 42, guarded(Flag.biometryAny))
        let use = KeyUse("algid:sign:RSA:message-PKCS1v15:SHA256", [1, 2, 3])
        #expect(rule { _ = try enclave.useKey(key, use, in: context) } == .needsUser)
        user.will(.touch)
        #expect(enclave.refusal(task(key, .useKeySign)) == nil)
        _ = try enclave.useKey(key, use, in: context)
    }

    @Test("a key of the present enrolment is lost when it changes", .rule("access-control.flags.current-set"))
    func changedEnrolment() throws {
        let key = try enclave.makeKey(guarded(Flag.biometryCurrentSet))
        user.enrol([1, 2])
        let refused = refusal { _ = try enclave.useKey(key, .signature, in: context) }
        #expect(refused?.status == .authFailed && refused?.rule == .changedEnrolment)
    }

    @Test("a key with a password works with it, and with nothing else", .rule("access-control.password.key"))
    func password() throws {
        #expect(rule { _ = try enclave.makeKey(guarded(Flag.applicationPassword), in: context) } == .needsPassword)
        try enclave.setCredential(TestDevice.passcode("secret"), in: context)
        let key = try enclave.makeKey(guarded(Flag.applicationPassword), in: context)
        let signature = try enclave.useKey(key, .signature, in: context).bytes
        #expect(try key.verifies(signature, KeyUse.signature.input, .messageX962))
        #expect(rule { _ = try enclave.useKey(key, .signature) } == .needsPassword)
        try enclave.setCredential(TestDevice.passcode("Secret"), in: context)
        #expect(rule { _ = try enclave.useKey(key, .signature, in: context) } == .wrongPassword)
        try enclave.checkKey(key)
    }

    @Test("Keys that ask for nothing are of version 1, the others of version 2 and say what they are bound to")
    func versions() throws {
        let plain = try enclave.makeKey(.test())
        #expect(plain.bytes[0] == 1 && plain.guardBinding == nil)
        let present = try enclave.makeKey(guarded(Flag.biometryCurrentSet))
        #expect(present.bytes[0] == 2)
        #expect(present.guardBinding == GuardBinding(enrolment: try user.biometry().enrolment))
        for key in [plain, present] {
            #expect(try SealedKey(decoding: SecretBytes(copying: key.bytes.span)) == key)
        }
    }

    @Test("Any byte of a guarded key that was changed is noticed before the user's part")
    func changed() throws {
        try enclave.setCredential(TestDevice.passcode("secret"), in: context)
        let flags = Flag.biometryCurrentSet | Flag.applicationPassword
        let key = try enclave.makeKey(guarded(flags), in: context)
        for offset in key.bytes.indices {
            var bytes = key.bytes
            bytes[offset] ^= 0x10
            guard let changed = try? SealedKey(decoding: SecretBytes(copying: bytes.span)) else { continue }
            #expect(refusal { _ = try enclave.useKey(changed, .signature, in: context) }?.status == .decode)
        }
    }
}

// MARK: - Rebinding

extension AuthenticationKeyTests {
    @Test("What the user guards is bound to another group freely, its password and enrolment included")
    func otherGroup() throws {
        try enclave.setCredential(TestDevice.passcode("secret"), in: context)
        let flags = Flag.biometryCurrentSet | Flag.applicationPassword | Flag.privateKeyUsage
        let key = try enclave.makeKey(.test(control: flags), in: context)
        let bound = try enclave.rebindKey(key, to: .test(group: "other", control: flags))
        #expect(bound.binding.group == "other" && bound.guardBinding == key.guardBinding)
        user.will(.touch)
        #expect(enclave.refusal(task(bound, .useKeySign)) == nil)
        let signature = try enclave.useKey(bound, .signature, in: context).bytes
        #expect(try key.verifies(signature, KeyUse.signature.input, .messageX962))
    }

    @Test("What the user guards is neither loosened nor tightened without him")
    func loosened() throws {
        let key = try enclave.makeKey(guarded(Flag.userPresence))
        for binding: KeyBinding in [
            .test(), .test(control: 0), .test(.always, control: key.binding.control), guarded(Flag.biometryAny),
        ] {
            let refused = refusal { _ = try enclave.rebindKey(key, to: binding, in: context) }
            #expect(refused?.status == .authNeeded && refused?.rule == .needsUser)
            user.will(.touch)
            #expect(enclave.refusal(task(key, .useKeySign)) == nil)
            #expect(rule { _ = try enclave.rebindKey(key, to: binding, in: context) } == .needsUser)
            user.will(.touch)
            #expect(enclave.refusal(task(key, .useItem)) == nil)
            #expect(try enclave.rebindKey(key, to: binding, in: context).binding == binding)
        }
    }

    @Test("What nobody guards is put behind the user freely, when he can be asked at all")
    func tightened() throws {
        let key = try enclave.makeKey(.test())
        let bound = try enclave.rebindKey(key, to: guarded(Flag.biometryCurrentSet), in: context)
        #expect(bound.guardBinding?.enrolment == (try user.biometry().enrolment))
        #expect(rule { _ = try enclave.useKey(bound, .signature, in: context) } == .needsUser)
        user.enrol([])
        #expect(rule { _ = try enclave.rebindKey(key, to: guarded(Flag.biometryAny)) } == .biometryUnavailable)
        #expect(rule { _ = try enclave.rebindKey(key, to: guarded(Flag.applicationPassword)) } == .needsPassword)
    }

    @Test("A password is taken from a key by whoever has it")
    func passwordTaken() throws {
        try enclave.setCredential(TestDevice.passcode("secret"), in: context)
        let key = try enclave.makeKey(guarded(Flag.applicationPassword), in: context)
        #expect(rule { _ = try enclave.rebindKey(key, to: .test()) } == .needsPassword)
        let bound = try enclave.rebindKey(key, to: .test(), in: context)
        #expect(bound.bytes[0] == 1)
        _ = try enclave.useKey(bound, .signature)
    }
}
