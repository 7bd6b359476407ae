import KeychainModel
import KeychainPolicy
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

@Suite("Programs that watch access groups")
struct GroupWatchTests {
    private let server: RunningServer
    private let client: RawClient

    init() throws {
        let caller = CallerIdentity(user: 1, process: 2, program: "/program", groups: ["a", "b", StandIn.foreign])
        server = try RunningServer { _ in .known(IdentifiedCaller(lasting: caller)) }
        client = try server.connect()
    }

    private static func watch(_ groups: [String: UInt64], id: UInt32, for milliseconds: UInt32 = 60_000) -> [UInt8] {
        let seen = groups.sorted { $0.key < $1.key }.map { GroupNumber(group: $0.key, number: $0.value) }
        return Frames.device(.watchGroups(GroupWatch(seen, milliseconds: milliseconds)), id: id)
    }

    private func numbers(of answer: Answer?) throws -> [GroupNumber] {
        let answer = try #require(answer)
        if let refusal = answer.refusal { throw refusal }
        var reader = WireReader(answer.body)
        _ = try reader.notice()
        return try [GroupNumber](from: &reader)
    }

    @Test("Who knows another number, or none, is answered at once, and who may not ask is refused")
    func atOnce() throws {
        for known in [0, 6, 8] as [UInt64] {
            let answer = try client.ask(Self.watch(["a": known], id: 1))
            #expect(try numbers(of: answer) == [GroupNumber(group: "a", number: 7)])
        }
        let refused = try client.ask(Self.watch([StandIn.foreign: 7], id: 2))
        #expect(refused?.refusal?.rule == .foreignGroup)
    }

    @Test("A group that is not the program's is refused before anybody looks, among others too")
    func foreign() throws {
        for groups in [["c": 7], ["a": 7, "c": 7]] as [[String: UInt64]] {
            #expect(try client.ask(Self.watch(groups, id: 1))?.refusal?.status == .missingEntitlement)
        }
        #expect(server.standIn.record.begunLooks == 0)
    }

    @Test("Who waits is told of a change in its group, and of one in another group hears nothing")
    func waits() throws {
        let other = try server.connect()
        try client.send(Self.watch(["a": 7], id: 1))
        try other.send(Self.watch(["b": 7], id: 2))
        #expect(server.standIn.waits { $0.looks == 2 })
        server.standIn.change("b")
        #expect(try numbers(of: try other.receive()) == [GroupNumber(group: "b", number: 8)])
        // The one of the other group was looked at again, and was not answered.
        #expect(server.standIn.waits { $0.looks >= 4 })
        #expect(try client.ask(Frames.search(id: 3))?.id == 3)
        server.standIn.change("a")
        let answer = try client.receive()
        #expect(answer?.id == 1)
        #expect(try numbers(of: answer) == [GroupNumber(group: "a", number: 8)])
    }

    @Test("A watch goes with its connection, also when it is being looked at, and leaves its place to others")
    func goesWithItsConnection() throws {
        var limits = ServerLimits()
        (limits.groupWatchers, limits.groupWatchersOfProgram) = (1, 1)
        let caller = CallerIdentity(user: 1, process: 2, program: "/program", groups: ["a"])
        let server = try RunningServer(limits: limits) { _ in .known(IdentifiedCaller(lasting: caller)) }
        let other = try server.connect()
        var client: RawClient? = try server.connect()
        try client?.send(Self.watch(["a": 7], id: 1))
        #expect(server.standIn.waits { $0.looks == 1 })
        #expect(try other.ask(Self.watch(["a": 7], id: 2))?.refusal?.status == .notAvailable)
        client = nil
        let isLeft = try eventually {
            let answer = try other.ask(Self.watch(["a": 7], id: 3, for: 20))
            return (try? numbers(of: answer))?.map(\.number) == [7]
        }
        #expect(isLeft)
    }

    @Test("A watch that is over is answered with the numbers that its program knows")
    func over() throws {
        let answer = try client.ask(Self.watch(["a": 7, "b": 7], id: 1, for: 20))
        #expect(try numbers(of: answer).map(\.number) == [7, 7])
    }

    @Test("A watch is read as it was written; one of too many groups, of a group twice, or cut, is refused")
    func coding() throws {
        let watch = GroupWatch(
            [GroupNumber(group: "a", number: 1 << 62), GroupNumber(group: "ä")], milliseconds: 5000)
        let buffer = SecretBuffer()
        DeviceRequest.watchGroups(watch).append(to: buffer)
        let body = buffer.copy()
        #expect(try DeviceRequest(decoding: body) == .watchGroups(watch))
        let bytes = body.withSpan { $0.array(0, $0.count) }
        for count in 1..<bytes.count {
            let cut = SecretBytes(copying: bytes.span.extracting(..<count))
            #expect(failure { () throws(Refusal) in try DeviceRequest(decoding: cut) }?.rule == .malformedFrame)
        }
        for names in [(0...GroupWatch.mostGroups).map { "\($0)" }, ["a", "b", "a"]] {
            let buffer = SecretBuffer()
            DeviceRequest.watchGroups(GroupWatch(names.map { GroupNumber(group: $0) })).append(to: buffer)
            let wrong = buffer.copy()
            #expect(failure { () throws(Refusal) in try DeviceRequest(decoding: wrong) }?.rule == .malformedFrame)
        }
    }
}
