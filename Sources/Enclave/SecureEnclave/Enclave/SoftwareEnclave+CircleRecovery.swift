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
        guard !offers.stating.isEmpty else { throw .nothingOffered }
        let key = try askCode(question, by: deadline)
        defer { forgetLoadedKeys() }
        let found = try find(key, among: offers)
        try confirm(try recovery(found, offers), question, by: deadline)
        let (record, addition) = try enter(found, by: key, as: name)
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
    private func recovery(
        _ found: CircleRecord, _ offers: OfferedBatches
    ) throws(Refusal) -> UserQuestion.Change {
        var (machines, newest): ([String], UInt64) = ([], 0)
        for id in found.membership.machines {
            let last = offers.last[.init(circle: found.circle, device: id)] ?? []
            var stamp: UInt64 = 0
            for batch in last { stamp = try stamps(of: batch, in: found).reduce(stamp, max) }
            machines.append(describe(id, in: found, also: Self.day(stamp)))
            newest = max(newest, stamp)
        }
        return .init(
            .recovers, name: Self.day(newest), fingerprint: found.circle.fingerprint,
            others: machines.joined(separator: ", "))
    }

    // MARK: - The circle of a code

    /// The circle that was announced with a code, as the recovery key itself knows it.
    private func find(_ key: CircleRecoveryKey, among offers: OfferedBatches) throws(Refusal) -> CircleRecord {
        var isForged = false
        // A place may have thousands of circles that somebody has made up.
        let circles = Dictionary(grouping: offers.stating, by: \.header.circle)
        for (circle, batches) in circles.sorted(by: { $0.key < $1.key }) {
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
        var record = CircleRecord(circle, random: .none, own)
        try count(batches, in: &record)
        // Names are sealed with keys that may have come later.
        for batch in batches where !batch.introduced.isEmpty { _ = try isCounted(batch, in: &record) }
        return record
    }

    /// Counts batches, each when its author is known. However they come, each is looked at a few times only.
    private func count(_ batches: [SyncBatch], in record: inout CircleRecord) throws(Refusal) {
        var (next, waiting) = (Array(batches.reversed()), [MemberID: [SyncBatch]]())
        while let batch = next.popLast() {
            if try isCounted(batch, in: &record) {
                for keys in batch.introduced {
                    let id = try identifier(of: keys)
                    guard record.membership.members[id] != nil else { continue }
                    next += (waiting.removeValue(forKey: id) ?? []).reversed()
                }
            } else {
                for id in batch.vouchers where record.membership.members[id] == nil {
                    waiting[id, default: []].append(batch)
                }
            }
        }
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

    /// The day of a stamp in UTC, as ISO 8601 writes it; empty for none.
    private static func day(_ stamp: UInt64) -> String {
        guard stamp > 0 else { return "" }
        var seconds = time_t(clamping: stamp / 1_000_000)
        var parts = unsafe tm()
        guard unsafe gmtime_r(&seconds, &parts) != nil else { return "" }
        let (year, month, day) = unsafe (Int(parts.tm_year) + 1900, parts.tm_mon + 1, parts.tm_mday)
        return String(year) + [month, day].map { ($0 < 10 ? "-0" : "-") + String($0) }.joined()
    }

    /// The stamps in a batch; none where its keys are not here, or its author has sealed something else.
    private func stamps(of batch: SyncBatch, in record: CircleRecord) throws(Refusal) -> [UInt64] {
        let header = batch.header
        guard let author = record.membership.members[header.device]?.keys, let sealed = batch.sealed,
            author.hasSigned(batch.signature, of: batch.signed), record.held[header.generation] != nil
        else { return [] }
        let key = try commonKey(of: header.generation, in: record)
        do throws(CryptoError) {
            let content = try CircleCipher.open(
                sealed.span, .batch, under: key, salt: header.salt.bytes, place: batch.associated)
            return (try? SyncContent(decoding: content))?.records.map(\.hlc) ?? []
        } catch {
            guard error != .libraryFailure else { throw .crypto(error) }
            return []
        }
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

extension SyncBatch {
    /// The keys of machines and recovery keys that it adds.
    fileprivate var introduced: [MemberKeys] {
        statements.compactMap { statement in
            switch statement {
            case .genesis(let keys, _), .recovery(let keys, _): keys
            case .add(let addition): addition.keys
            default: nil
            }
        }
    }

    /// Members that make its author known: itself, or the recovery keys that its own `add` names.
    fileprivate var vouchers: Set<MemberID> {
        statements.reduce(into: [header.device]) { found, statement in
            if case .add(let addition) = statement, addition.recoveryKey != .none { found.insert(addition.recoveryKey) }
        }
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
