import SyncFormat
import TestSupport
import Testing

@testable import SecureEnclave

@Suite("Batches that wait for their authors") struct BatchQueueTests {
    private static func batch(_ number: UInt64) -> SyncBatch {
        let header = SyncHeader(
            circle: CircleID(number: 1), device: MemberID(number: UInt128(number)), seq: 1, previous: .none,
            generation: .none, salt: .none)
        return SyncBatch(header, [], sealed: [], sealedHash: .none) { _ in
            [UInt8](repeating: 0, count: SyncBatch.signatureSize)
        }
    }

    @Test("One that waits for many members is looked at once more for each, however they come")
    func waitsForMany() {
        let members = (100..<140).map { MemberID(number: $0) }
        // The first waits in vain; the others introduce one member each.
        let batches = (0...members.count).map { Self.batch(UInt64($0)) }
        var queue = BatchQueue(batches)
        var (looks, introduced) = ([Int](repeating: 0, count: batches.count), Set<MemberID>())
        while let (place, batch) = queue.take() {
            #expect(batch == batches[place])
            looks[place] += 1
            if place == 0 {
                queue.put(place, until: members.filter { !introduced.contains($0) })
            } else {
                introduced.insert(members[place - 1])
                queue.note(members[place - 1])
            }
            guard looks[0] <= members.count + 1 else { break }
        }
        #expect(looks == [members.count + 1] + members.map { _ in 1 })
    }

    @Test("They come in their order, and those that have waited before the rest")
    func order() {
        let batches = (0..<4).map { Self.batch(UInt64($0)) }
        var (queue, places) = (BatchQueue(batches), [Int]())
        while let (place, _) = queue.take() {
            places.append(place)
            if places.count <= 2 { queue.put(place, until: [MemberID(number: 9)]) }
            if place == 2 { queue.note(MemberID(number: 9)) }
        }
        #expect(places == [0, 1, 2, 0, 1, 3])
    }
}
