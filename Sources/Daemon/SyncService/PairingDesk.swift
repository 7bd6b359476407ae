import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// The pairing that is under way, between its user's command and the carrier of its messages. The enclaves decide; what
/// is here keeps the order, and ends a pairing that can come to nothing.
///
/// A place may show anything. Of a slot of the other side the first message is taken. Another message in a slot of this
/// side, or a pairing that has vanished, ends it.
final class PairingDesk: Sendable {
    /// A pairing from its beginning to its end.
    struct Turn: Sendable {
        /// One that begins later has another.
        let number: UInt64
        let side: SyncPairing.Side
        let place: String
        /// This machine's, where it is the newcomer.
        let name: String
    }

    fileprivate struct Open {
        let turn: Turn
        let end: Deadline
        var session = PairingID.none
        /// Whose answer is waited for; nil until the command goes on.
        var context: AuthenticationContext?
        var mine: [PairingMessage] = []
        var theirs: [PairingSlot.Step: [UInt8]] = [:]
        /// Those that nobody has answered, in the last look.
        var offers: [PairingID: [UInt8]] = [:]
        /// Whether the place has shown something of it, and the steps of this machine that it has.
        var wasSeen = false
        var carried: Set<PairingSlot.Step> = []
        var failure: Refusal?
        /// Whether the enclave is looking at the newcomer's answer.
        var isAnswering = false
    }

    private struct State {
        var open: Open?
        var last: UInt64 = 0
        /// The last question whose caller has gone, and the pairing of then.
        var gone: (context: AuthenticationContext, turn: UInt64)?
    }

    private let state = Monitor(State())
    /// As long as digits serve.
    private static let milliseconds = 600_000
    /// Milliseconds of the enclave's arithmetic, on a slow machine.
    private static let answering = 30_000

    /// Begins a pairing; the one before ends.
    ///
    /// - Parameter offer: of a member.
    func begin(_ side: SyncPairing.Side, at place: String, named name: String = "", _ offer: PairingMessage? = nil) {
        state.update { state in
            state.last += 1
            let turn = Turn(number: state.last, side: side, place: place, name: name)
            var open = Open(turn: turn, end: .after(milliseconds: Self.milliseconds))
            if let offer { (open.session, open.mine) = (offer.slot.session, [offer]) }
            state.open = open
        }
    }

    /// Takes the turn of the pairing that was begun. A caller that has gone since ends it.
    ///
    /// - Throws: `errSecNotAvailable` (`circle.no-pairing`).
    func take(_ context: AuthenticationContext) throws(Refusal) -> Turn {
        try state.update { (state) throws(Refusal) in
            guard let open = state.open, open.context == nil, !open.end.hasPassed else { throw .noPairingHere }
            if let gone = state.gone, gone.context == context {
                if gone.turn == open.turn.number { state.open = nil }
                throw .noPairingHere
            }
            state.open?.context = context
            return open.turn
        }
    }

    func end(_ turn: Turn) { state.update { if $0.open?.turn.number == turn.number { $0.open = nil } } }

    /// The pairing for its carrier; nil where none is under way.
    var view: SyncPairing? {
        state.update { state in
            guard let open = state.open, open.failure == nil, !open.end.hasPassed else { return nil }
            return SyncPairing(
                open.turn.side, place: open.turn.place, session: open.session, messages: open.mine.map(\.bytes))
        }
    }

    // MARK: - Ends

    /// Ends the pairing for a reason.
    ///
    /// - Returns: the context in which the user may be being asked.
    @discardableResult
    func fail(_ reason: Refusal) -> AuthenticationContext? {
        state.update { state in
            guard let open = state.open, open.failure == nil else { return nil }
            state.open?.failure = reason
            return open.context
        }
    }

    /// The caller with this question has gone.
    func withdraw(_ context: AuthenticationContext) {
        state.update { state in
            state.gone = (context, state.last)
            guard let open = state.open, open.context == context, open.failure == nil else { return }
            state.open?.failure = .pairingCallerGone
        }
    }

    /// The reason for which a pairing has ended; nil for none that is known here. A question may end before the enclave
    /// has said what it thinks of the answer.
    func failure(of turn: Turn) -> Refusal? {
        state.wait(deadline: .after(milliseconds: Self.answering)) { state in
            guard let open = state.open, open.turn.number == turn.number else { return .some(.otherPairing) }
            return open.isAnswering ? nil : .some(open.failure)
        } ?? nil
    }

    // MARK: - Messages

    /// Adds a message of this machine's.
    func put(_ message: [UInt8], in turn: Turn) throws(Refusal) {
        guard let message = try? PairingMessage(decoding: message) else { throw .noPairingHere }
        state.update { state in
            if state.open?.turn.number == turn.number { state.open?.mine.append(message) }
        }
    }

    /// Chooses the pairing of an offer, once there is exactly one.
    func waitForOffer(in turn: Turn, by deadline: Deadline) throws(Refusal) -> [UInt8] {
        try wait(in: turn, by: deadline) { open in
            guard open.offers.count == 1, let (session, offer) = open.offers.first else { return nil }
            (open.session, open.wasSeen) = (session, true)
            return offer
        }
    }

    /// Waits for the other side's message of a step.
    func wait(for step: PairingSlot.Step, in turn: Turn, by deadline: Deadline) throws(Refusal) -> [UInt8] {
        try wait(in: turn, by: deadline) { $0.theirs[step] }
    }

    /// Waits until the place has this machine's message of a step.
    func waitUntilCarried(_ step: PairingSlot.Step, in turn: Turn, by deadline: Deadline) throws(Refusal) {
        try wait(in: turn, by: deadline) { $0.carried.contains(step) ? () : nil }
    }

    private func wait<Answer>(
        in turn: Turn, by deadline: Deadline, _ body: (inout Open) -> Answer?
    ) throws(Refusal) -> Answer {
        let limit = min(deadline, state.update { $0.open?.end } ?? .now)
        let outcome = state.wait(deadline: limit) { state -> Result<Answer, Refusal>? in
            guard var open = state.open, open.turn.number == turn.number else { return .failure(.otherPairing) }
            if let failure = open.failure { return .failure(failure) }
            defer { state.open = open }
            return body(&open).map { .success($0) }
        }
        let hasChoice = state.update { $0.open?.offers.count ?? 0 } > 1
        guard let outcome else { throw hasChoice ? .manyOffers : .pairingTooLate }
        switch outcome {
        case .success(let answer): return answer
        case .failure(let refusal): throw refusal
        }
    }
}

// MARK: - Looks

extension PairingDesk {
    /// Takes what the place shows.
    ///
    /// - Returns: the context in which the user may be being asked, when the pairing has ended by it.
    func look(at shown: [PairingMessage]) -> AuthenticationContext? {
        state.update { state in
            guard var open = state.open, open.failure == nil else { return nil }
            if open.session == .none { open.offers = Self.offers(in: shown) } else { open.take(shown) }
            state.open = open
            return open.failure == nil ? nil : open.context
        }
    }

    /// The pairings that wait for a newcomer.
    private static func offers(in shown: [PairingMessage]) -> [PairingID: [UInt8]] {
        let answered = Set(shown.filter { $0.slot.step != .share }.map(\.slot.session))
        let open = shown.filter { $0.slot.step == .share && !answered.contains($0.slot.session) }
        return Dictionary(open.map { ($0.slot.session, $0.bytes) }) { first, _ in first }
    }

    /// The answer that a member's enclave has not taken yet, which one caller takes to it.
    func takeAnswer() -> (turn: Turn, bytes: [UInt8])? {
        state.update { state in
            guard let open = state.open, open.failure == nil, open.turn.side == .member, !open.isAnswering,
                !open.mine.contains(where: { $0.slot.step == .welcome }), let answer = open.theirs[.answer]
            else { return nil }
            state.open?.isAnswering = true
            return (open.turn, answer)
        }
    }

    /// The enclave has looked at the answer.
    func endAnswer(in turn: Turn) {
        state.update { if $0.open?.turn.number == turn.number { $0.open?.isAnswering = false } }
    }
}

extension PairingDesk.Open {
    fileprivate mutating func take(_ shown: [PairingMessage]) {
        let shown = shown.filter { $0.slot.session == session }
        guard !shown.isEmpty else { return vanish() }
        wasSeen = true
        for message in shown {
            if !isMine(message.slot.step) {
                theirs[message.slot.step] = theirs[message.slot.step] ?? message.bytes
            } else if mine.contains(message) {
                carried.insert(message.slot.step)
            } else {
                failure = failure ?? .otherAnswered
            }
        }
    }

    /// The member takes the messages away when it has ended.
    private mutating func vanish() {
        guard wasSeen else { return }
        if turn.side == .newcomer, mine.contains(where: { $0.slot.step == .introduction }) {
            carried.insert(.introduction)
        } else {
            failure = turn.side == .newcomer ? .pairingEndedThere : .otherPairing
        }
    }

    private func isMine(_ step: PairingSlot.Step) -> Bool {
        switch step {
        case .share, .welcome: turn.side == .member
        case .answer, .introduction: turn.side == .newcomer
        }
    }
}

extension Refusal {
    static let noPairingHere = Refusal(
        .notAvailable, .noPairing, "circle", "No pairing was begun on this machine, or it has ended.",
        do: "Repeat the command.")

    fileprivate static let otherPairing = Refusal(
        .notAvailable, .noPairing, "circle", "Another pairing has begun at this place, and ended this one.",
        do: "Pair one machine after the other.")

    fileprivate static let pairingCallerGone = Refusal(
        .notAvailable, .noPairing, "circle", "The command that paired has ended.", do: "Repeat the command.")

    static let pairingTooLate = Refusal(
        .notAvailable, .noPairing, "circle", "The other machine has not answered in time.",
        do: "See that both machines have the place, then begin again on both.")

    fileprivate static let manyOffers = Refusal(
        .notAvailable, .noPairing, "circle", "Several machines show digits at this place.",
        do: "End the pairings but one (Ctrl-C), and begin again.")

    fileprivate static let otherAnswered = Refusal(
        .notAvailable, .noPairing, "circle", "Another machine has written in this one's place in the pairing.",
        do: "Pair one machine after the other, and see who can write to the place.")

    fileprivate static let pairingEndedThere = Refusal(
        .authFailed, .wrongDigits, "circle",
        "The other machine has ended the pairing: the digits are not those that it shows, or it was ended there.",
        do: "Begin again on both. Digits serve for one try.")

    static func placeFails(_ problem: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "place", "The messages of the pairing cannot be carried: \(problem)",
            do: "See to the place, and begin again.")
    }
}
