import KeychainModel
import KeychainWire
import LinuxSystem

/// A complete request, taken out of the bytes of a connection.
struct RequestFrame {
    let header: FrameHeader
    let body: SecretBytes
    /// When its last byte came, by the monotonic clock; nil when that is now.
    var arrival: UInt64?

    /// How many bytes it took.
    var size: Int { FrameHeader.size + body.count }

    /// Copies the frame out of the beginning of `span`; nil when it is not complete yet.
    init?(from span: Span<UInt8>) throws(BrokenFrame) {
        do throws(Refusal) {
            guard let header = try FrameHeader(span, limit: WireLimits.requestBody) else { return nil }
            self.header = header
        } catch {
            throw BrokenFrame(id: span.littleEndian(UInt32.self, at: FrameHeader.idOffset), refusal: error)
        }
        guard span.count - FrameHeader.size >= header.length else { return nil }
        body = SecretBytes(copying: span.extracting(FrameHeader.size..<FrameHeader.size + header.length))
    }

    /// The id in bytes that begin with a head; nil when they are too few.
    static func id(in span: Span<UInt8>) -> UInt32? {
        span.count < FrameHeader.size ? nil : span.littleEndian(UInt32.self, at: FrameHeader.idOffset)
    }

    /// When its caller gives up; nil when that was while it waited for its turn.
    func deadline(atMost limit: UInt32) -> Deadline? {
        let allowed = UInt64(min(header.word == 0 ? WireLimits.defaultDeadline : header.word, limit))
        guard let arrival else { return .after(milliseconds: Int(allowed)) }
        let waited = (Clock.monotonicNanoseconds &- arrival) / 1_000_000
        return waited < allowed ? .after(milliseconds: Int(allowed - waited)) : nil
    }
}

/// A frame that costs the connection: what follows it cannot be trusted to begin where it seems to.
struct BrokenFrame: Error {
    /// The request's number, for the answer; nil when it cannot be known.
    let id: UInt32?
    let refusal: Refusal
}
