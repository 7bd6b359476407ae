import EnclaveWire
import FileFormat
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Recovery recipients that the keychain gives each new protected file.
@Suite("The keychain's recovery recipients") struct FileRecoveryTests {
    private let device = TestDevice()
    private let file = FileID()

    private static func identities(_ count: Int) throws -> [RecoveryIdentity] {
        var made: [RecoveryIdentity] = []
        for _ in 0..<count { made.append(try RecoveryIdentity()) }
        return made
    }

    private func texts(_ identities: [RecoveryIdentity]) -> RecoveryTexts {
        RecoveryTexts(identities.map(\.recipient.text))
    }

    private func set(
        _ recipients: RecoveryTexts, in enclave: any EnclaveService, _ passcode: String = "right"
    ) throws(Refusal) {
        let file: FileDescriptor
        do { file = try TestDevice.passcode(passcode) } catch { throw .malformed("a passcode") }
        try enclave.setFileRecovery(recipients, by: .passcode, file)
    }

    @Test("Recipients are kept from one start to the next, and go as they came: with the passcode")
    func kept() throws {
        let served = try ServedEnclave()
        try served.connection.setPasscode(TestDevice.passcode("right"))
        let recipients = texts(try Self.identities(7))
        try set(recipients, in: served.connection)
        let again = try served.device.start(createIfMissing: false)
        #expect(try served.connection.details().recovery == recipients && again.details().recovery == recipients)
        #expect(try served.device.content()[8] == 6)
        try again.changePasscode(from: TestDevice.passcode("right"), to: TestDevice.passcode("new"))
        #expect(try again.details().recovery == recipients)
        try set(.none, in: again, "new")
        #expect(try again.details().recovery == .none && served.device.content()[8] == 4)
    }

    @Test("Nobody sets one without the passcode, and a guess is counted")
    func guarded() throws {
        let one = texts(try Self.identities(1))
        let open = try device.start()
        #expect(refusal { try set(one, in: open) }?.rule == .passcodeNotSet)
        let enclave = try device.start(passcode: "right")
        #expect(refusal { try set(one, in: enclave, "wrong") }?.rule == .wrongPasscode)
        #expect(try enclave.status().failedAttempts == 1 && enclave.details().recovery == .none)
        try set(one, in: enclave)
        #expect(refusal { try set(.none, in: enclave, "wrong") }?.rule == .wrongPasscode)
        #expect(try enclave.details().recovery == one)
    }

    @Test("What is no recipient is refused, before the passcode is looked at")
    func foreign() throws {
        let enclave = try device.start(passcode: "right")
        // Anybody shares a secret with the point zero.
        let zero = try #require(RecoveryRecipient([UInt8](repeating: 0, count: 32))).text
        for text in ["", "age1", "AGE-SECRET-KEY-1", zero] {
            #expect(refusal { try set(RecoveryTexts([text]), in: enclave, "wrong") }?.rule == .wrongValue)
        }
        #expect(refusal { try set(texts(try! Self.identities(8)), in: enclave) }?.rule == .tooLarge)
        #expect(try enclave.status().failedAttempts == 0 && enclave.details().recovery == .none)
        let identity = try RecoveryIdentity()
        try set(texts([identity, identity]), in: enclave)
        #expect(try enclave.details().recovery == texts([identity]))
    }

    @Test("Each new file opens for them, also of class B while it is locked; a file of this device alone does not")
    func wraps() throws {
        let served = try ServedEnclave()
        try served.connection.setPasscode(TestDevice.passcode("right"))
        try served.connection.unlock(passcode: TestDevice.passcode("right"))
        let identities = try Self.identities(2)
        func shelf(_ protection: FileProtection, _ place: Int) throws -> Shelf {
            try served.connection.makeShelf(protection, .test(protection.accessibilities[place]), in: nil)
        }
        let unlessOpen = try shelf(.completeUnlessOpen, 0)
        #expect(try served.connection.makeFileKey(of: file, in: unlessOpen, in: nil).recovery.isEmpty)
        try set(texts(identities), in: served.connection)
        for protection in FileProtection.allCases {
            let made = try served.connection.makeFileKey(of: file, in: shelf(protection, 0), in: nil)
            #expect(made.recovery.map(\.shelf) == identities.map(\.recipient.id))
            for (slot, identity) in zip(made.recovery, identities) {
                #expect(try slot.fileKey(of: file, by: identity)?.isEqual(to: made.key) == true)
                #expect(try slot.fileKey(of: FileID(), by: identity) == nil)
            }
            let ofDevice = try served.connection.makeFileKey(of: file, in: shelf(protection, 1), in: nil)
            #expect(ofDevice.recovery.isEmpty)
        }
        try served.connection.lock()
        #expect(try served.connection.makeFileKey(of: file, in: unlessOpen, in: nil).recovery.count == 2)
        // Another process of the same vault gives what is there now.
        let other = try served.device.start(createIfMissing: false)
        try set(.none, in: other)
        #expect(try served.connection.makeFileKey(of: file, in: unlessOpen, in: nil).recovery.isEmpty)
    }

    @Test("A vault has circle and recipients, and is the earliest version that has room for what is there")
    func besideACircle() throws {
        let machine = try CircleMachine()
        let device = machine.served.device
        let recipients = texts(try Self.identities(1))
        _ = try machine.enter()
        try set(recipients, in: machine.connection, CircleMachine.passcode)
        let state = try machine.state
        let again = try device.start(createIfMissing: false)
        try again.unlock(passcode: TestDevice.passcode(CircleMachine.passcode))
        #expect(try device.content()[8] == 6 && again.circle() == state && again.details().recovery == recipients)
        try set(.none, in: again, CircleMachine.passcode)
        #expect(try device.content()[8] == 5 && again.circle() == state)
        try set(recipients, in: machine.connection, CircleMachine.passcode)
        machine.user.will(.passcode(CircleMachine.passcode))
        try machine.connection.leaveCircle(asking: CircleMachine.question, by: soon)
        #expect(try device.content()[8] == 6 && machine.connection.details().recovery == recipients)
    }

    @Test("A vault of an earlier release takes recipients", arguments: ["v1-passcode", "v2-passcode", "v3-passcode"])
    func older(_ name: String) throws {
        try device.replaceContent(with: try VaultFixtures.bytes("\(name).vault"))
        let enclave = try device.start(createIfMissing: false)
        let (key, recipients) = (try enclave.indexKey(), texts(try Self.identities(1)))
        try set(recipients, in: enclave)
        let again = try device.start(createIfMissing: false)
        #expect(try again.details().recovery == recipients && device.content()[8] == 6)
        #expect(try again.indexKey().isEqual(to: key))
    }

    /// Writes recipients into the vault's file as somebody does who has no passcode: the key of its seal is in there.
    private func forge(_ identity: RecoveryIdentity) throws {
        let content = try device.content()
        var vault = try Vault(decoding: content.span, .softwareOnly)
        let proof = vault.recoveryProof.isEmpty ? [UInt8](repeating: 0, count: 28) : vault.recoveryProof
        vault.keep(recovery: vault.recovery + [identity.recipient], proof: proof)
        vault.note(.content)
        let forged = try vault.encoded().withSpan { bytes in bytes.indices.map { bytes[$0] } }
        try device.replaceContent(with: forged)
    }

    @Test("Recipients that somebody has written into the vault without the passcode open no new file")
    func forged() throws {
        let enclave = try device.start(passcode: "right")
        try enclave.unlock(passcode: TestDevice.passcode("right"))
        var shelves: [FileProtection: Shelf] = [:]
        for protection in FileProtection.allCases {
            shelves[protection] = try enclave.makeShelf(protection, .test(protection.accessibilities[0]), in: nil)
        }
        let own = try RecoveryIdentity()
        for isAdded in [false, true] {
            if isAdded { try set(texts([own]), in: enclave) }
            try forge(try RecoveryIdentity())
            for shelf in shelves.values {
                let refused = refusal { _ = try enclave.makeFileKey(of: file, in: shelf, in: nil) }
                #expect(refused?.status == .decode && refused?.problem.contains("without its password") == true)
            }
            // They are shown, and somebody with the passcode says which ones count.
            #expect(try enclave.details().recovery.texts.count == (isAdded ? 2 : 1))
            try set(texts([own]), in: enclave)
            for shelf in shelves.values {
                let made = try enclave.makeFileKey(of: file, in: shelf, in: nil)
                #expect(made.recovery.map(\.shelf) == [own.recipient.id])
            }
        }
        try set(.none, in: enclave)
        for shelf in shelves.values {
            #expect(try enclave.makeFileKey(of: file, in: shelf, in: nil).recovery.isEmpty)
        }
    }

    @Test("Before the first unlock only files that open for everybody get recipients that nothing proves yet")
    func beforeFirstUnlock() throws {
        let first = try device.start(passcode: "right")
        try first.unlock(passcode: TestDevice.passcode("right"))
        let own = try RecoveryIdentity()
        try set(texts([own]), in: first)
        let unlessOpen = try first.makeShelf(.completeUnlessOpen, .test(.whenUnlocked), in: nil)
        let always = try first.makeShelf(.none, .test(FileProtection.none.accessibilities[0]), in: nil)
        let again = try device.start(createIfMissing: false)
        #expect(refusal { _ = try again.makeFileKey(of: file, in: unlessOpen, in: nil) }?.rule == .locked)
        #expect(try again.makeFileKey(of: file, in: always, in: nil).recovery.count == 1)
        try again.unlock(passcode: TestDevice.passcode("right"))
        try again.lock()
        #expect(try again.makeFileKey(of: file, in: unlessOpen, in: nil).recovery.count == 1)
        // The proof outlives a change of the passcode.
        try again.changePasscode(from: TestDevice.passcode("right"), to: TestDevice.passcode("new"))
        #expect(try again.makeFileKey(of: file, in: unlessOpen, in: nil).recovery.count == 1)
    }

    @Test("A vault with any bit of its recipients changed, or cut off, is damaged and stays as it is")
    func damaged() throws {
        let enclave = try device.start(passcode: "right")
        try set(texts(try Self.identities(2)), in: enclave)
        let content = try device.content()
        for place in content.indices {
            var changed = content
            changed[place] ^= 1 << UInt8(place % 8)
            try device.replaceContent(with: changed)
            let status = refusal { _ = try device.start(createIfMissing: false) }?.status
            #expect(status == .decode || (8..<10).contains(place) && status == .notAvailable, "bit at \(place)")
            #expect(try device.content() == changed)
        }
        for count in 1...96 {
            try device.replaceContent(with: Array(content.dropLast(count)))
            #expect(refusal { _ = try device.start(createIfMissing: false) }?.status == .decode)
        }
    }
}
