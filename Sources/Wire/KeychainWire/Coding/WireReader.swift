package import KeychainModel
package import LinuxSystem

/// Reads the parts of a message in order.
package struct WireReader {
    let body: SecretBytes
    private var offset = 0

    package init(_ body: SecretBytes) { self.body = body }

    package var isAtEnd: Bool { offset == body.count }

    /// How many bytes are left.
    package var remaining: Int { body.count - offset }

    package mutating func integer<Integer: FixedWidthInteger>(_: Integer.Type) throws(Refusal) -> Integer {
        let at = try take(bytes: MemoryLayout<Integer>.size).lowerBound
        return body.withSpan { $0.littleEndian(Integer.self, at: at) }
    }

    /// A text with its length before it.
    package mutating func text() throws(Refusal) -> String {
        let range = try take(bytes: Int(try integer(UInt32.self)))
        guard let text = body.withSpan({ $0.text(range.lowerBound, range.count) }) else { throw .malformed("a text") }
        return text
    }

    /// Bytes with their length before them, copied into ordinary memory; not for secrets.
    package mutating func bytes(atMost limit: Int) throws(Refusal) -> [UInt8] {
        let range = try takeRun(atMost: limit)
        return body.withSpan { $0.array(range.lowerBound, range.count) }
    }

    /// So many bytes, copied into ordinary memory; not for secrets.
    package mutating func array(_ count: Int) throws(Refusal) -> [UInt8] {
        let range = try take(bytes: count)
        return body.withSpan { $0.array(range.lowerBound, range.count) }
    }

    /// Secret bytes with their length before them.
    package mutating func secret(atMost limit: Int) throws(Refusal) -> SecretBytes {
        let range = try takeRun(atMost: limit)
        return body.withSpan { SecretBytes(copying: $0.extracting(range)) }
    }

    /// So many secret bytes.
    package mutating func secret(_ count: Int) throws(Refusal) -> SecretBytes {
        let range = try take(bytes: count)
        return body.withSpan { SecretBytes(copying: $0.extracting(range)) }
    }

    private mutating func takeRun(atMost limit: Int) throws(Refusal) -> Range<Int> {
        let length = Int(try integer(UInt32.self))
        guard length <= limit else { throw .malformed("a length") }
        return try take(bytes: length)
    }

    /// The notice at the beginning of every successful response.
    package mutating func notice() throws(Refusal) -> Refusal? {
        try integer(UInt32.self) == 0 ? nil : try refusal(status: 0)
    }

    /// A refusal after its status.
    package mutating func refusal(status: Int32) throws(Refusal) -> Refusal {
        let (rule, subject, problem, remedy) = (try text(), try text(), try text(), try text())
        return Refusal(KeychainStatus(rawValue: status), Refusal.Rule(rawValue: rule), subject, problem, do: remedy)
    }

    mutating func take(bytes count: Int) throws(Refusal) -> Range<Int> {
        guard count <= remaining else { throw .malformed("a length") }
        defer { offset += count }
        return offset..<offset + count
    }
}

extension Refusal {
    /// A refusal on the wire: rule, subject, problem and remedy as texts.
    package func append(to buffer: SecretBuffer) {
        buffer.append(text: rule.rawValue)
        buffer.append(text: subject)
        buffer.append(text: problem)
        buffer.append(text: remedy)
    }

    /// Reads a refusal; one that cannot be read keeps at least its status.
    package init(decoding body: SecretBytes, status: Int32) {
        var reader = WireReader(body)
        do throws(Refusal) { self = try reader.refusal(status: status) } catch {
            self = Refusal(
                KeychainStatus(rawValue: status), .malformedFrame, "response", "The daemon refused without saying why.",
                do: "Use a client and a daemon of the same release.")
        }
    }
}

extension SecretBuffer {
    /// Appends a text with its length before it.
    package func append(text: String) {
        var text = text
        text.withUTF8 { bytes in
            append(littleEndian: UInt32(bytes.count))
            unsafe append(bytes.span)
        }
    }

    /// Appends bytes with their length before them.
    package func append(bytes: Span<UInt8>) {
        append(littleEndian: UInt32(truncatingIfNeeded: bytes.count))
        append(bytes)
    }
}

extension Refusal {
    /// A frame whose inside is broken.
    package static func malformed(_ what: String) -> Refusal {
        Refusal(
            .param, .malformedFrame, "frame", "The frame cannot be read: \(what) is broken.",
            do: "Use a client and a daemon of the same release.")
    }
}
