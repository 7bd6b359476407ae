import KeychainWire
import LinuxSystem
import Testing

@testable import KeychainMaster

@Suite("Connections that wait for a daemon are due in turn by who has made them")
struct ArrivalQueueTests {
    private var queue = ArrivalQueue()

    /// Puts one connection of each; whose had to go, or -1 for nobody's.
    private mutating func put(_ users: [UInt32]) throws -> [Int64] {
        try users.map { user in
            let arrival = UserDaemon.Arrival(connection: try UnixSocket.pair().0, kind: .client, user: user)
            return queue.put(arrival).map { Int64($0.user) } ?? -1
        }
    }

    private mutating func takeAll() -> [UInt32] {
        var users: [UInt32] = []
        while let next = queue.next, let taken = queue.take() {
            #expect(next.user == taken.user)
            users.append(taken.user)
        }
        return users
    }

    @Test("Users take turns, and root is first")
    mutating func turns() throws {
        #expect(try put([7, 7, 7, 8, 9, 0, 8]) == Array(repeating: -1, count: 7))
        #expect(takeAll() == [0, 7, 8, 9, 7, 8, 7])
        #expect(queue.isEmpty)
    }

    @Test("A crowd takes its own places alone: who comes later has one, and the crowd one less")
    mutating func crowd() throws {
        #expect(try put(Array(repeating: 7, count: 64)).allSatisfy { $0 == -1 })
        #expect(try put([7, 8, 0, 0, 7]) == [7, 7, 7, 7, 7])
        #expect(Array(takeAll().prefix(5)) == [0, 7, 8, 0, 7])
    }

    @Test("Root's wait whoever else comes, and go for nobody but root")
    mutating func root() throws {
        #expect(try put([0]) == [-1])
        #expect(try put((1...63).map { $0 }).allSatisfy { $0 == -1 })
        #expect(try put([100]) != [0])
        #expect(takeAll().first == 0)
        #expect(try put(Array(repeating: 0, count: 65)).last == 0)
    }

    @Test("A user's subordinate numbers have one turn between them")
    mutating func subordinates() throws {
        let numbers = (0..<64).map { UInt32(1_700_003_840 + $0) }
        #expect(try put(numbers).allSatisfy { $0 == -1 })
        #expect(try put([8]).allSatisfy { $0 >= 1_700_003_840 })
        #expect(takeAll()[1] == 8)
    }
}
