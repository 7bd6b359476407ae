import LinuxSystem

/// Bytes of a connection's frames that could not be taken at once: a part of one, or several.
///
/// An idle connection has no buffer; the buffer grows with what arrives, never with what a head announces.
struct FrameInput {
    private var buffer: SecretBuffer?
    private var offset = 0
    private var arrival: UInt64 = 0
    /// Whether all that is there is the beginning of a frame.
    private(set) var isPartial = false

    var isEmpty: Bool { buffer == nil }
    /// Which request an unfinished frame is, if that much has come.
    var pendingID: UInt32? { buffer?.withSpan { RequestFrame.id(in: $0.extracting(offset...)) } }
    /// Bytes that it holds, with those of frames that were taken and are not given back yet.
    var count: Int { buffer?.count ?? 0 }
    /// Whether there may be a complete frame.
    var mayHaveFrame: Bool { !isEmpty && !isPartial }

    /// Keeps bytes until they are a frame.
    mutating func append(_ bytes: Span<UInt8>) {
        guard !bytes.isEmpty else { return }
        dropTaken()
        let buffer = buffer ?? SecretBuffer()
        buffer.append(bytes)
        self.buffer = buffer
        arrival = Clock.monotonicNanoseconds
        isPartial = false
    }

    /// Takes the next frame, if it is complete.
    mutating func next() throws(BrokenFrame) -> RequestFrame? {
        guard let buffer else { return nil }
        let found = try buffer.withSpan { span throws(BrokenFrame) in try RequestFrame(from: span.extracting(offset...))
        }
        guard var frame = found else {
            isPartial = true
            // The rest may not come for long, and what came before it may be a thousand times as much.
            dropTaken()
            return nil
        }
        frame.arrival = arrival
        offset += frame.size
        if offset == buffer.count { removeAll() }
        return frame
    }

    mutating func removeAll() {
        buffer = nil
        (offset, isPartial) = (0, false)
    }

    private mutating func dropTaken() {
        guard offset > 0, let old = buffer else { return }
        let rest = SecretBuffer(capacity: old.count - offset)
        old.withSpan { rest.append($0.extracting(offset...)) }
        (buffer, offset) = (rest, 0)
    }
}
