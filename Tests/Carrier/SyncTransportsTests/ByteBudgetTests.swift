import SyncTransports
import Testing

@Suite("How much a transport gives at once")
struct ByteBudgetTests {
    @Test("The first batch is given whatever its size, and none after the bytes are reached")
    func bytes() {
        let cases = [(4, [3, 3, 1], 2), (4, [4, 1], 1), (2, [9, 1], 1), (0, [1, 1], 1), (9, [0, 0, 0], 3)]
        for (most, sizes, given) in cases {
            #expect(Self.given(sizes, ByteBudget(atMost: most)) == given, "\(most)")
        }
    }

    @Test("Where each batch is a request, there are no more of them than the transport allows")
    func batches() {
        #expect(Self.given([0, 0, 0], ByteBudget(atMost: 9, batches: 2)) == 2)
    }

    private static func given(_ sizes: [Int], _ budget: ByteBudget) -> Int {
        var (budget, count) = (budget, 0)
        for size in sizes where budget.hasRoom {
            budget.take([UInt8](repeating: 0, count: size))
            count += 1
        }
        return count
    }
}
