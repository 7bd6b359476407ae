import LinuxSystem

/// Replaces secrets in a stream of bytes by `[masked:NAME]`, wherever the stream is cut into pieces.
///
/// Bytes that may be the beginning of a secret are held back until it is clear what they are, or until the owner wants
/// them (``release(to:)``). So no more is held back than the longest form has with an escape for every unit.
final class OutputMask {
    private let forms: [MaskedForm]
    private let beginnings: Beginnings
    private let pending = SecretBuffer(capacity: 0)
    /// How many secrets were replaced.
    private(set) var count = 0

    init(_ forms: [MaskedForm]) {
        // The longest first: of two that begin alike, the longer one is meant.
        self.forms = forms.sorted { $0.units.count > $1.units.count }
        beginnings = Beginnings(forms)
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
            case .whole(_, mayGrow: true) where !isEnd, .beginning where !isEnd: return .undecided
            case .whole(let length, mayGrow: _): return .secret(form, length)
            case .beginning, .none: continue
            }
        }
        return .plain
    }
}

/// A quick answer to whether a secret may begin at a place; it may be wrong with yes, never with no.
private struct Beginnings {
    private var isFirst = [Bool](repeating: false, count: 256)
    /// By the first two bytes.
    private var isPair = [Bool](repeating: false, count: 1 << 16)

    init(_ forms: [MaskedForm]) {
        for form in forms {
            let (first, second) = (form.alternatives(at: 0), form.alternatives(at: 1))
            for byte in first {
                add(byte, followers: Self.escapes + second)
                if byte == UInt8(ascii: " ") { add(UInt8(ascii: "+"), followers: Self.escapes + second) }
                for mark in "%=".utf8 { add(mark, followers: Array(Self.digits(byte >> 4).utf8)) }
                add(UInt8(ascii: "\\"), followers: Self.behindBackslash(byte))
                add(UInt8(ascii: "&"), followers: Array("#aglq".utf8))
                if byte == UInt8(ascii: "'") { add(byte, followers: Array("'\\\"".utf8)) }
                if byte == UInt8(ascii: "\"") { add(byte, followers: [byte]) }
            }
        }
    }

    func mayBegin(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        guard isFirst[Int(bytes[offset])] else { return false }
        return bytes.count - offset < 2 || isPair[Int(bytes[offset]) << 8 | Int(bytes[offset + 1])]
    }

    private mutating func add(_ first: UInt8, followers: [UInt8]) {
        isFirst[Int(first)] = true
        for second in followers { isPair[Int(first) << 8 | Int(second)] = true }
    }

    /// The bytes with which an escape, or what stands between two bytes, begins.
    private static let escapes = Array("%=+\\&'\"\r\n\0\u{1B} :".utf8)

    private static func behindBackslash(_ byte: UInt8) -> [UInt8] {
        let letters = WrittenByte.shortEscapes.filter { $0.value == byte }.map(\.key)
        return Array("\\xuU".utf8) + [UInt8(ascii: "0") + byte >> 6, byte] + letters
    }

    private static func digits(_ value: UInt8) -> String {
        let digit = String(value, radix: 16)
        return digit + digit.uppercased()
    }
}
