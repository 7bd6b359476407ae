import EnclaveWire
import Glibc
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import SecureEnclave
import TestSupport
import Testing

/// The channel between daemon and enclave: what comes out at one end is what went in at the other.
struct ChannelTests: Sendable {
    let served: ServedEnclave
    private var connection: EnclaveConnection { served.connection }

    init() throws { served = try ServedEnclave() }

    @Test("keys are made, wrapped and opened through the channel as without it", .rule("protection.storage.channel"))
    func keys() throws {
        let direct = try served.device.start()
        #expect(try connection.indexKey().isEqual(to: direct.indexKey()))
        let (key, wrapped) = try connection.makeMetadataKey(for: .afterFirstUnlock)
        #expect(try direct.unwrapMetadataKey(wrapped, for: .afterFirstUnlock).isEqual(to: key))
        #expect(try connection.unwrapMetadataKey(wrapped, for: .afterFirstUnlock).isEqual(to: key))
        for accessibility in Accessibility.allCases.dropLast() {
            let row = try TestRow(accessibility, in: connection)
            let answers = try direct.unwrap([row.record])
            #expect(answers.outcomes == [.opened])
            #expect(answers.keys[0].isEqual(to: row.key))
            #expect(try connection.outcome(of: row) == .opened)
        }
    }

    @Test("More row keys than a slot has room for are wrapped in parts", arguments: [1, 544, 545, 682, 683, 1500])
    func manyRowKeys(count: Int) throws {
        let rows = Randomness.bytes(count * RowKeyRecord.unwrappedSize)
        let wrapped = SecretBuffer()
        try connection.wrapRowKeys(rows.span, for: .always, into: wrapped)
        #expect(wrapped.count == count * RowKeyRecord.wrappedBytes)
        let last = (count - 1) * RowKeyRecord.unwrappedSize
        let record = SecretBuffer()
        record.append(littleEndian: UInt32(Accessibility.always.rawValue))
        record.append(rows.span.extracting(last + RowKeyRecord.keyBytes..<rows.count))
        wrapped.withSpan { record.append($0.extracting((count - 1) * RowKeyRecord.wrappedBytes..<wrapped.count)) }
        let opened = SecretBuffer()
        try record.withSpan { (record) throws(Refusal) in try connection.unwrapRowKeys(record, into: opened) }
        #expect(
            opened.withSpan { $0.array(1, RowKeyRecord.keyBytes) } == Array(rows[last..<last + RowKeyRecord.keyBytes]))
    }

    @Test(
        "private keys are made, taken in, bound and used through the channel as without it",
        .rule("protection.storage.channel"))
    func privateKeys() throws {
        let direct = try served.device.start()
        let made = try connection.makeKey(.test())
        #expect(made.origin == .madeInside && made.binding == .test())
        let signature = try connection.useKey(made, .signature).bytes
        #expect(try made.verifies(signature, KeyUse.signature.input, .messageX962))
        _ = try direct.useKey(made, .signature)
        let bound = try connection.rebindKey(made, to: .test(.always))
        try direct.checkKey(bound)
        try connection.checkKey(bound)
        let key = try PrivateKey.generate(.rsa, bits: 2048)
        let taken = try connection.importKey(try key.external(), type: 42, .test(control: 0))
        #expect(taken.publicKey == key.publicKey.external())
        try direct.checkKey(taken)
    }

    @Test("What a slot cannot carry is refused before it is sent, with an explanation")
    func tooLarge() throws {
        let key = try connection.makeKey(.test())
        let use = KeyUse("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM", Randomness.bytes(KeyLimits.inputBytes + 1))
        #expect(refusal { _ = try connection.useKey(key, use) }?.rule == .tooLarge)
        _ = try connection.useKey(key, .signature)
    }

    @Test("passcodes reach the enclave through the channel, and the states follow")
    func passcodes() throws {
        #expect(try connection.status().protection == .softwareOnly)
        try connection.setPasscode(TestDevice.passcode("one"))
        let row = try TestRow(.whenUnlocked, in: connection)
        try connection.lock()
        #expect(try connection.outcome(of: row) == .locked)
        #expect(refusal { try connection.unlock(passcode: TestDevice.passcode("two")) }?.rule == .wrongPasscode)
        #expect(try connection.status().failedAttempts == 1)
        try connection.unlock(passcode: TestDevice.passcode("one"))
        #expect(try connection.outcome(of: row) == .opened)
        try connection.changePasscode(from: TestDevice.passcode("one"), to: TestDevice.passcode("two"))
        try connection.removePasscode(TestDevice.passcode("two"))
        let status = try connection.status()
        #expect(status.lockState == .unlocked)
        #expect(!status.passcodeIsSet)
    }

    @Test("a refusal arrives as the enclave said it")
    func refusals() throws {
        let direct = try served.device.start()
        let row = [UInt8](repeating: 1, count: RowKeyRecord.rowBytes)
        for attempt: (any EnclaveService) throws -> Void in [
            { _ = try $0.makeMetadataKey(for: .whenPasscodeSetThisDeviceOnly) },
            { _ = try $0.unwrapMetadataKey([1, 2, 3], for: .always) },
            { _ = try $0.wrapRowKey(SecretBytes(count: 32), row: row.span, for: .whenPasscodeSetThisDeviceOnly) },
            { try $0.unwrapRowKeys([1].span, into: SecretBuffer()) },
            { try $0.removePasscode(TestDevice.passcode("1")) },
            { _ = try $0.makeKey(.test(.whenPasscodeSetThisDeviceOnly)) },
            { _ = try $0.importKey(SecretBytes(count: 97), type: 73, .test()) },
            { _ = try $0.useKey(try $0.makeKey(.test(control: 0)), .signature) },
            { _ = try $0.useKey(try $0.makeKey(.test()), KeyUse("none", [])) },
            { try $0.unlock(passcode: FileDescriptor.open("/dev/zero", O_RDONLY)) },
        ] {
            let expected = refusal { try attempt(direct) }
            #expect(expected != nil)
            #expect(refusal { try attempt(connection) } == expected)
        }
    }

    @Test("a batch of any size is answered in order", arguments: [1, 408, 409, 410, 2000])
    func largeBatches(_ count: Int) throws {
        let rows = try [TestRow(.always, in: connection), TestRow(.whenUnlocked, in: connection)]
        var records = (0..<count).map { rows[$0 % 2].record }
        records[count - 1][60] ^= 1
        let answers = try connection.unwrap(records)
        #expect(answers.outcomes.count == count)
        for index in 0..<count - 1 {
            #expect(answers.outcomes[index] == .opened)
            #expect(answers.keys[index].isEqual(to: rows[index % 2].key))
        }
        #expect(answers.outcomes.last == .damaged)
    }

    @Test("more threads than there are slots call at once and get their own answers")
    func threads() throws {
        let mistakes = Monitor<[String]>([])
        let threads = try (0..<EnclaveChannelFormat.slots * 2).map { _ in
            try Thread(named: "caller") {
                do {
                    let row = try TestRow(.whenUnlocked, in: connection)
                    for _ in 0..<100 {
                        let answers = try connection.unwrap([row.record])
                        if answers.outcomes != [.opened] || !answers.keys[0].isEqual(to: row.key) {
                            mistakes.update { $0.append("another's answer") }
                        }
                    }
                } catch { mistakes.update { $0.append("\(error)") } }
            }
        }
        for thread in threads { thread.join() }
        #expect(mistakes.update { $0 } == [])
    }

    @Test("when the enclave's end closes, all calls are refused at once")
    func closed() throws {
        let (ours, theirs) = try UnixSocket.pair()
        let device = TestDevice()
        let server = try ServedEnclave.serve(try device.start(), theirs)
        let connection = try EnclaveConnection(ours)
        shutdown(theirs.descriptor.number, CInt(SHUT_RDWR))
        server.join()
        for _ in 0..<3 {
            #expect(refusal { _ = try connection.status() }?.status == .notAvailable)
            let passcode = try TestDevice.passcode("1")
            #expect(refusal { try connection.setPasscode(passcode) }?.status == .notAvailable)
        }
    }
}
