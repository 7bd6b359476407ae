import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("The head of a frame")
struct FrameHeaderTests {
    private static let limit = 1000

    private static func encode(_ header: FrameHeader) -> [UInt8] {
        let buffer = SecretBuffer()
        header.append(to: buffer)
        return buffer.withSpan { $0.array(0, $0.count) }
    }

    private static let sample = FrameHeader(length: 300, kind: .device, descriptors: 2, id: 0x0102_0304, word: .max)

    @Test("Its bytes are those of the protocol")
    func hasFixedBytes() {
        let bytes: [UInt8] = [0x2c, 1, 0, 0, 1, 2, 2, 0, 4, 3, 2, 1, 255, 255, 255, 255]
        #expect(Self.encode(Self.sample) == bytes)
        #expect(bytes.count == FrameHeader.size)
        #expect(bytes.span.littleEndian(UInt32.self, at: FrameHeader.idOffset) == 0x0102_0304)
    }

    @Test(
        "What was written is read",
        arguments: [FrameHeader.Kind.item, .device, .response, .key, .authentication, .introduction],
        [0, 1, limit])
    func roundTrips(kind: FrameHeader.Kind, length: Int) throws {
        let header = FrameHeader(length: length, kind: kind, descriptors: 1, id: .max, word: 7)
        let bytes = Self.encode(header) + [9, 9]
        #expect(try FrameHeader(bytes.span, limit: Self.limit) == header)
    }

    @Test("Fewer bytes than a head has are no head yet", arguments: 0..<FrameHeader.size)
    func waitsForAll(count: Int) throws {
        let bytes = Array(Self.encode(Self.sample).prefix(count))
        #expect(try FrameHeader(bytes.span, limit: Self.limit) == nil)
    }

    @Test(
        "A broken head is refused",
        arguments: [
            (4, 0, KeychainStatus.notAvailable, Refusal.Rule.malformedFrame), (4, 2, .notAvailable, .malformedFrame),
            (5, 0, .param, .malformedFrame), (5, 7, .param, .malformedFrame), (6, 3, .param, .malformedFrame),
            (7, 1, .param, .malformedFrame), (1, 4, .param, .tooLarge), (3, 255, .param, .tooLarge),
        ])
    func refuses(offset: Int, byte: UInt8, status: KeychainStatus, rule: Refusal.Rule) throws {
        var bytes = Self.encode(Self.sample)
        bytes[offset] = byte
        let refusal = failure { () throws(Refusal) in try FrameHeader(bytes.span, limit: Self.limit) }
        #expect(refusal?.status == status && refusal?.rule == rule)
        #expect(refusal?.remedy.isEmpty == false)
    }
}
