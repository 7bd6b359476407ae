import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("Answers on the wire")
struct ItemResponseTests {
    private static let refusal = Refusal(
        .duplicateItem, .duplicate, "acct", "There is one — already.", do: "Update it.")

    private static func read(_ writer: ResponseWriter) throws -> (FrameHeader, ItemResponse) {
        let header = try writer.buffer.withSpan { span throws(Refusal) in
            try FrameHeader(span, limit: WireLimits.responseBody)
        }
        let answer = writer.complete()
        return (try #require(header), try ItemResponse(status: answer.status, body: answer.body))
    }

    @Test("Items, cursor and notice are read as they were written, in a frame of the right length")
    func roundTrips() throws {
        let writer = ResponseWriter()
        writer.begin(id: 5, notice: Self.refusal)
        for (itemClass, account) in [(ItemClass.genericPassword, "a"), (.internetPassword, "b")] {
            writer.beginItem(itemClass)
            writer.buffer.append(.account, .string(account))
            writer.endItem()
        }
        writer.end(cursor: 77)
        let (header, response) = try Self.read(writer)
        #expect(header.id == 5 && header.kind == .response && header.word == 0)
        #expect(header.length == writer.buffer.count - FrameHeader.size)
        #expect(response.items.map(\.itemClass) == [.genericPassword, .internetPassword])
        #expect(response.items.map { $0.attributes[.account] } == [.string("a"), .string("b")])
        #expect(response.cursor == 77)
        #expect(response.notice?.problem == Self.refusal.problem && response.notice?.rule == .duplicate)
    }

    @Test("An answer without items is one")
    func roundTripsEmpty() throws {
        let writer = ResponseWriter()
        writer.begin(id: 1)
        writer.end()
        let response = try Self.read(writer).1
        #expect(response.items.isEmpty && response.cursor == 0 && response.notice == nil)
    }

    @Test("An item that was dropped is not in the answer")
    func dropsItem() throws {
        let writer = ResponseWriter()
        writer.begin(id: 1)
        for keeps in [true, false, true] {
            writer.beginItem(.key)
            writer.buffer.append(.label, .string("\(keeps)"))
            if keeps { writer.endItem() } else { writer.dropItem() }
        }
        #expect(writer.count == 2)
        writer.end()
        #expect(try Self.read(writer).1.items.map { $0.attributes[.label] } == [.string("true"), .string("true")])
    }

    @Test("A refusal replaces what was written before it, and arrives with all it says")
    func refuses() throws {
        let writer = ResponseWriter()
        writer.begin(id: 8)
        writer.beginItem(.genericPassword)
        writer.buffer.append(.valueData, .data(Array("secret".utf8)))
        writer.refuse(Self.refusal, id: 8)
        let answer = writer.complete()
        #expect(answer.status == KeychainStatus.duplicateItem.rawValue)
        #expect(
            failure { () throws(Refusal) in try ItemResponse(status: answer.status, body: answer.body) } == Self.refusal
        )
    }

    @Test("Two answers in one buffer do not touch each other")
    func sharesBuffer() throws {
        let buffer = SecretBuffer()
        let (first, second) = (ResponseWriter(buffer), ResponseWriter(buffer))
        first.begin(id: 1)
        first.end()
        let size = buffer.count
        second.begin(id: 2)
        second.refuse(Self.refusal, id: 2)
        #expect(buffer.withSpan { $0.littleEndian(UInt32.self, at: FrameHeader.idOffset) } == 1)
        #expect(buffer.withSpan { $0.littleEndian(UInt32.self, at: size + FrameHeader.idOffset) } == 2)
    }

    @Test("A refusal that cannot be read keeps its status")
    func keepsStatus() {
        let refusal = Refusal(decoding: SecretBytes(count: 3), status: -25300)
        #expect(refusal.status == .itemNotFound && refusal.rule == .malformedFrame)
    }

    @Test("An answer that is cut, or goes on after its end, is refused")
    func refusesCut() throws {
        let writer = ResponseWriter()
        writer.begin(id: 1)
        writer.beginItem(.genericPassword)
        writer.buffer.append(.account, .string("a"))
        writer.endItem()
        writer.end()
        let whole = writer.complete().body.withSpan { $0.array(0, $0.count) }
        for bytes in (0..<whole.count).map({ Array(whole.prefix($0)) }) + [whole + [0]] {
            let body = SecretBytes(copying: bytes.span)
            let refusal = failure { () throws(Refusal) in try ItemResponse(status: 0, body: body) }
            #expect(refusal?.rule == .malformedFrame)
        }
    }

    @Test("No bytes make the decoders crash, whatever they count and promise")
    func survivesAnything() {
        var generator = SplitMix64(seed: 4)
        for _ in 0..<10_000 {
            let bytes = generator.bytes(.random(in: 0...80, using: &generator))
            let body = SecretBytes(copying: bytes.span)
            _ = try? ItemResponse(status: 0, body: body)
            _ = Refusal(decoding: body, status: -1)
            var (status, report) = (WireReader(body), WireReader(body))
            _ = try? DeviceStatus(from: &status)
            _ = try? VerificationReport(from: &report)
        }
    }
}
