import EnclaveWire
import KeychainCrypto
import KeychainModel
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@testable import SecureEnclave

@Suite("Machines that enter by a recovery key where logs are gone in part") struct SnapshotRecoveryTests {
    private static let days: [UInt64] = [1_500_000_000_000_000, 1_600_000_000_000_000, 1_700_000_000_000_000]
    private static let texts = ["2017-07-14", "2020-09-13", "2023-11-14"]

    /// A circle whose first machine has made a snapshot that the second has endorsed.
    private struct ShortCircle {
        let circle: RecoverableCircle
        let snapshot: PlacedSnapshot
        let endorsement: SyncBatch
        /// The batches that are gone, and stand in the snapshot.
        let gone: [SyncBatch]

        var first: CircleMachine { circle.machines[0] }
        var second: CircleMachine { circle.machines[1] }
        /// All that the place still has.
        var offers: [[UInt8]] { snapshot.announcement.offer + endorsement.offer + snapshot.offers }

        /// - Parameter isOfSecond: whether the second machine has made it, and the first endorsed.
        /// - Parameter count: how often the manifest has its only part.
        init(isOfSecond: Bool = false, naming count: Int = 1) throws {
            let circle = try RecoverableCircle()
            let ends = try circle.machines.map { try $0.publish(.dated(days[0]), under: circle.current) }
            gone = circle.batches + ends
            let (author, other) = (circle.machines[isOfSecond ? 1 : 0], circle.machines[isOfSecond ? 0 : 1])
            snapshot = try author.publishSnapshot(
                of: ends, circle.batches, under: circle.current, naming: count)
            endorsement = try other.publish([.endorse(try snapshot.position)])
            self.circle = circle
        }

        /// The first machine removes the second.
        func remove() throws -> (batch: SyncBatch, generation: GenerationID) {
            let statements = try first.remove(try second.id)
            guard case .generation(let made) = try #require(statements.last) else {
                throw SystemError(code: 0, call: "generation")
            }
            return (try first.publish(statements), made.id)
        }
    }

    /// The question that the user is shown, and whether it has the second machine among those that are in.
    private static func recovered(
        _ offers: [[UInt8]], _ short: ShortCircle
    ) throws -> (day: String, others: String, hasSecond: Bool) {
        let newcomer = try CircleMachine()
        try newcomer.recover(offers, short.circle.code)
        let shown = try #require(newcomer.user.questions.last?.change)
        return (shown.name, shown.others, shown.others.contains(try short.second.id.fingerprint))
    }

    private static func refused(_ offers: [[UInt8]], _ short: ShortCircle) throws -> Bool {
        let newcomer = try CircleMachine()
        let refused = refusal { try newcomer.recover(offers, short.circle.code) }
        #expect(try newcomer.connection.circle() == nil)
        let isTold = refused?.rule == .noCircle || refused?.rule == .wrongRecoveryCode
        #expect(refused == nil || isTold && newcomer.user.kinds == [.code])
        return refused != nil
    }

    @Test("A snapshot that all have endorsed stands for what is gone, and logs go on from it")
    func enters() throws {
        let short = try ShortCircle()
        let later = try short.first.publish(.dated(Self.days[2]), under: short.circle.current)
        let found = try Self.recovered(short.offers + later.offer, short)
        #expect(found.day == Self.texts[2] && found.hasSecond && found.others.contains("phone ("))
        let newcomer = try CircleMachine()
        let statements = try newcomer.recover(later.offer + short.offers, short.circle.code)
        let own = try newcomer.publish(statements, "from the newcomer", under: short.circle.current)
        try short.first.take(own)
        #expect(try short.first.read(own) == "from the newcomer")
        // Batches that are not yet gone are no hindrance, and nor are snapshots that nobody needs.
        #expect(try Self.recovered(short.gone.flatMap(\.offer) + short.offers, short).hasSecond)
        #expect(try Self.recovered(short.gone.flatMap(\.offer) + short.snapshot.offers, short).hasSecond)
    }

    @Test("A place that hides a removal behind a snapshot looks no newer than that")
    func hiddenRemoval() throws {
        let short = try ShortCircle()
        let before = try short.first.publish(.dated(Self.days[1]), under: short.circle.current)
        let (removal, made) = try short.remove()
        let later = try short.first.publish(.dated(Self.days[2]), under: made)
        let honest = try Self.recovered(short.offers + [before, removal, later].flatMap(\.offer), short)
        #expect(honest.day == Self.texts[2] && !honest.hasSecond)
        let hiding = try Self.recovered(short.offers + [before, later].flatMap(\.offer), short)
        #expect(hiding.day == Self.texts[1] && hiding.hasSecond)
    }

    @Test("A place that shows an old snapshot shows nothing that was written after what a later one covers")
    func oldSnapshot() throws {
        let short = try ShortCircle()
        let (removal, made) = try short.remove()
        let last = try short.first.publish(.dated(Self.days[1]), under: made)
        let stating = short.circle.batches + [short.endorsement, removal]
        let next = try short.first.publishSnapshot(of: [last, short.endorsement], stating, under: made)
        let later = try short.first.publish(.dated(Self.days[2]), under: made)
        let tail = next.announcement.offer + later.offer
        let honest = try Self.recovered(tail + next.offers, short)
        #expect(honest.day == Self.texts[2] && !honest.hasSecond)
        let old = short.offers + tail
        let hiding = try Self.recovered(old, short)
        #expect(hiding.day == "" && hiding.hasSecond)
        // Without what it was endorsed with, the old one is none.
        #expect(try Self.refused(short.snapshot.offers + tail, short))
        #expect(try !Self.recovered(old + next.offers, short).hasSecond)
    }

    @Test("A part that somebody has altered is none, alone and with the real one") func forgedPart() throws {
        let short = try ShortCircle()
        let real = short.snapshot.parts[0]
        for carried in [Array(real.carried.dropLast()), [], real.carried + real.carried] {
            let part = SnapshotPart(real.header, carried: carried, sealed: [])
            let tail = short.snapshot.announcement.offer + short.endorsement.offer
            #expect(try Self.refused(tail + [part.bytes] + short.snapshot.announcement.offer, short))
            #expect(try Self.recovered(tail + [part.bytes] + short.offers, short).hasSecond)
        }
    }

    @Test("A snapshot that a removed machine has made without its removal counts for nothing")
    func snapshotOfRemoved() throws {
        let short = try ShortCircle()
        let (removal, made) = try short.remove()
        let last = try short.first.publish(.dated(Self.days[1]), under: made)
        let later = try short.first.publish(.dated(Self.days[2]), under: made)
        // It names the real end of the other log.
        let forged = try short.second.publishSnapshot(
            of: [last, short.endorsement], short.circle.batches, under: short.circle.current)
        let tail = short.endorsement.offer + forged.announcement.offer + later.offer + forged.offers
        #expect(try Self.refused(tail, short))
        let endorsed = try short.second.publish([.endorse(try forged.position)])
        #expect(try Self.refused(tail + endorsed.offer, short))
        let honest = try Self.recovered(tail + short.offers + [removal, last].flatMap(\.offer), short)
        #expect(honest.day == Self.texts[2] && !honest.hasSecond)
    }

    @Test("The snapshot of a machine that was removed later serves on, because others have endorsed it")
    func removedLater() throws {
        let short = try ShortCircle(isOfSecond: true)
        let (removal, made) = try short.remove()
        let later = try short.first.publish(.dated(Self.days[2]), under: made)
        let found = try Self.recovered(short.offers + removal.offer + later.offer, short)
        #expect(found.day == Self.texts[2] && !found.hasSecond)
        #expect(try Self.refused(short.snapshot.announcement.offer + short.snapshot.offers + removal.offer, short))
    }

    @Test(
        "A machine that was added later need not vouch for a snapshot, and does not vouch for the gone logs of others")
    func newMachine() throws {
        let short = try ShortCircle()
        let tablet = try CircleMachine()
        _ = try tablet.enter(try short.first.state.circle)
        let added = try short.first.publish(try short.first.add(tablet, name: "tablet"))
        let share = try short.first.connection.shareGeneration(short.circle.current, with: [try tablet.id])
        let shared = try short.first.publish([share])
        for batch in short.circle.batches + [added, shared] { try tablet.take(batch) }
        let own = try tablet.publish(.dated(Self.days[2]), under: short.circle.current)
        let word = try tablet.publish([.endorse(try short.snapshot.position)])
        let tail = [added, shared, own].flatMap(\.offer)
        let found = try Self.recovered(short.offers + tail, short)
        let number = try tablet.id.fingerprint
        #expect(found.day == Self.texts[2] && found.others.contains(number))
        #expect(try Self.refused(short.snapshot.announcement.offer + short.snapshot.offers + tail + word.offer, short))
    }

    @Test("A snapshot of a log without its end counts for nothing before the log's author vouches for it")
    func uncovered() throws {
        let short = try ShortCircle()
        // All that the first machine has stated, and nothing of where its log ends.
        let made = try short.second.publishSnapshot(
            of: [short.endorsement], short.circle.batches, under: short.circle.current)
        #expect(try Self.refused(made.announcement.offer + made.offers, short))
    }

    @Test("A snapshot that lists a part twice is none: as often as it is listed, its batches would be verified")
    func repeatedPart() throws {
        for count in [2, SyncLimits.parts] {
            let short = try ShortCircle(naming: count)
            #expect(try Self.refused(short.offers, short))
        }
    }

    // MARK: - Strangers who may write

    @Test(
        "Batches that a stranger writes cut off no log, wherever they are and whenever seen", arguments: [false, true])
    func strangers(isFirst: Bool) throws {
        let short = try ShortCircle()
        let (removal, made) = try short.remove()
        let later = try short.first.publish(.dated(Self.days[2]), under: made)
        let next = try removal.forged(seq: removal.header.seq + 1)
        let junk =
            try [
                try removal.forged(), next, try next.forged(seq: next.header.seq + 1),
                try removal.forged(previous: BatchHash.none, seq: 1), try removal.forged(seq: 3),
                try later.forged(seq: 1000),
                try removal.signedOtherwise(), try later.signedOtherwise(), try short.endorsement.signedOtherwise(),
            ] + (0..<30).map { _ in try later.forged() }
        let whole = (short.gone + [short.snapshot.announcement, short.endorsement, removal, later]).flatMap(\.offer)
        for real in [short.offers + later.offer + removal.offer, short.offers + removal.offer + later.offer, whole] {
            let shown = isFirst ? junk.flatMap(\.offer) + real : real + junk.flatMap(\.offer)
            // A carrier brings all batches once more, when their authors are known.
            let found = try Self.recovered(shown + shown, short)
            #expect(found.day == Self.texts[2] && !found.hasSecond)
        }
    }

    @Test("A place with more than there is room for is refused, whatever fills it") func full() throws {
        let short = try ShortCircle()
        var offered = OfferedBatches()
        let refused = refusal {
            for seq in 2...UInt64(OfferedBatches.statingBytes / 256 + 2) {
                try offered.take(try short.endorsement.forged(seq: 2 * seq, []).offer[0])
            }
        }
        #expect(refused?.rule == .fullCircle)
        #expect(refusal { try offered.take(short.snapshot.parts[0].bytes) }?.rule == .fullCircle)
    }

    @Test("A library that fails is told as such, and nothing is taken") func failingLibrary() throws {
        let short = try ShortCircle()
        for offer in [short.gone[0].offer[0], short.endorsement.offer[0], short.snapshot.parts[0].bytes] {
            for failing in 1...3 {
                let calls = Lock(0)
                var offered = OfferedBatches { (bytes) throws(CryptoError) in
                    let count = calls.withLock { count in
                        count += 1
                        return count
                    }
                    guard count != failing else { throw .libraryFailure }
                    return try BatchHash(sha256: bytes.span)
                }
                let refused = refusal { try offered.take(offer) }
                let isReached = calls.withLock { $0 } >= failing
                #expect(refused?.rule == (isReached ? Refusal.crypto(.libraryFailure).rule : nil))
                #expect(offered.circles.isEmpty == isReached)
                // The sealed part, what is signed, and the keys that are added are hashed once each.
                let most = offer == short.gone[0].offer[0] ? 3 : 2
                if offer != short.snapshot.parts[0].bytes { #expect(isReached == (failing <= most)) }
            }
        }
    }
}

extension SyncBatch {
    /// Its bytes at a place, in a list.
    fileprivate var offer: [[UInt8]] { [bytes].compactMap(\.self) }

    /// A batch of the same log that somebody else has made up.
    fileprivate func forged(
        previous: BatchHash? = nil, seq: UInt64? = nil, _ statements: [SyncStatement] = [.want(GenerationID([7]))]
    ) throws -> SyncBatch {
        let own = seq.map { $0 > header.seq } == true ? try BatchHash(sha256: signed.span) : header.previous
        let made = SyncHeader(
            circle: header.circle, device: header.device, seq: seq ?? header.seq, previous: previous ?? own,
            generation: GenerationID([1]), salt: BatchHash(Randomness.bytes(BatchHash.size)))
        let sealed = Randomness.bytes(64)
        return SyncBatch(made, statements, sealed: sealed, sealedHash: try BatchHash(sha256: sealed.span)) { _ in
            Randomness.bytes(Self.signatureSize)
        }
    }

    /// The same with a signature that does not hold.
    fileprivate func signedOtherwise() throws -> SyncBatch {
        let bytes = try #require(bytes)
        return try SyncBatch(decoding: Array(bytes.dropLast()) + [~(bytes.last ?? 0)]) { (sealed) in
            (try? BatchHash(sha256: sealed.span)) ?? .none
        }
    }
}
