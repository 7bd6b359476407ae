import KeychainModel
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

/// A format: its name, a value's bytes from a seed, and the bytes that its reader makes of others; nil for an error.
struct TotalFormat: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sample: @Sendable (UInt64) -> [UInt8]
    let again: @Sendable ([UInt8]) throws(SyncMalformed) -> [UInt8]

    static let all = [
        TotalFormat(testDescription: "a batch") { seed in
            var samples = SyncSamples(seed: seed)
            return samples.batch(isSealed: seed % 3 > 0).bytes ?? []
        } again: { bytes throws(SyncMalformed) in
            try SyncBatch(decoding: bytes, hash: SyncSamples.hash).bytes ?? []
        },
        TotalFormat(testDescription: "a carried batch") { seed in
            var samples = SyncSamples(seed: seed)
            return samples.batch().carried
        } again: { bytes throws(SyncMalformed) in
            try SyncBatch(carried: bytes).carried
        },
        TotalFormat(testDescription: "a content") { seed in
            var samples = SyncSamples(seed: seed)
            return samples.content().encoded().array
        } again: { bytes throws(SyncMalformed) in
            try SyncContent(decoding: SecretBytes(copying: bytes.span)).encoded().array
        },
        TotalFormat(testDescription: "an item") { seed in
            var samples = SyncSamples(seed: seed)
            return samples.item().encoded().array
        } again: { bytes throws(SyncMalformed) in
            try SyncItem(decoding: bytes.span).encoded().array
        },
        TotalFormat(testDescription: "a shelf") { seed in
            var samples = SyncSamples(seed: seed)
            return samples.shelf().encoded().array
        } again: { bytes throws(SyncMalformed) in
            try SyncShelf(decoding: bytes.span).encoded().array
        },
        TotalFormat(testDescription: "a manifest") { seed in
            var samples = SyncSamples(seed: seed)
            return samples.manifest().encoded().array
        } again: { bytes throws(SyncMalformed) in
            try SnapshotManifest(decoding: bytes.span).encoded().array
        },
        TotalFormat(testDescription: "a part") { seed in
            var samples = SyncSamples(seed: seed)
            return samples.part().bytes
        } again: { bytes throws(SyncMalformed) in
            try SnapshotPart(decoding: bytes).bytes
        },
        TotalFormat(testDescription: "records") { seed in
            var samples = SyncSamples(seed: seed)
            return SnapshotPart.content((0..<3).map { _ in samples.record() }).array
        } again: { bytes throws(SyncMalformed) in
            SnapshotPart.content(try SnapshotPart.records(decoding: SecretBytes(copying: bytes.span))).array
        },
    ]

    /// Other bytes are an error, or another value that is written as exactly these bytes.
    func expectTotal(_ bytes: [UInt8]) {
        guard let written = try? again(bytes) else { return }
        #expect(written == bytes, "\(testDescription) has two spellings")
    }
}

@Suite("Formats of synchronisation")
struct SyncFormatTests {
    @Test("What is written is read as the same", arguments: TotalFormat.all)
    func roundTrip(format: TotalFormat) throws {
        for seed in 0..<UInt64(full(2000, gate: 30)) {
            let bytes = format.sample(seed)
            #expect(try format.again(bytes) == bytes, "seed \(seed)")
        }
    }

    @Test("Bytes that are cut anywhere are an error", arguments: TotalFormat.all)
    func everyCut(format: TotalFormat) {
        for seed in 0..<UInt64(full(40, gate: 2)) {
            let bytes = format.sample(seed)
            for count in 0..<bytes.count where (try? format.again(Array(bytes.prefix(count)))) != nil {
                Issue.record("\(count) of \(bytes.count) bytes, seed \(seed)")
            }
            #expect(throws: SyncMalformed.self) { try format.again(bytes + [0]) }
        }
    }

    @Test("A flipped bit is an error or another value, which has one spelling", arguments: TotalFormat.all)
    func everyBit(format: TotalFormat) {
        for seed in 0..<UInt64(full(10, gate: 1)) {
            var bytes = format.sample(seed)
            for place in stride(from: 0, to: bytes.count * 8, by: full(1, gate: 11)) {
                bytes[place / 8] ^= 1 << UInt8(place % 8)
                format.expectTotal(bytes)
                bytes[place / 8] ^= 1 << UInt8(place % 8)
            }
        }
    }

    @Test("Altered bytes are an error or another value, which has one spelling", arguments: TotalFormat.all)
    func mutations(format: TotalFormat) {
        var random = SplitMix64(seed: 7)
        let samples = (0..<UInt64(8)).map(format.sample)
        for round in 0..<full(100_000, gate: 300) { format.expectTotal(random.mutate(samples[round % samples.count])) }
    }

    @Test("Both forms of a batch have the same signed bytes, and a changed sealed part has others")
    func signedBytes() throws {
        var samples = SyncSamples(seed: 1)
        let batch = samples.batch()
        #expect(try SyncBatch(carried: batch.carried).signed == batch.signed)
        var bytes = try #require(batch.bytes)
        bytes[bytes.count - SyncBatch.signatureSize - 1] ^= 1
        #expect(try SyncBatch(decoding: bytes, hash: SyncSamples.hash).signed != batch.signed)
    }

    @Test("Header and statements are read for a signature, and the header alone for what is sealed with it")
    func parts() throws {
        var samples = SyncSamples(seed: 2)
        let batch = samples.batch()
        let head = Array(batch.carried.dropLast(BatchHash.size + SyncBatch.signatureSize))
        #expect(try SyncBatch(unsigned: head, sealedHash: batch.sealedHash).signed == batch.signed)
        #expect(try SyncHeader.sealing(batch.associated).header == batch.header)
        #expect(try SyncHeader.sealing(batch.associated).sealedSize == batch.sealed?.count)
        #expect(throws: SyncMalformed.self) { try SyncHeader.sealing(Array(batch.associated.dropLast())) }
        #expect(throws: SyncMalformed.self) { try SyncHeader.sealing(batch.associated + [0]) }
        #expect(try SyncStatement.list(decoding: batch.statements.flatMap(\.bytes)) == batch.statements)
    }

    @Test("The slot of a batch has one spelling")
    func slots() throws {
        let slot = SyncSlot(circle: CircleID(number: 0xAB), device: MemberID(number: 1), seq: 255)
        let zeros = String(repeating: "0", count: 30)
        #expect(slot.text == "\(zeros)ab/log/\(zeros)01/00000000000000ff")
        #expect(try SyncSlot(slot.text) == slot)
        let part = SyncSlot(circle: slot.circle, device: slot.device, seq: 255, part: 3)
        #expect(part.text == "\(zeros)ab/part/\(zeros)01/00000000000000ff/00000003")
        #expect(try SyncSlot(part.text) == part)
        let others = [
            slot.text.uppercased(), slot.text + " ", "/" + slot.text, slot.text.replacing("00ff", with: "0ff"),
            slot.text.replacing("00ff", with: "+0ff"), slot.text.replacing("/log/", with: "/part/"),
            slot.text + "/00000001", part.text.replacing("/00000003", with: ""), "",
            slot.text.replacing("ff", with: "00"), slot.text.replacing("log/0", with: "log//0"),
        ]
        for text in others { #expect(throws: SyncMalformed.self, "\(text)") { try SyncSlot(text) } }
    }

    @Test("Stamps and floors of 2^62 and more are malformed")
    func endOfTime() {
        for (hlc, floor) in [(SyncLimits.endOfTime, 0), (0, SyncLimits.endOfTime), (UInt64.max, 0), (0, .max)] {
            let record = SyncRecord(kind: SyncRecord.Kind.manifest, hlc: hlc, body: SecretBytes(count: 0))
            let bytes = SyncContent(positions: [], floor: floor, records: [record]).encoded()
            #expect(throws: SyncMalformed.value) { try SyncContent(decoding: bytes) }
        }
    }

    @Test("Records of unknown kinds are kept as they are")
    func unknownKinds() throws {
        let body = SecretBytes(copying: [1, 2, 3].span)
        let record = SyncRecord(kind: 77, itemClass: 9, protection: 200, hlc: 5, body: body)
        let bytes = SyncContent(positions: [], floor: 0, records: [record]).encoded()
        let found = try #require(try SyncContent(decoding: bytes).records.first)
        #expect(found.kind == 77 && found.itemClass == 9 && found.protection == 200)
        #expect(found.withBody { $0.array(0, $0.count) } == [1, 2, 3])
    }

    @Test(
        "Padding hides all but the first bits of a length",
        arguments: [(0, 1024), (1024, 1024), (1025, 1088), (1088, 1088), (1089, 1152), (100_000, 100_352)])
    func padding(count: Int, padded: Int) { #expect(PaddedLength.of(count) == padded) }

    @Test("A padded length is its own, never smaller, and at most a ninth larger")
    func paddedLengths() {
        for count in PaddedLength.least...full(200_000, gate: 3000) {
            let padded = PaddedLength.of(count)
            #expect(padded >= count && padded - count <= count / 9 && PaddedLength.of(padded) == padded)
        }
    }

    @Test("A snapshot for which its readers have no room is malformed, and so is a part that is too large")
    func largeSnapshots() {
        func reads(_ count: Int, of size: Int) -> Bool {
            let part = SnapshotManifest.Part(size: UInt32(size), hash: BatchHash([1]))
            let manifest = SnapshotManifest(logs: [], parts: Array(repeating: part, count: count))
            return (try? SnapshotManifest(decoding: manifest.encoded().array.span)) == manifest
        }
        let most = SyncLimits.snapshotBytes / SyncLimits.partBytes
        #expect(reads(most, of: SyncLimits.partBytes) && reads(64, of: 1 << 20))
        #expect(!reads(most + 1, of: SyncLimits.partBytes) && !reads(65, of: 1 << 20))
        #expect(!reads(1, of: SyncLimits.partBytes + 1) && !reads(1, of: Int(UInt32.max)))
    }

    @Test("Identifiers are ordered by their bytes")
    func order() {
        #expect(MemberID([0, 0xFF]) < MemberID([1]))
        #expect(MemberID([UInt8](0..<16)).bytes == [UInt8](0..<16))
        #expect(SyncStamp(hlc: 1, device: MemberID([9])) < SyncStamp(hlc: 2, device: MemberID([1])))
    }
}
