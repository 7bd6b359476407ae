import KeychainModel
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
        server = try RunningServer()
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

    @Test("A watch that is over is answered with the numbers that its program knows")
    func over() throws {
        let answer = try client.ask(Self.watch(["a": 7, "b": 7], id: 1, for: 20))
        #expect(try numbers(of: answer).map(\.number) == [7, 7])
    }

    @Test("A watch is read as it was written; one of too many groups, or cut, is refused")
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
        let many = GroupWatch((0...GroupWatch.mostGroups).map { GroupNumber(group: "\($0)") })
        let long = SecretBuffer()
        DeviceRequest.watchGroups(many).append(to: long)
        #expect(failure { () throws(Refusal) in try DeviceRequest(decoding: long.copy()) }?.rule == .malformedFrame)
    }
}
