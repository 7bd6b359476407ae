import CircleCarrier
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncTransports

/// The daemon of one machine, as far as a carrier sees it: logs of bytes, in order, without keys.
final class PlayedDaemon: CircleDaemon {
    struct State {
        var positions: SyncPositions?
        /// The batches of each log, as far as they were read.
        var logs: [MemberID: [[UInt8]]] = [:]
        var outgoing: [[UInt8]] = []
        /// Batches that cannot be read yet.
        var waiting: Set<[UInt8]> = []
        var takenParts: [SyncSlot] = []
        var discarded: [SyncSlot] = []
        var view = SyncView()
        /// How often the carrier has said what it saw.
        var looks = 0
        var occupied: [Commitment] = []
        var number: UInt64 = 1
        /// The next report of a commitment is lost.
        var losesReport = false
        var pairing: SyncPairing?
        var pairingLooks: [PairingLook] = []
        var isGone = false
    }

    let me: MemberID
    let state: Monitor<State>
    private let circle: CircleID

    init(_ circle: CircleID, _ number: UInt8, at place: String) {
        (self.circle, me) = (circle, MemberID(number: UInt128(number)))
        var state = State()
        state.positions = SyncPositions(number: 1, circle: circle, me: me, place: place)
        self.state = Monitor(state)
    }

    func say(_ text: String, isWanted: Bool = true) {
        change {
            $0.outgoing.append(Array(text.utf8))
            $0.positions?.isWanted = isWanted
        }
    }

    /// Changes something of which a carrier that waits hears.
    func change(_ body: (inout State) -> Void) {
        state.update {
            $0.number += 1
            body(&$0)
        }
    }

    /// The texts of a log.
    func read(_ other: PlayedDaemon) -> [String] {
        state.update { $0.logs[other.me, default: []].map { String(decoding: $0, as: UTF8.self) } }
    }

    private func asked<Result>(_ body: (inout State) throws(Refusal) -> Result) throws(Refusal) -> Result {
        try state.update { (state) throws(Refusal) in
            guard !state.isGone else { throw .played }
            return try body(&state)
        }
    }

    func positions() throws(Refusal) -> SyncPositions? {
        try asked { (state) throws(Refusal) in
            state.positions?.heads = state.logs.mapValues { UInt64($0.count) }
            return state.positions
        }
    }

    func take(_ bytes: [UInt8], in slot: SyncSlot) throws(Refusal) -> SyncVerdict {
        try asked { (state) throws(Refusal) in
            guard slot.part == nil else {
                state.takenParts.append(slot)
                state.positions?.wanted.removeAll { $0 == slot }
                return .read
            }
            let head = UInt64(state.logs[slot.device]?.count ?? 0)
            guard slot.seq > head else { return .read }
            guard slot.seq == head + 1, !state.waiting.contains(bytes) else { return .waits }
            // Its own batch, whose commitment nobody has reported.
            if slot.device == me, state.outgoing.first == bytes { state.outgoing.removeFirst() }
            state.logs[slot.device, default: []].append(bytes)
            return .read
        }
    }

    func saw(_ view: SyncView) throws(Refusal) {
        try asked { (state) throws(Refusal) in
            (state.view, state.looks) = (view, state.looks + 1)
            state.positions?.isWanted = false
        }
    }

    func next() throws(Refusal) -> (slot: SyncSlot, bytes: [UInt8])? {
        try asked { (state) throws(Refusal) in
            state.outgoing.first.map { (slot(UInt64(state.logs[me]?.count ?? 0) + 1), $0) }
        }
    }

    func ended(_ slot: SyncSlot, _ commitment: Commitment) throws(Refusal) {
        try asked { (state) throws(Refusal) in
            if state.losesReport {
                state.losesReport = false
                throw .played
            }
            guard commitment == .done else { return state.occupied.append(commitment) }
            state.logs[me, default: []].append(state.outgoing.removeFirst())
        }
    }

    func discarded(_ slots: [SyncSlot]) throws(Refusal) {
        try asked { (state) throws(Refusal) in
            state.discarded += slots
            state.positions?.discarding.removeAll(where: slots.contains)
        }
    }

    func pairing(_ look: PairingLook) throws(Refusal) -> SyncPairing? {
        try asked { (state) throws(Refusal) in
            state.pairingLooks.append(look)
            return state.pairing
        }
    }

    func wait(after number: UInt64, milliseconds: UInt32) throws(Refusal) -> UInt64 {
        let limit = Deadline.after(milliseconds: Int(milliseconds))
        let next = state.wait(deadline: limit) { $0.number == number && !$0.isGone ? nil : $0.number }
        return try asked { (_) throws(Refusal) in next ?? number }
    }

    func slot(_ seq: UInt64) -> SyncSlot { SyncSlot(circle: circle, device: me, seq: seq) }
    func part(_ number: UInt32) -> SyncSlot { SyncSlot(circle: circle, device: me, seq: 1, part: number) }
}

extension Refusal {
    static let played = Refusal(.notAvailable, .unavailable, "daemon", "The daemon has gone.", do: "Start it.")
}
