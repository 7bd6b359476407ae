package import EnclaveWire
import Glibc
import KeychainCrypto
package import KeychainModel
import KeychainWire
package import LinuxSystem
package import SyncFormat

/// Recovery keys of a circle: members without a machine (docs/formats/sync.md, section 3).
extension SoftwareEnclave {
    package func makeRecoveryKey(
        asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement] {
        let asked = try circleRecord()
        try asked.requireIn()
        guard asked.canGoOn else { throw .noGenerationKeys }
        let replaced = asked.recoveryKeys.map(\.fingerprint).joined(separator: ", ")
        let change = UserQuestion.Change(
            .makesRecoveryKey, fingerprint: asked.circle.fingerprint, others: replaced)
        try confirm(change, question, by: deadline)
        let key = try show(RecoveryCode(), question, by: deadline)
        return try stating { (record) throws(Refusal) in
            // Meanwhile this machine may have entered another circle, of which nobody was asked.
            guard record.own.id == asked.own.id else { throw .noCircle }
            try record.requireIn()
            let isFirst = record.recoveryKeys.isEmpty
            let removals = record.removeRecoveryKeys()
            let made = SyncStatement.recovery(key.keys, announcement: try announcement(key, of: record.circle))
            record.membership.add(
                key.id,
                .init(
                    keys: key.keys, sponsor: record.own.id, place: .init(device: record.own.id, seq: 0),
                    isRecoveryKey: true, reads: 0))
            guard record.membership.present[key.id]?.keys == key.keys else { throw .fullCircle }
            // Its shares come with the next batch, where the keys stay.
            let generation = isFirst ? [] : [try newGeneration(in: &record)]
            return removals + [made] + generation + (try ownName(in: record))
        }
    }

    /// Shows a code until the user has closed it.
    private func show(
        _ code: RecoveryCode, _ question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> CircleRecoveryKey {
        let (key, text) = try withCrypto { () throws(CryptoError) in (try CircleRecoveryKey(code), try code.text()) }
        guard let shown = text.withSpan({ $0.text(0, $0.count) }) else { throw .noCircle }
        try converse(question, by: deadline) { (dialogue) throws(Refusal) in try dialogue.show(shown, as: .shownCode) }
        return key
    }

    func announcement(_ key: CircleRecoveryKey, of circle: CircleID) throws(Refusal) -> BatchHash {
        try withCrypto { () throws(CryptoError) in try key.announcement(of: circle) }
    }

    private func withCrypto<Result>(_ body: () throws(CryptoError) -> Result) throws(Refusal) -> Result {
        do throws(CryptoError) { return try body() } catch { throw .crypto(error) }
    }

    // MARK: - A machine without a circle

    package func forgetOffers() throws(Refusal) { offered.withLock { $0 = OfferedBatches() } }

    package func offerBatch(_ batch: [UInt8]) throws(Refusal) {
        try offered.withLock { (offered) throws(Refusal) in try offered.take(batch) }
    }

    package func recoverCircle(
        name: String, asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement] {
        guard try circle() == nil else { throw .circleIsThere }
        guard try means().hasPasscode else { throw .circleNeedsPasscode }
        guard (1...CircleState.nameBytes).contains(name.utf8.count) else { throw .malformedMachine }
        try requireOpen(.whenUnlocked)
        let offers = offered.withLock { $0 }
        guard !offers.circles.isEmpty else { throw .nothingOffered }
        let key = try askCode(question, by: deadline)
        defer { forgetLoadedKeys() }
        let found = try find(key, among: offers)
        try confirm(try recovery(found), question, by: deadline)
        let (record, addition) = try enter(found.record, by: key, as: name)
        try keepNew(record)
        stated.withLock { $0.add([.add(addition)], by: record.own.id) }
        try forgetOffers()
        return [.add(addition)]
    }

    private func askCode(_ question: CircleQuestion, by deadline: Deadline) throws(Refusal) -> CircleRecoveryKey {
        var entered: RecoveryCode?
        try converse(question, by: deadline) { (dialogue) throws(Refusal) in
            entered = try dialogue.ask(.code) { try? RecoveryCode($0) }
        }
        guard let entered else { throw .mistypedCircleCode }
        return try withCrypto { () throws(CryptoError) in try CircleRecoveryKey(entered) }
    }

    /// The question that shows who reads along, and how old the place's state is. Each machine has its own day: one in
    /// wrong hands may go on writing at a place that hides its removal.
    private func recovery(_ found: FoundCircle) throws(Refusal) -> UserQuestion.Change {
        let record = found.record
        var (machines, newest): ([String], UInt64) = ([], 0)
        for id in record.membership.machines {
            var stamp: UInt64 = 0
            for batch in found.whole.last[id] ?? [] {
                stamp = try content(of: batch, in: record)?.records.map(\.hlc).reduce(stamp, max) ?? stamp
            }
            machines.append(describe(id, in: record, also: Self.day(stamp)))
            newest = max(newest, stamp)
        }
        return .init(
            .recovers, name: Self.day(newest), fingerprint: record.circle.fingerprint,
            others: machines.joined(separator: ", "))
    }

    /// The day of a stamp in UTC, as ISO 8601 writes it; empty for none.
    private static func day(_ stamp: UInt64) -> String {
        guard stamp > 0 else { return "" }
        var seconds = time_t(clamping: stamp / 1_000_000)
        var parts = unsafe tm()
        guard unsafe gmtime_r(&seconds, &parts) != nil else { return "" }
        let (year, month, day) = unsafe (Int(parts.tm_year) + 1900, parts.tm_mon + 1, parts.tm_mday)
        return String(year) + [month, day].map { ($0 < 10 ? "-0" : "-") + String($0) }.joined()
    }

    /// This machine in the circle, with keys of its own, on the recovery key's word.
    private func enter(
        _ found: CircleRecord, by key: CircleRecoveryKey, as name: String
    ) throws(Refusal) -> (CircleRecord, Addition) {
        var (record, found) = (try makeRecord(joining: found.circle, as: name), found)
        // Those that came while the keychain was locked are for the recovery key, which is gone after this.
        try boxWaitingKeys(in: &found)
        (record.membership, record.names, record.held) = (found.membership, found.names, found.held)
        let recordKey = try openPart(found.recordKey, .recordKey, of: key.id.bytes, in: found.circle)
        record.recordKey = try sealPart(recordKey, .recordKey, of: record.own.id.bytes, in: found.circle)
        let unsigned = Addition(record.own.keys, recoveryKey: key.id)
        let addition = Addition(
            record.own.keys, recoveryKey: key.id, signature: try sign(unsigned.signed(in: found.circle), in: found),
            name: try sealedName(name, of: record.own.id, in: record))
        record.membership.add(
            record.own.id,
            .init(
                keys: record.own.keys, sponsor: key.id, place: .init(device: record.own.id, seq: 1),
                isRecoveryKey: false, reads: addition.most))
        guard record.isIn else { throw .fullCircle }
        record.names[record.own.id] = try sealPart(
            SecretBytes(copying: Array(name.utf8).span), .name, of: record.own.id.bytes, in: record.circle)
        if record.encoded().count > CircleRecord.mostBytes { record.makeRoom() }
        return (record, addition)
    }
}

extension CircleRecord {
    /// The recovery keys that are in.
    fileprivate var recoveryKeys: [MemberID] { membership.present.filter(\.value.isRecoveryKey).keys.sorted() }

    /// Removes all recovery keys. The machines that they have added stay. Those that are out already are removed once
    /// more: a crash may have come before a batch said so, and nobody else would know.
    fileprivate mutating func removeRecoveryKeys() -> [SyncStatement] {
        let present = recoveryKeys
        let gone = membership.members.filter { $0.value.isRecoveryKey && membership.removed.contains($0.key) }.keys
        let room = max(0, StatementsMade.most - present.count - 2)
        return (gone.sorted().suffix(room) + present).map { id in
            let kept = Array(membership.introduced(by: id).prefix(SyncLimits.kept))
            remove(id, kept: kept, by: own.id)
            return .remove(id, .user, kept: kept)
        }
    }
}

extension Refusal {
    static let wrongCode = Refusal(
        .authFailed, .wrongRecoveryCode, "circle", "No circle at this place was announced with this code.",
        do: "See that the place is the circle's, and that the code is that of security sync recovery-key.")

    fileprivate static let nothingOffered = Refusal(
        .notAvailable, .noCircle, "circle", "The place has no circle.",
        do: "See that the place is the circle's, and that all of it has arrived.")
}
