import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging

/// Pairing (docs/formats/sync.md, section 11). The command begins, and waits in ``CircleChange/pair``; a carrier brings
/// and takes messages meanwhile.
extension CircleService {
    /// Begins on a member.
    func invite() throws(Refusal) {
        let place = try circle.withLock { (own) throws(Refusal) in
            try own.requireMayAdd()
            return try own.file.place
        }
        pairing.begin(.member, at: place, try Self.offer { () throws(Refusal) in try enclave.beginPairing() })
    }

    /// The first message of a pairing, as the enclave makes it.
    ///
    /// - Throws: the enclave's refusal; `errSecNotAvailable` (`circle.no-pairing`) for what is no message.
    static func offer(_ begin: () throws(Refusal) -> [UInt8]) throws(Refusal) -> PairingMessage {
        let bytes = try begin()
        guard let offer = try? PairingMessage(decoding: bytes) else { throw .noPairingHere }
        return offer
    }

    /// Begins on a newcomer.
    func seek(_ place: String, _ name: String) throws(Refusal) {
        let place = try CirclePlace(place)
        try CirclePlace.checkName(name)
        try requireMayJoin()
        pairing.begin(.newcomer, at: place.text, named: name)
    }

    /// Whether this machine can join a circle: before anything is waited for.
    func requireMayJoin() throws(Refusal) {
        try circle.withLock { (own) throws(Refusal) in try own.requireMayJoin() }
        guard try enclave.capabilities().passcodeIsSet else { throw .circleNeedsPasscode }
    }

    /// Takes what the place shows, and says what it is to have.
    func carry(_ look: PairingLook) -> SyncPairing? {
        switch look {
        case .none: break
        case .fails(let problem): end(pairing.fail(.placeFails(problem)))
        case .shows(let messages):
            end(pairing.look(at: messages.compactMap { try? PairingMessage(decoding: $0) }))
            answerNewcomer()
        }
        return pairing.view
    }

    private func answerNewcomer() {
        guard let (turn, answer) = pairing.takeAnswer() else { return }
        defer { pairing.endAnswer(in: turn) }
        do throws(Refusal) {
            let (name, positions) = try circle.withLock { (own) throws(Refusal) in
                (try own.file.name, try own.read())
            }
            let token = SecretBytes(count: 0)
            let welcome = try enclave.answerPairing(answer, name: name, positions: positions, token: token)
            try pairing.put(welcome, in: turn)
            number.advance()
        } catch {
            // Before the user has seen the digits nobody is answered.
            if error.rule != .noPairing { end(pairing.fail(error)) }
        }
    }

    /// Ends a question that has become idle.
    private func end(_ context: AuthenticationContext?) {
        guard let context else { return }
        try? enclave.invalidate(context)
        number.advance()
    }

    // MARK: - The command

    /// Goes on with a pairing until the newcomer was added, or has introduced itself.
    func pair(_ question: CircleQuestion, _ deadline: Deadline) throws(Refusal) -> SyncStatus? {
        let turn = try pairing.take(question.context)
        number.advance()
        defer { pairing.end(turn) }
        do throws(Refusal) {
            switch turn.side {
            case .member: return try welcome(turn, question, deadline)
            case .newcomer: return try join(turn, question, deadline)
            }
        } catch { throw pairing.failure(of: turn) ?? error }
    }

    private func welcome(
        _ turn: PairingDesk.Turn, _ question: CircleQuestion, _ deadline: Deadline
    ) throws(Refusal) -> SyncStatus? {
        // A newcomer must find no pairing there that was cut off: the carrier has taken those away before.
        try pairing.waitUntilCarried(.share, in: turn, by: deadline)
        let question = question.about(turn.place)
        do throws(Refusal) { try enclave.showDigits(asking: question, by: deadline) } catch {
            throw error.rule == .deadline ? .pairingTooLate : error
        }
        let introduction = try pairing.wait(for: .introduction, in: turn, by: deadline)
        return try state(try enclave.addPaired(introduction, asking: question, by: deadline))
    }

    private func join(
        _ turn: PairingDesk.Turn, _ question: CircleQuestion, _ deadline: Deadline
    ) throws(Refusal) -> SyncStatus? {
        try leaveBehind(question, deadline)
        let offer = try pairing.waitForOffer(in: turn, by: deadline)
        try pairing.put(try enclave.joinPairing(offer, asking: question.about(turn.place), by: deadline), in: turn)
        number.advance()
        let welcome = try enclave.finishPairing(try pairing.wait(for: .welcome, in: turn, by: deadline))
        let file = try circle.withLock { (own) throws(Refusal) in try own.prepare(turn, welcome) }
        let status = try enter(welcome.circle, file, question, deadline)
        try pairing.put(try enclave.introduce(name: turn.name), in: turn)
        number.advance()
        try pairing.waitUntilCarried(.introduction, in: turn, by: deadline)
        return status
    }
}

extension OwnCircle {
    /// All that this machine has read, and its own log.
    fileprivate func read() throws(Refusal) -> [SyncPosition] {
        try perform { replica, _, _ in
            replica.logs.filter { $0.value.seq > 0 }
                .map { SyncPosition(device: $0.key, seq: $0.value.seq, hash: $0.value.hash.short) }
                .sorted { $0.device < $1.device }.prefix(SyncLimits.members).map { $0 }
        }
    }
}
