import LinuxSystem

/// Replaces secrets in a stream of bytes by `[masked:NAME]`, wherever the stream is cut into pieces.
///
/// Bytes that may be the beginning of a secret are held back until it is clear what they are, or until the owner wants
/// them (``release(to:)``). So no more is held back than the longest form has.
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
        case secret(MaskedForm)
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
                case .secret(let form):
                    shown.append(bytes.extracting(plain..<offset))
                    shown.append(utf8: "[masked:\(form.name)]")
                    count += 1
                    offset += form.bytes.count
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
        let left = bytes.count - offset
        for form in forms {
            let length = min(left, form.bytes.count)
            let isSame = form.bytes.withSpan { secret in
                for index in 0..<length where secret[index] != bytes[offset + index] { return false }
                return true
            }
            if isSame, length == form.bytes.count { return .secret(form) }
            if isSame, !isEnd { return .undecided }
        }
        return .plain
    }
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
        let place = Self.place(bytes, offset)
        return bits[place >> 6] & 1 << UInt64(place & 63) != 0
    }

    /// 16 bits of the first four bytes.
    private static func place(_ bytes: Span<UInt8>, _ offset: Int) -> Int {
        Int((bytes.littleEndian(UInt32.self, at: offset) &* 0x9E37_79B1) >> 16)
    }
}
