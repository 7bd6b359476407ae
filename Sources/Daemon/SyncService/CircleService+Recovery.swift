import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// Where a machine without a circle looks for one, and the name it is to have there.
struct RecoveryPlace: Sendable {
    let place: String
    let name: String
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
        recovery.withLock { $0 = RecoveryPlace(place: place.text, name: name) }
    }

    /// Gives a batch to the enclave, or those that a snapshot's part carries, while a circle is looked for.
    ///
    /// - Returns: nil where none is.
    func offer(_ batch: [UInt8]) throws(Refusal) -> SyncVerdict? {
        guard recovery.withLock({ $0 != nil }) else { return nil }
        guard try enclave.circle() == nil else {
            // It has entered one in another way since the command was cut off.
            endRecovery()
            return nil
        }
        do throws(Refusal) {
            guard let part = try? SnapshotPart(decoding: batch) else {
                try enclave.offerBatch(batch)
                return .waits
            }
            for carried in part.carried { try enclave.offerBatch(carried.carried) }
        } catch {
            // Anybody can put anything into a folder.
            guard error.rule == .malformedBatch else { throw error }
            return .refused
        }
        return .waits
    }

    /// Enters a circle by the code of its recovery key.
    func recover(_ question: CircleQuestion, _ deadline: Deadline) throws(Refusal) -> SyncStatus? {
        guard let wanted = recovery.withLock({ $0 }) else { throw .noRecoveryHere }
        defer { endRecovery() }
        // Left from a pairing or a recovery that was cut off.
        if try enclave.circle() != nil { _ = try change(.leave, asking: question, by: deadline) }
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

    /// Makes a recovery key, and shows its code.
    func makeRecoveryKey(_ question: CircleQuestion, _ deadline: Deadline) throws(Refusal) -> SyncStatus? {
        let statements = try enclave.makeRecoveryKey(asking: try inPlace(question), by: deadline)
        return try circle.withLock { (own) throws(Refusal) in
            try own.state(statements)
            try own.noteRecoveryKeys()
            return try own.status()
        }
    }

    /// Begins a circle in place of the one that the keychain belongs to.
    func reset(
        _ file: CircleNotes, _ question: CircleQuestion, _ deadline: Deadline
    ) throws(Refusal) -> SyncStatus? {
        let made = try enclave.resetCircle(asking: question.about(file.place), by: deadline)
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
