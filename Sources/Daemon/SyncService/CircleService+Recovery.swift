import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// Where a machine without a circle looks for one, and the name it is to have there.
struct RecoveryPlace: Sendable {
    let place: String
    let name: String
    /// This machine in the circle that a pairing or a recovery has left behind when it was cut off; nil in none.
    let left: MemberKeys?
}

/// Recovery (docs/formats/sync.md, section 3). The command begins, a carrier brings what the place has, and the command
/// goes on. The enclave has the batches meanwhile.
extension CircleService {
    /// Begins to take what a place has.
    func beginRecovery(_ place: String, _ name: String) throws(Refusal) {
        let place = try CirclePlace(place)
        try CirclePlace.checkName(name)
        try requireMayJoin()
        try enclave.forgetOffers()
        let left = try enclave.circle()?.keys
        recovery.withLock { $0 = RecoveryPlace(place: place.text, name: name, left: left) }
    }

    /// Gives a batch, or a part of a snapshot, to the enclave, while a circle is looked for.
    ///
    /// - Returns: nil where none is, and for a machine in a circle that was left behind: that goes on, because nobody
    ///   hears of a command that was cut off.
    func offer(_ batch: [UInt8]) throws(Refusal) -> SyncVerdict? {
        guard let wanted = recovery.withLock({ $0 }) else { return nil }
        guard try enclave.circle()?.keys == wanted.left else {
            // It has entered one in another way since the command was cut off.
            endRecovery()
            return nil
        }
        do throws(Refusal) { try enclave.offerBatch(batch) } catch {
            // Anybody can put anything into a folder.
            guard error.rule == .malformedBatch else {
                endRecovery()
                throw error
            }
            return wanted.left == nil ? .refused : nil
        }
        return wanted.left == nil ? .waits : nil
    }

    /// Enters a circle by the code of its recovery key.
    func recover(_ question: CircleQuestion, _ deadline: Deadline) throws(Refusal) -> SyncStatus? {
        guard let wanted = recovery.withLock({ $0 }) else { throw .noRecoveryHere }
        defer { endRecovery() }
        try leaveBehind(question, deadline)
        let file = try CircleNotes(at: wanted.place, as: wanted.name)
        try circle.withLock { (own) throws(Refusal) in try own.forgetLeft() }
        let statements = try enclave.recoverCircle(
            name: wanted.name, asking: question.about(wanted.place), by: deadline)
        return try circle.withLock { (own) throws(Refusal) in
            try own.enter(file)
            try own.introduce(statements)
            return try own.status()
        }
    }

    /// Leaves a circle that a pairing or a recovery has entered when it was cut off, and in which this machine is not.
    func leaveBehind(_ question: CircleQuestion, _ deadline: Deadline) throws(Refusal) {
        guard try enclave.circle() != nil else { return }
        // It may be in by now, or in another one.
        try requireMayJoin()
        _ = try change(.leave, asking: question, by: deadline)
    }

    /// Makes a recovery key, and shows its code.
    func makeRecoveryKey(_ question: CircleQuestion, _ deadline: Deadline) throws(Refusal) -> SyncStatus? {
        let statements = try enclave.makeRecoveryKey(asking: try inPlace(question), by: deadline)
        return try circle.withLock { (own) throws(Refusal) in
            try own.state(try own.news(in: statements))
            try own.noteRecoveryKeys()
            return try own.status()
        }
    }

    /// Begins a circle in place of the one that the keychain belongs to.
    func reset(
        _ file: CircleNotes, _ question: CircleQuestion, _ deadline: Deadline
    ) throws(Refusal) -> SyncStatus? {
        let made = try enclave.resetCircle(
            name: file.name, asking: question.about(file.place), by: deadline)
        return try circle.withLock { (own) throws(Refusal) in
            try own.replace(with: made.circle, file)
            return try own.status()
        }
    }

    private func endRecovery() {
        recovery.withLock { $0 = nil }
        try? enclave.forgetOffers()
    }
}

extension Refusal {
    fileprivate static let noRecoveryHere = Refusal(
        .notAvailable, .noPairing, "circle", "No recovery was begun on this machine, or it has ended.",
        do: "Repeat the command.")
}
