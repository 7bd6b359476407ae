import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@testable import SecureEnclave

/// A daemon in wrong hands, which has the connection and the batches of all, and no passcode.
@Suite("A daemon in wrong hands and its circle") struct CircleAttackTests {
    /// Keys that the attacker made itself.
    private struct Stranger {
        let signing: PrivateKey
        let agreement: PrivateKey
        var keys: MemberKeys {
            MemberKeys(signing: signing.publicKey.external(), agreement: agreement.publicKey.external())
        }

        init() throws {
            signing = try PrivateKey.generate(.ecSECPrimeRandom, bits: 256)
            agreement = try PrivateKey.generate(.ecSECPrimeRandom, bits: 256)
        }

        func sign(_ bytes: [UInt8]) throws -> [UInt8] {
            let method = try #require(KeyAlgorithm(name: "algid:sign:ECDSA:message-RFC4754:SHA256"))
            return try signing.sign(bytes.span, method)
        }
    }

    private static func hashOfNothing() throws -> BatchHash {
        let nothing: [UInt8] = []
        return try BatchHash(sha256: nothing.span)
    }

    private static func rule(_ body: () throws -> Void) -> Refusal.Rule? { refusal(body)?.rule }

    @Test("It adds no machine: its own statements are not signed, and a batch that it signs itself is not taken")
    func addsNobody() throws {
        let circle = try TestCircle(2)
        let (machine, stranger) = (circle.machines[0], try Stranger())
        let addition = SyncStatement.add(Addition(stranger.keys))
        let header = try machine.header()
        #expect(Self.rule { _ = try machine.sign(header, [addition]) } == .notStated)
        let batch = try SyncBatch(header, [addition], sealed: [], sealedHash: try Self.hashOfNothing()) {
            try stranger.sign($0)
        }
        for reader in circle.machines { #expect(Self.rule { try reader.take(batch) } == .forgedBatch) }
        let own = SyncHeader(
            circle: header.circle, device: try stranger.keys.identifier(), seq: 1, previous: .none, generation: .none,
            salt: header.salt)
        for statement in [addition, .genesis(stranger.keys, random: header.salt)] {
            let first = try SyncBatch(own, [statement], sealed: [], sealedHash: try Self.hashOfNothing()) {
                try stranger.sign($0)
            }
            #expect(Self.rule { try machine.take(first) } == .unknownAuthor)
        }
        #expect(try machine.state.members.count == 2)
        #expect(machine.user.questions.count == 2)
    }

    @Test("It has no share made for a stranger, for one that was removed, or for one that a removed one has added")
    func sharesWithNobody() throws {
        let circle = try TestCircle(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        let accomplice = try CircleMachine()
        _ = try accomplice.enter(try first.state.circle)
        let removal = try first.remove(try second.id)
        guard case .generation(let made) = try #require(removal.last) else { return }
        // Not published, and yet in force.
        try first.take(try second.publish(try second.add(accomplice)))
        let strangers = [try Stranger().keys.identifier(), try second.id, try accomplice.id, MemberID.none]
        for generation in [circle.current, made.id] {
            for stranger in strangers {
                #expect(
                    Self.rule { _ = try first.connection.shareGeneration(generation, with: [stranger]) } == .notAMember)
            }
        }
        #expect(made.shares.map(\.recipient) == [try first.id])
        guard case .generation(let again) = try first.connection.makeGeneration() else { return }
        #expect(again.shares.map(\.recipient) == [try first.id])
        #expect(
            Self.rule { _ = try first.connection.shareGeneration(GenerationID([9]), with: [try first.id]) }
                == .noGenerationKeys)
    }

    @Test("No statement is signed that the enclave has not made: neither a changed one nor another machine's")
    func foreignStatements() throws {
        let circle = try TestCircle(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        guard case .share(let share) = try first.connection.shareGeneration(circle.current, with: [try second.id])
        else { return }
        let changed = Generation(number: share.number + 1, commitment: share.commitment, shares: share.shares)
        let header = try first.header()
        let foreign: [SyncStatement] = [
            .share(changed), .generation(share), .remove(try second.id, .user, kept: []),
            .recovery(try second.state.keys, announcement: header.salt),
            .genesis(try second.state.keys, random: header.salt), .unknown(type: 99, body: []),
        ]
        for statement in foreign { #expect(Self.rule { _ = try first.sign(header, [statement]) } == .notStated) }
        #expect(Self.rule { _ = try second.sign(try second.header(), [.share(share)]) } == .notStated)
        _ = try first.sign(header, [.share(share), .want(circle.current)])
        let others = SyncHeader(
            circle: header.circle, device: try second.id, seq: 1, previous: .none, generation: .none, salt: header.salt)
        #expect(Self.rule { _ = try first.sign(others, []) } == .notAMember)
    }

    @Test("It has nobody removed by repeating a removal, also where it withholds who was added, and who stays")
    func repeatsRemovals() throws {
        let circle = try TestCircle(3)
        let (first, target, remover) = (circle.machines[0], circle.machines[1], circle.machines[2])
        let kept = try CircleMachine()
        _ = try kept.enter(try first.state.circle)
        try remover.take(try target.publish(try target.add(kept)))
        try first.take(try remover.publish(try remover.remove(try target.id, keeping: [try kept.id])))
        let (header, gone) = (try first.header(), try target.id)
        let forged: [SyncStatement] = [
            .remove(gone, .user, kept: []), .remove(gone, .forked, kept: [try remover.id]),
            .remove(gone, .user, kept: [try kept.id]), .remove(try kept.id, .user, kept: []),
            .remove(try remover.id, .user, kept: []),
        ]
        for statement in forged { #expect(Self.rule { _ = try first.sign(header, [statement]) } == .notStated) }
        let same = [try kept.id, try remover.id].sorted()
        _ = try first.sign(header, [.remove(gone, .forked, kept: same), .remove(gone, .user, kept: same)])
    }

    @Test("A batch with any bit changed is not taken, and one of another circle neither")
    func changedBatches() throws {
        let circle = try TestCircle(2)
        let carried = try circle.machines[0].publish([.want(circle.current)]).carried
        for place in stride(from: 0, to: carried.count, by: 7) {
            var changed = carried
            changed[place] ^= 1
            #expect(Self.rule { try circle.machines[1].connection.takeBatch(changed) } != nil, "\(place)")
        }
        let other = try TestCircle(1)
        #expect(Self.rule { try other.machines[0].connection.takeBatch(carried) } == .malformedBatch)
    }

    @Test("A share with other keys than its commitment says is none, and so is one with another record key")
    func wrongShares() throws {
        let circle = try TestCircle(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        let (keys, recipient) = (GenerationKeys(record: nil), try second.state.keys)
        let (name, id) = (try first.state.circle, try second.id)
        let record = try first.served.enclave.circleRecord()
        func publish(_ commitment: BatchHash) throws -> GenerationID {
            let generation = GenerationID(commitment.bytes)
            let share = try keys.share(of: generation, in: name, for: id, recipient)
            let statement = SyncStatement.generation(Generation(number: 7, commitment: commitment, shares: [share]))
            // The member itself is in wrong hands: its enclave signs what it likes.
            first.served.enclave.stated.withLock { $0.add([statement], by: record.own.id) }
            try second.take(try first.publish([statement]))
            return generation
        }
        let lie = try publish(BatchHash([UInt8](repeating: 3, count: 32)))
        let split = try publish(try keys.commitment(in: name, 7))
        #expect(try second.state.held.keys.sorted() == [circle.current])
        #expect(lie != split && record.held.count == 1)
    }

    @Test("A content opens under its own header alone, and is sealed for this machine's batches alone")
    func headers() throws {
        let circle = try TestCircle(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        let batch = try first.publish([], "content", under: circle.current)
        let sealed = try #require(batch.sealed)
        for place in batch.associated.indices {
            var header = batch.associated
            header[place] ^= 1
            #expect(Self.rule { _ = try second.connection.openContent(sealed, header: header) } != nil, "\(place)")
        }
        let size = 10 + CircleBox.overhead
        let header = SyncBatch.associated(batch.header, [], sealedSize: size)
        let content = SecretBytes(count: 10)
        #expect(Self.rule { _ = try second.connection.sealContent(content, header: header) } == .notAMember)
        let longer = SecretBytes(count: 11)
        #expect(Self.rule { _ = try first.connection.sealContent(longer, header: header) } == .malformedBatch)
    }

    @Test("No key leaves: neither in an answer, nor in the vault")
    func noKeyLeaves() throws {
        let circle = try TestCircle(2)
        let (first, record) = (circle.machines[0], try circle.machines[0].served.enclave.circleRecord())
        let held = try #require(record.held[circle.current])
        let secrets = try [
            first.served.enclave.commonKey(of: circle.current, in: record),
            first.served.enclave.unlockedKey(of: circle.current, held, in: record),
            first.served.enclave.openPart(
                record.recordKey, .recordKey, of: record.own.id.bytes, in: record.circle),
        ].map { $0.withSpan { $0.array(0, $0.count) } }
        let answers = SecretBuffer()
        let dispatcher = EnclaveDispatcher(enclave: first.served.enclave)
        for call in [EnclaveCalls.circle.operation, EnclaveCalls.makeGeneration.operation] {
            #expect(dispatcher.answer(call.word(), Span(), descriptors: [], into: answers) == 0)
        }
        let seen = answers.withSpan { $0.array(0, $0.count) } + (try first.served.device.content())
        for secret in secrets { #expect(!seen.contains(secret)) }
        #expect(seen.contains(record.own.keys.signing))
    }

    @Test("Nothing in the files of a call ends the enclave, and nothing that is changed at random is taken or opened")
    func changedFiles() throws {
        let machine = try TestCircle(1).machines[0]
        let (before, dispatcher) = (try machine.state, EnclaveDispatcher(enclave: machine.served.enclave))
        let batch = try machine.publish([.want(GenerationID([1]))])
        let samples = [batch.carried, batch.associated, Array(batch.carried.dropLast(96)), []]
        var generator = SplitMix64(seed: 20)
        for number in 0..<300 {
            for operation in EnclaveCalls.all where [82, 83, 84, 87, 105, 106].contains(operation.number) {
                var bytes = samples[number % samples.count]
                if bytes.isEmpty { bytes = generator.bytes(number) }
                bytes[number % bytes.count] ^= 1 << UInt8(number % 8)
                bytes = number % 3 == 0 ? Array(bytes.prefix(number)) : bytes
                let files = try (0..<operation.descriptors).map { _ in
                    try PasscodeFile.make(SecretBytes(copying: bytes.span))
                }
                let body = generator.bytes([0, 32, 116, 136][number % 4])
                let status = dispatcher.answer(operation.word(), body.span, descriptors: files, into: SecretBuffer())
                // A daemon may have any header of its own machine's signed.
                let isSigning = operation.number == EnclaveCalls.signBatch.operation.number
                #expect(status != 0 || isSigning, "\(operation.number) \(number)")
            }
        }
        #expect(try machine.state == before)
    }

    @Test("An answer to another question allows no change of the circle")
    func otherAnswers() throws {
        let machine = try CircleMachine()
        let question = CircleMachine.question
        machine.user.will(.passcode(CircleMachine.passcode))
        _ = try machine.connection.authenticate(.policy(2, question.context), by: soon)
        machine.user.will(.cancel)
        #expect(
            Self.rule { _ = try machine.connection.enterCircle(nil, name: "one", asking: question, by: soon) }
                == .userCanceled)
        #expect(machine.user.questions.last?.change?.kind == .begins)
    }
}
