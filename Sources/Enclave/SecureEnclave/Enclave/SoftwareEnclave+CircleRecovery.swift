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
        let record = try circleRecord()
        try record.requireIn()
        guard record.canGoOn else { throw .noGenerationKeys }
        let replaced = record.recoveryKeys.map(\.fingerprint).joined(separator: ", ")
        let change = UserQuestion.Change(
            .makesRecoveryKey, fingerprint: record.circle.fingerprint, others: replaced)
        try confirm(change, question, by: deadline)
        let key = try show(RecoveryCode(), question, by: deadline)
        return try stating { (record) throws(Refusal) in
            try record.requireIn()
            let removals = record.removeRecoveryKeys()
            let made = SyncStatement.recovery(key.keys, announcement: try announcement(key, of: record.circle))
            record.membership.add(
                key.id,
                .init(
                    keys: key.keys, sponsor: record.own.id, place: .init(device: record.own.id, seq: 0),
                    isRecoveryKey: true, reads: 0))
            guard record.membership.present[key.id]?.keys == key.keys else { throw .fullCircle }
            // Its shares come with the next batch, where the keys stay.
            return removals + [made] + (removals.isEmpty ? [] : [try newGeneration(in: &record)])
        }
    }

    /// Shows a code until the user has closed it.
    private func show(
        _ code: RecoveryCode, _ question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> CircleRecoveryKey {
        let (key, text) = try withCrypto { () throws(CryptoError) in (try CircleRecoveryKey(code), try code.text()) }
        guard let shown = text.withSpan({ $0.text(0, $0.count) }) else { throw .noCircle }
        try converse(question, by: deadline) { (dialogue) throws(Refusal) in try dialogue.showCode(shown) }
        return key
    }

    private func announcement(_ key: CircleRecoveryKey, of circle: CircleID) throws(Refusal) -> BatchHash {
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
        try confirm(recovery(found, offers), question, by: deadline)
        let (record, addition) = try enter(found, by: key, as: name)
        try keepNew(record)
        stated.withLock { $0.add([.add(addition)], by: record.own.id) }
        try forgetOffers()
        return [.add(addition)]
    }

    private func askCode(_ question: CircleQuestion, by deadline: Deadline) throws(Refusal) -> CircleRecoveryKey {
        var entered: RecoveryCode?
        try converse(question, by: deadline) { (dialogue) throws(Refusal) in entered = try dialogue.askCode() }
        guard let entered else { throw .wrongCode }
        return try withCrypto { () throws(CryptoError) in try CircleRecoveryKey(entered) }
    }

    /// The question that shows who reads along, and how old the place's state is.
    private func recovery(_ found: CircleRecord, _ offers: OfferedBatches) -> UserQuestion.Change {
        let machines = found.membership.machines.map { describe($0, in: found) }
        return .init(
            .recovers, name: newestDay(of: found, in: offers), fingerprint: found.circle.fingerprint,
            others: machines.joined(separator: ", "))
    }

    // MARK: - The circle of a code

    /// The circle that was announced with a code, as the recovery key itself knows it.
    private func find(_ key: CircleRecoveryKey, among offers: OfferedBatches) throws(Refusal) -> CircleRecord {
        var isForged = false
        for circle in offers.circles.sorted() {
            let batches = offers.stating.filter { $0.header.circle == circle }
            let claims = batches.flatMap(\.statements).compactMap { statement -> BatchHash? in
                if case .recovery(key.keys, let announcement) = statement { announcement } else { nil }
            }
            guard !claims.isEmpty else { continue }
            guard claims.contains(try announcement(key, of: circle)) else {
                isForged = true
                continue
            }
            let record = try read(batches, of: circle, as: key)
            guard record.membership.members[key.id]?.isRecoveryKey == true else { continue }
            guard !record.membership.removed.contains(key.id) else { throw .replacedCode }
            guard !record.recordKey.isEmpty else { throw .noGenerationKeys }
            return record
        }
        throw isForged ? .forgedCircle : .wrongCode
    }

    /// Counts the statements of a circle, and takes the keys that are shared with the recovery key.
    private func read(
        _ batches: [SyncBatch], of circle: CircleID, as key: CircleRecoveryKey
    ) throws(Refusal) -> CircleRecord {
        let own = CircleRecord.OwnKeys(
            keys: key.keys, id: key.id, backend: .software,
            signing: try sealPart(key.signing, .signing, of: key.id.bytes, in: circle),
            agreement: try sealPart(key.agreement, .agreement, of: key.id.bytes, in: circle))
        var (record, left) = (CircleRecord(circle, random: .none, own), batches)
        var before: Int
        repeat {
            before = left.count
            var waiting: [SyncBatch] = []
            for batch in left where try !isCounted(batch, in: &record) { waiting.append(batch) }
            left = waiting
        } while left.count < before
        // Names are sealed with keys that may have come later.
        for batch in batches { _ = try isCounted(batch, in: &record) }
        return record
    }

    /// - Returns: false for a batch whose author is not known yet. One that is forged is passed over.
    private func isCounted(_ batch: SyncBatch, in record: inout CircleRecord) throws(Refusal) -> Bool {
        do throws(Refusal) { try count(batch, in: &record) } catch {
            switch error.rule {
            case .unknownAuthor: return false
            case .forgedBatch, .malformedBatch: return true
            default: throw error
            }
        }
        return true
    }

    /// The day of the newest version in the last batches of the machines that are in; empty where none can be read.
    private func newestDay(of record: CircleRecord, in offers: OfferedBatches) -> String {
        let batches = record.membership.machines.flatMap { device in
            offers.last[.init(circle: record.circle, device: device)] ?? []
        }
        return batches.flatMap { stamps(of: $0, in: record) }.max().map(Self.day) ?? ""
    }

    /// The day of a stamp in UTC, as ISO 8601 writes it.
    private static func day(_ stamp: UInt64) -> String {
        var seconds = time_t(clamping: stamp / 1_000_000)
        var parts = unsafe tm()
        guard unsafe gmtime_r(&seconds, &parts) != nil else { return "" }
        let (year, month, day) = unsafe (Int(parts.tm_year) + 1900, parts.tm_mon + 1, parts.tm_mday)
        return String(year) + [month, day].map { ($0 < 10 ? "-0" : "-") + String($0) }.joined()
    }

    private func stamps(of batch: SyncBatch, in record: CircleRecord) -> [UInt64] {
        guard let author = record.membership.members[batch.header.device]?.keys, let sealed = batch.sealed,
            author.hasSigned(batch.signature, of: batch.signed),
            let key = try? commonKey(of: batch.header.generation, in: record),
            let content = try? CircleCipher.open(
                sealed.span, .batch, under: key, salt: batch.header.salt.bytes, place: batch.associated),
            let read = try? SyncContent(decoding: content)
        else { return [] }
        return read.records.map(\.hlc)
    }

    /// This machine in the circle, with keys of its own, on the recovery key's word.
    private func enter(
        _ found: CircleRecord, by key: CircleRecoveryKey, as name: String
    ) throws(Refusal) -> (CircleRecord, Addition) {
        var record = try makeRecord(joining: found.circle)
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
        return (record, addition)
    }
}

extension CircleRecord {
    /// The recovery keys that are in.
    fileprivate var recoveryKeys: [MemberID] { membership.present.filter(\.value.isRecoveryKey).keys.sorted() }

    /// Removes all recovery keys. The machines that they have added stay.
    fileprivate mutating func removeRecoveryKeys() -> [SyncStatement] {
        recoveryKeys.map { id in
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

    fileprivate static let replacedCode = Refusal(
        .authFailed, .wrongRecoveryCode, "circle", "The code serves no more: another one has replaced it.",
        do: "Use the newest code, or have a machine of the circle add this one.")

    fileprivate static let forgedCircle = Refusal(
        .authFailed, .forgedBatch, "circle",
        "A circle at this place names the recovery key, and was not made by those who know its code: it is forged.",
        do: "Use the place that the circle is kept at. Somebody who can write to this one is not to be trusted.")

    fileprivate static let nothingOffered = Refusal(
        .notAvailable, .noCircle, "circle", "The place has no circle.",
        do: "See that the place is the circle's, and that all of it has arrived.")
}
