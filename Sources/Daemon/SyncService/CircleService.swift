package import EnclaveWire
package import KeychainEngine
package import KeychainModel
package import KeychainWire
package import LinuxSystem
import SyncFormat

/// The circle of machines that a keychain belongs to, for its user's command and for the program that carries batches.
///
/// All that it knows is in the store, in the enclave and in a file next to the store. Each request is one transaction.
package final class CircleService: CircleOperations {
    let circle: Lock<OwnCircle>
    let enclave: any EnclaveService
    let pairing = PairingDesk()
    /// Where a circle may be entered by a recovery key.
    let recovery = Lock<RecoveryPlace?>(nil)
    /// Moves with every change that a carrier should hear of.
    package let number = StateEpoch()

    /// A machine makes a snapshot after so many batches of its own.
    package static let batchesOfSnapshot: UInt64 = 256

    /// - Parameters:
    ///   - folder: that of the store.
    ///   - batches: after how many batches of its own the machine makes a snapshot.
    package init(
        _ engine: KeychainEngine, _ enclave: any EnclaveService, folder: String,
        snapshotAfter batches: UInt64 = batchesOfSnapshot
    ) {
        self.enclave = enclave
        circle = Lock(OwnCircle(engine, enclave, folder: folder, snapshotAfter: batches))
    }

    /// Answers a request.
    ///
    /// - Parameter files: as many as the request takes.
    /// - Throws: `errSecNotAvailable` (`circle.none`) in no circle; what enclave and store say, and nothing is changed.
    package func answer(_ request: SyncRequest, _ files: [FileDescriptor]) throws(Refusal) -> SyncReply {
        switch request {
        case .status: return .status(try circle.withLock { (own) throws(Refusal) in try own.status() })
        case .positions:
            let number = UInt64(number.value)
            return .positions(try circle.withLock { (own) throws(Refusal) in try own.positions(number) })
        case .take(let slot):
            let bytes = try Self.bytes(files)
            if let verdict = try offer(bytes) { return .taken(verdict) }
            return .taken(try circle.withLock { (own) throws(Refusal) in try own.take(bytes, in: slot) })
        case .next: return .next(try next(into: files))
        case .wait: return .news(number: UInt64(number.value))
        case .pairing(let look): return .pairing(carry(look))
        case .invite: try invite()
        case .seek(let place, let name): try seek(place, name)
        case .recover(let place, let name): try beginRecovery(place, name)
        case .known(let members): try circle.withLock { (own) throws(Refusal) in try own.note(known: members) }
        case .pause, .now, .seen, .committed, .discarded:
            try note(request, files)
        }
        return .done
    }

    private func note(_ request: SyncRequest, _ files: [FileDescriptor]) throws(Refusal) {
        switch request {
        case .pause(let isPaused):
            try circle.withLock { (own) throws(Refusal) in
                guard try own.state != nil else { throw .inNoCircle }
                try own.change { $0.isPaused = isPaused }
            }
        case .now: circle.withLock { $0.isWanted = true }
        case .seen(let view): return try circle.withLock { (own) throws(Refusal) in try own.see(view) }
        case .committed(let slot, let isOccupied):
            let theirs = isOccupied ? try Self.bytes(files) : nil
            return try circle.withLock { (own) throws(Refusal) in try own.commit(slot, theirs) }
        case .discarded(let slots):
            return try circle.withLock { (own) throws(Refusal) in try own.discarded(slots) }
        default: return
        }
        number.advance()
    }

    private func next(into files: [FileDescriptor]) throws(Refusal) -> SyncSending? {
        guard let room = files.first else { throw .notACircleFile }
        guard let (slot, bytes) = try circle.withLock({ (own) throws(Refusal) in try own.next() }) else { return nil }
        do { try PasscodeFile.fill(room, with: SecretBytes(copying: bytes.span)) } catch { throw .notACircleFile }
        return SyncSending(slot: slot, size: UInt32(bytes.count))
    }

    /// Milliseconds that the writer of a pipe may take.
    private static let timeout = 10_000

    private static func bytes(_ files: [FileDescriptor]) throws(Refusal) -> [UInt8] {
        guard let file = files.first else { throw .notACircleFile }
        do {
            let read = try PasscodeFile.read(
                file, limit: SyncRequest.roomBytes, deadline: .after(milliseconds: timeout))
            return read.withSpan { $0.array(0, $0.count) }
        } catch { throw .notACircleFile }
    }

    package func withdraw(_ context: AuthenticationContext) {
        pairing.withdraw(context)
        number.advance()
    }

    // MARK: - Changes

    /// Changes the circle, after the enclave has asked its user. Others go on meanwhile.
    ///
    /// - Returns: the circle afterwards; nil for none.
    /// - Throws: what became of asking; what enclave and store say.
    package func change(
        _ change: CircleChange, asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> SyncStatus? {
        defer { number.advance() }
        try circle.withLock { (own) throws(Refusal) in try own.prepare(change) }
        switch change {
        case .begin(let place, let name):
            return try enter(nil, try CircleNotes(at: place, as: name), question, deadline)
        case .join(let circle, let place, let name):
            return try enter(circle, try CircleNotes(at: place, as: name), question, deadline)
        case .add(let keys, let name):
            return try state(try enclave.addMachine(keys, name: name, asking: try inPlace(question), by: deadline))
        case .remove(let member, let kept):
            let question = try inPlace(question)
            return try state(try enclave.removeMachine(member, keeping: kept, asking: question, by: deadline))
        case .pair: return try pair(question, deadline)
        case .recoveryKey: return try makeRecoveryKey(question, deadline)
        case .recover: return try recover(question, deadline)
        case .reset(let place, let name):
            return try reset(try CircleNotes(at: place, as: name), question, deadline)
        case .leave:
            if try enclave.circle() != nil { try enclave.leaveCircle(asking: leaving(question), by: deadline) }
            try circle.withLock { (own) throws(Refusal) in try own.leave() }
            return nil
        }
    }

    func enter(
        _ other: CircleID?, _ file: CircleNotes, _ question: CircleQuestion, _ deadline: Deadline
    ) throws(Refusal) -> SyncStatus? {
        _ = try enclave.enterCircle(
            other, name: file.name, asking: question.about(file.place), by: deadline)
        return try circle.withLock { (own) throws(Refusal) in
            try own.enter(file)
            return try own.status()
        }
    }

    /// The question with this circle's place.
    func inPlace(_ question: CircleQuestion) throws(Refusal) -> CircleQuestion {
        question.about(try circle.withLock { (own) throws(Refusal) in try own.file.place })
    }

    /// The question with this circle's place, if that is known: a circle is left also when nothing of it can be read.
    private func leaving(_ question: CircleQuestion) -> CircleQuestion {
        do throws(Refusal) { return try inPlace(question) } catch { return question.about("") }
    }

    func state(_ statements: [SyncStatement]) throws(Refusal) -> SyncStatus? {
        try circle.withLock { (own) throws(Refusal) in
            try own.state(statements)
            return try own.status()
        }
    }
}

extension CircleQuestion {
    /// The question with the place that the batches travel over, which the enclave's prompt names.
    func about(_ place: String) -> CircleQuestion {
        var question = self
        question.prompt.item = SyncPlace(place)?.shown ?? place
        return question
    }
}
