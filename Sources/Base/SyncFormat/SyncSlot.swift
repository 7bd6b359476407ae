import LinuxSystem

/// The name under which a transport keeps a batch, or a part of a snapshot.
///
///     slot = circle "/log/" device "/" seq:16 | circle "/part/" device "/" seq:16 "/" part:8  ; lower-case hexadecimal
///
/// There is one spelling, so that a file that somebody copied is no second batch.
package struct SyncSlot: Hashable, Sendable {
    package let circle: CircleID
    package let device: MemberID
    package let seq: UInt64
    /// The number of a snapshot's part; nil for a batch.
    package let part: UInt32?

    package init(circle: CircleID, device: MemberID, seq: UInt64, part: UInt32? = nil) {
        (self.circle, self.device, self.seq, self.part) = (circle, device, seq, part)
    }

    /// The slot's one spelling.
    package var text: String {
        let log = "\(circle.text)/\(part == nil ? "log" : "part")/\(device.text)/\(hexadecimal(seq, digits: 16))"
        return part.map { "\(log)/\(hexadecimal($0, digits: 8))" } ?? log
    }

    /// - Throws: ``SyncMalformed`` when the text is not exactly the name of a slot.
    package init(_ text: String) throws(SyncMalformed) {
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 4 && words[1] == "log" || words.count == 5 && words[1] == "part" else { throw .mark }
        circle = CircleID(number: try digits(words[0], 32))
        device = MemberID(number: try digits(words[2], 32))
        seq = try digits(words[3], 16)
        part = words.count == 5 ? try digits(words[4], 8) : nil
        guard seq > 0, seq < SyncLimits.endOfTime, (part ?? 0) < SyncLimits.parts else { throw .value }
    }
}

func digits<Integer: FixedWidthInteger>(_ word: Substring, _ count: Int) throws(SyncMalformed) -> Integer {
    let isPlain = word.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    guard isPlain, word.utf8.count == count, let number = Integer(word, radix: 16) else { throw .value }
    return number
}
