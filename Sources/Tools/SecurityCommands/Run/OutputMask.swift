import LinuxSystem

/// Replaces secrets in a stream of bytes by `[masked:NAME]`, wherever the stream is cut into pieces.
///
/// Bytes that may be the beginning of a secret are held back until it is clear what they are, or until the owner wants
/// them (``release(to:)``). So no more is held back than the longest form has with its line ends.
final class OutputMask {
    private let forms: [MaskedForm]
    private let beginnings: Beginnings
    private let pending = SecretBuffer(capacity: 0)
    /// How many secrets were replaced.
    private(set) var count = 0

    init(_ forms: [MaskedForm]) {
        // The longest first: of two that begin alike, the longer one is meant.
        self.forms = forms.sorted { $0.bytes.count > $1.bytes.count }
        beginnings = Beginnings(forms.map(\.bytes))
    }

    /// Whether bytes are held back.
    var isHolding: Bool { pending.count > 0 }

    /// Takes bytes of the stream, and appends what can be shown of it.
    func add(_ bytes: Span<UInt8>, to shown: SecretBuffer) {
        pending.append(bytes)
        show(to: shown, isEnd: false)
    }

    /// Appends what is held back: nothing more comes soon.
    func release(to shown: SecretBuffer) { show(to: shown, isEnd: true) }

    private enum Finding {
        case plain
        /// A form of a secret, with the bytes that it has here.
        case secret(MaskedForm, Int)
        /// More bytes may make it a secret.
        case undecided
    }

    private func show(to shown: SecretBuffer, isEnd: Bool) {
        let end = pending.withSpan { bytes in
            var (offset, plain) = (0, 0)
            search: while offset < bytes.count {
                switch find(bytes, at: offset, isEnd) {
                case .plain: offset += 1
                case .undecided: break search
                case .secret(let form, let length):
                    shown.append(bytes.extracting(plain..<offset))
                    shown.append(utf8: "[masked:\(form.name)]")
                    count += 1
                    offset += length
                    plain = offset
                }
            }
            shown.append(bytes.extracting(plain..<offset))
            return offset
        }
        let rest = end < pending.count ? pending.copy(from: end) : nil
        pending.removeAll()
        rest?.withSpan { pending.append($0) }
    }

    private func find(_ bytes: Span<UInt8>, at offset: Int, _ isEnd: Bool) -> Finding {
        if !beginnings.mayBegin(bytes, at: offset) { return .plain }
        for form in forms {
            switch form.match(bytes, at: offset) {
            case .whole(let length): return .secret(form, length)
            case .beginning where !isEnd: return .undecided
            case .beginning, .none: continue
            }
        }
        return .plain
    }
}

extension MaskedForm {
    fileprivate enum Match {
        case none
        /// All bytes that there are so far.
        case beginning
        /// The whole form, in so many bytes.
        case whole(Int)
    }

    /// Compares the form with the bytes at a place.
    fileprivate func match(_ text: Span<UInt8>, at start: Int) -> Match {
        bytes.withSpan { secret in
            var (place, breaks) = (start, 0)
            for index in secret.indices {
                while isBroken, index > 0, breaks < Self.longestBreak, place < text.count, Self.isBreak(text[place]) {
                    (place, breaks) = (place + 1, breaks + 1)
                }
                guard place < text.count else { return .beginning }
                guard text[place] == secret[index] else { return .none }
                (place, breaks) = (place + 1, 0)
            }
            return .whole(place - start)
        }
    }

    /// A carriage return and a line feed. More in a row would hold back a stream of them.
    private static let longestBreak = 2

    fileprivate static func isBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}

/// A quick answer to whether a secret may begin at a place; it may be wrong with yes, never with no.
private struct Beginnings {
    private var bits = [UInt64](repeating: 0, count: 1 << 10)
    private var isFirst = [Bool](repeating: false, count: 256)

    init(_ secrets: [SecretBytes]) {
        for secret in secrets where secret.count >= 4 {
            secret.withSpan { bytes in
                let place = Self.place(bytes, 0)
                bits[place >> 6] |= 1 << UInt64(place & 63)
                isFirst[Int(bytes[0])] = true
            }
        }
    }

    func mayBegin(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        guard isFirst[Int(bytes[offset])] else { return false }
        guard bytes.count - offset >= 4 else { return true }
        // A line may end within the first four.
        for index in offset + 1..<offset + 4 where MaskedForm.isBreak(bytes[index]) { return true }
        let place = Self.place(bytes, offset)
        return bits[place >> 6] & 1 << UInt64(place & 63) != 0
    }

    /// 16 bits of the first four bytes.
    private static func place(_ bytes: Span<UInt8>, _ offset: Int) -> Int {
        Int((bytes.littleEndian(UInt32.self, at: offset) &* 0x9E37_79B1) >> 16)
    }
}
