import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// A malicious daemon can cause a prompt. It cannot answer for the user, use an answer for something else, or guess
/// faster.
struct MaliciousDaemonTests {
    private let user = TestUser(fingers: [1])
    private let daemon: MaliciousDaemon
    private let context = AuthenticationContext.test()

    init() throws {
        daemon = MaliciousDaemon(channel: try RawChannel.served(user: user).0)
        try #require(try daemon.send(EnclaveCalls.setPasscode, "1234") == 0)
    }

    @Test("A guarded row does not open without proof, whatever context is claimed")
    func withoutProof() throws {
        for flags in [Flag.userPresence, Flag.biometryAny, Flag.biometryCurrentSet, Flag.devicePasscode] {
            let row = try daemon.row(flags)
            for claimed in [
                nil, context, AuthenticationContext(identifier: row.identity, caller: row.identity + row.identity),
            ] {
                #expect(try daemon.open(row, claimed) == .authNeeded)
            }
        }
        #expect(user.questions.isEmpty)
    }

    @Test("A proof is for one item, caller, context and operation; for no other")
    func replay() throws {
        let (row, other) = (try daemon.row(Flag.userPresence), try daemon.row(Flag.userPresence))
        user.will(.touch, .touch)
        #expect(try daemon.ask(row.task(context)) == 0)
        #expect(try daemon.open(other, context) == .authNeeded)
        let foreign = [
            nil, AuthenticationContext(identifier: context.identifier, caller: [UInt8](repeating: 2, count: 32)),
            AuthenticationContext(identifier: Randomness.bytes(16), caller: context.caller),
        ]
        for context in foreign { #expect(try daemon.open(row, context) == .authNeeded) }
        #expect(try daemon.open(row, context) == .success)
        #expect(try daemon.open(row, context) == .authNeeded)
        #expect(try daemon.ask(row.task(context, for: .useKeySign)) == 0)
        #expect(try daemon.open(row, context) == .authNeeded)
    }

    @Test("A proof for weaker flags does not open what has stronger ones, nor one that asked for nothing")
    func weakerFlags() throws {
        let row = try daemon.row(Flag.devicePasscode)
        for flags in [Flag.biometryAny, Flag.userPresence] {
            user.will(.touch)
            let guards = [ItemGuard(identifier: row.identity, flags: flags)]
            let purposes: [AuthenticationTask.Purpose] = [
                .items(guards: guards, .useItem), .context(.control(flags: flags, .useItem)),
                .items(guards: [ItemGuard(identifier: row.identity, flags: 0)], .useItem), .items(guards: [], .useItem),
                .context(.control(flags: row.flags, .createItem)),
            ]
            for purpose in purposes {
                user.will(.touch)
                let task = AuthenticationTask(context: context, purpose: purpose, prompt: Prompt())
                #expect(try daemon.ask(task) == 0)
                #expect(try daemon.open(row, context) == .authNeeded)
            }
        }
    }

    @Test("Flags, enrolment and password that were edited in the wrapped key open nothing, with all the proof there is")
    func editedKey() throws {
        let row = try daemon.row(Flag.biometryCurrentSet | Flag.devicePasscode)
        user.will(.touch, .passcode("1234"))
        #expect(try daemon.ask(.policy(2, context)) == 0)
        #expect(try daemon.ask(.control(row.flags, context)) == 0)
        let honest = try GuardedRowKey(decoding: row.wrapped)
        var edited = [0, Flag.biometryAny, Flag.userPresence, Flag.devicePasscode, row.flags | Flag.or].map {
            GuardedRowKey(flags: $0, binding: honest.binding, box: honest.box).bytes
        }
        for enrolment in [[], [UInt8](repeating: 1, count: 32)] {
            let binding = GuardBinding(enrolment: enrolment, password: honest.binding.password)
            edited.append(GuardedRowKey(flags: row.flags, binding: binding, box: honest.box).bytes)
        }
        let password = GuardBinding(enrolment: honest.binding.enrolment, password: [UInt8](repeating: 9, count: 24))
        edited.append(GuardedRowKey(flags: row.flags, binding: password, box: honest.box).bytes)
        for offset in row.wrapped.indices {
            var bytes = row.wrapped
            bytes[offset] ^= 1
            edited.append(bytes)
        }
        for wrapped in edited { #expect(try daemon.open(wrapped, row.identity, context).status == .decode) }
        #expect(try daemon.open(row.wrapped, Randomness.bytes(16), context).status == .decode)
        #expect(try daemon.open(row.wrapped, row.identity, context, .always).status == .decode)
        let opened = try daemon.open(row.wrapped, row.identity, context)
        #expect(opened.status == .success && opened.key == row.key.bytes)
    }

    @Test("A guarded box goes through no other door: not as a plain row key, a metadata key, or a sealed key")
    func otherDoors() throws {
        let row = try daemon.row(Flag.userPresence)
        let box = try GuardedRowKey(decoding: row.wrapped).box
        let record = [1, 0, 0, 0] + row.identity + box
        let (status, answer) = try daemon.perform(EnclaveCalls.unwrapRowKeys) { $0.append(record.span) }
        #expect(status == 0)
        #expect(answer == [RowKeyRecord.Outcome.damaged.rawValue] + [UInt8](repeating: 0, count: 32))
        #expect(try daemon.call(EnclaveCalls.unwrapMetadataKey, for: .whenUnlocked) { $0.append(box.span) }.status != 0)
        let sealed = SealedKey(
            backend: .software, origin: .imported, keyType: 78, bits: 256, binding: .test(control: 0),
            publicKey: row.identity, sealed: box)
        #expect(
            try daemon.call(EnclaveCalls.checkKey) { sealed.append(to: $0) }.status == KeychainStatus.decode.rawValue)
    }

    @Test("Passcodes are tried no faster than the delay allows, through prompts, the socket, or both at once")
    func flood() throws {
        for _ in 0..<30 { user.will(.passcode("guess")) }
        var looked = 0
        for round in 0..<30 {
            if round % 2 == 0 {
                _ = try daemon.ask(.control(Flag.devicePasscode, .test()), slot: EnclaveChannelFormat.slots + round % 4)
            } else {
                _ = try daemon.send(EnclaveCalls.unlock, "guess")
            }
            looked = Int(try status().failedAttempts)
        }
        #expect(looked == 5)
        // Not even the right one, until the wait is over. A restart of the enclave does not end the wait.
        #expect(try daemon.send(EnclaveCalls.unlock, "1234") == KeychainStatus.authFailed.rawValue)
        let restarted = try daemon.channel.device.start(user: user)
        #expect(refusal { try restarted.unlock(passcode: TestDevice.passcode("1234")) }?.rule == .throttled)
        daemon.channel.device.clock.advance(by: 60)
        #expect(try daemon.send(EnclaveCalls.unlock, "1234") == 0)
    }

    @Test("Invalidating, or asking again, gives no further use of a proof")
    func invalidate() throws {
        let row = try daemon.row(Flag.userPresence)
        user.will(.touch)
        #expect(try daemon.ask(row.task(context)) == 0)
        #expect(try daemon.call(EnclaveCalls.invalidate) { context.append(to: $0) }.status == 0)
        #expect(try daemon.open(row, context) == .authNeeded)
    }

    @Test("Every body of every new operation is answered, whatever is in it, on any slot")
    func malformed() throws {
        let operations: [EnclaveOperation] = [
            EnclaveCalls.authenticate.operation, EnclaveCalls.capabilities.operation,
            EnclaveCalls.invalidate.operation, EnclaveCalls.wrapGuardedRowKey.operation,
            EnclaveCalls.unwrapGuardedRowKey.operation, EnclaveCalls.makeKey.operation,
            EnclaveCalls.importKey.operation, EnclaveCalls.useKey.operation, EnclaveCalls.rebindKey.operation,
        ]
        let buffer = SecretBuffer()
        buffer.append(littleEndian: UInt32(100))
        try daemon.row(Flag.userPresence).task(context).append(to: buffer)
        let task = buffer.withSpan { $0.array(0, $0.count) }
        for operation in operations {
            // The one size at which any bytes are what the operation takes.
            let valid: Int? =
                operation.number == EnclaveCalls.capabilities.operation.number
                ? 0 : operation.number == EnclaveCalls.invalidate.operation.number ? 48 : nil
            for size in [0, 1, 2, 4, 48, 49, 52, 53, 64, 80, 200, EnclaveChannelFormat.bodyLimit] {
                for first: UInt8 in [0, 1, 2, 255] {
                    let body = [first] + Randomness.bytes(size).dropFirst()
                    for accessibility in [nil, Accessibility.whenUnlocked] {
                        let answer = try daemon.perform(operation, for: accessibility, slot: 5) {
                            $0.append(Array(body.prefix(size)).span)
                        }
                        #expect(answer.status != 0 || valid == size)
                    }
                }
            }
        }
        for cut in 0..<task.count {
            let (status, _) = try daemon.call(EnclaveCalls.authenticate) { $0.append(Array(task.prefix(cut)).span) }
            #expect(status == KeychainStatus.param.rawValue)
        }
        #expect(
            try daemon.call(EnclaveCalls.authenticate) { $0.append((task + [0]).span) }.status
                == KeychainStatus.param.rawValue)
        for body in [[], [0], context.identifier, context.identifier + context.caller + [0]] {
            #expect(
                try daemon.send(EnclaveCalls.setCredential, "secret", body.isEmpty ? [1] : body)
                    == KeychainStatus.param.rawValue)
        }
        #expect(user.questions.isEmpty)
        #expect(try status().lockState == .unlocked)
    }

    private func status() throws -> EnclaveStatus {
        let body = try daemon.call(EnclaveCalls.status).body
        var reader = WireReader(SecretBytes(copying: body.span))
        return try EnclaveStatus(from: &reader)
    }
}
