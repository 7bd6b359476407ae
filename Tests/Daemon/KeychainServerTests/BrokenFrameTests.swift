import KeychainModel
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

@Suite("A broken frame is answered and costs only its own connection")
struct BrokenFrameTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let frame: [UInt8]
        var status = KeychainStatus.param
        var rule = Refusal.Rule.malformedFrame

        /// A sound frame with one byte changed.
        static func changed(_ what: String, _ offset: Int, to byte: UInt8, _ status: KeychainStatus = .param) -> Case {
            var frame = Frames.search(id: 9)
            frame[offset] = byte
            return Case(testDescription: what, frame: frame, status: status)
        }
    }

    static let cases = [
        Case.changed("another protocol version", 4, to: 2, .notAvailable),
        Case.changed("an unknown kind", 5, to: 99),
        Case.changed("an answer where a request belongs", 5, to: FrameHeader.Kind.response.rawValue),
        Case.changed("more descriptors than a frame may have", 6, to: 3),
        Case.changed("descriptors that did not come", 6, to: 1),
        Case.changed("a reserved byte that is set", 7, to: 1),
        Case.changed("an unknown operation", FrameHeader.size, to: 9),
        Case.changed("an unknown class", FrameHeader.size + 1, to: 77),
        Case.changed("a query that runs over the end", FrameHeader.size + 28, to: 255),
        Case(
            testDescription: "a length over the limit",
            frame: Frames.length(UInt32(WireLimits.requestBody + 1), id: 9), rule: .tooLarge),
        Case(testDescription: "the greatest length", frame: Frames.length(.max, id: 9), rule: .tooLarge),
        Case(testDescription: "no body at all", frame: Frames.length(0, id: 9)),
        Case(testDescription: "an unknown device request", frame: Frames.frame(.device, id: 9) { $0.append(200) }),
        Case(testDescription: "a device request without a body", frame: Frames.frame(.device, id: 9) { _ in }),
        Case(testDescription: "a passcode that is missing", frame: Frames.device(.unlock, id: 9)),
        Case(testDescription: "a key request without a body", frame: Frames.frame(.key, id: 9) { _ in }),
        Case(testDescription: "an unknown key request", frame: Frames.frame(.key, id: 9) { $0.append(3) }),
        Case(
            testDescription: "a key request that goes on",
            frame: Frames.frame(.key, id: 9) { body in
                KeyRequest.make(KeyBinding(group: "g", accessibility: .always, control: 0)).append(to: body)
                body.append(0)
            }),
    ]

    @Test("It is answered with its id and the refusal, then closed, and logged without its content", arguments: cases)
    func refuses(_ testCase: Case) throws {
        let server = try RunningServer()
        let bystander = try server.connect()
        let client = try server.connect()
        let answer = try #require(try client.ask(testCase.frame))
        #expect(answer.id == 9)
        #expect(answer.refusal?.status == testCase.status)
        #expect(answer.refusal?.rule == testCase.rule)
        #expect(try client.isClosed())
        #expect(try bystander.ask(Frames.search())?.status == 0)
        #expect(server.log.count == 1)
        #expect(server.standIn.record.searches == [1])
    }

    @Test("What was asked before the broken frame is still answered, what comes after it is not")
    func answersWhatCameBefore() throws {
        let server = try RunningServer()
        let client = try server.connect()
        try client.send(Frames.search(id: 1) + Frames.length(.max, id: 2) + Frames.search(id: 3))
        #expect(try client.receive()?.status == 0)
        #expect(try client.receive()?.refusal?.rule == .tooLarge)
        #expect(try client.isClosed())
        #expect(server.standIn.record.searches == [1])
    }

    @Test("A write that waits is still answered when a broken frame follows it")
    func answersWaitingWrite() throws {
        let server = try RunningServer()
        server.standIn.hold([.write])
        let client = try server.connect()
        try client.send(Frames.add(id: 1) + Frames.length(.max, id: 2))
        #expect(try client.receive()?.id == 2)
        server.standIn.release()
        #expect(try client.receive()?.id == 1)
        #expect(try client.isClosed())
    }
}

extension Frames {
    /// A head alone, with a length of one's choice.
    static func length(_ length: UInt32, id: UInt32) -> [UInt8] {
        length.littleEndianBytes + frame(.item, id: id) { _ in }.dropFirst(4)
    }
}
