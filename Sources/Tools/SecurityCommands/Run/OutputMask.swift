import LinuxSystem

/// Replaces secrets in a stream of bytes by `[masked:NAME]`, wherever the stream is cut into pieces. Of secrets that
/// overlap nothing is shown, and each is named that is not within another one.
///
/// Bytes that may be the beginning of a secret are held back until it is clear what they are, or until the owner wants
/// them (``release(to:)``). So no more is held back than the longest form has with an escape for every unit.
final class OutputMask {
    private var reader: MaskReader
    private let pending = SecretBuffer(capacity: 0)
    /// The place in the stream of the first byte in `pending`.
    private var first = 0
    /// Every byte before it was shown or masked.
    private var shown = 0
    /// The end of the last secret, and the name that was written for it.
    private var masked = (end: 0, name: "")

    init(_ forms: [MaskedForm]) { reader = MaskReader(forms) }

    /// Whether bytes are held back.
    var isHolding: Bool { shown < end }

    private var end: Int { first + pending.count }

    /// Takes bytes of the stream, and appends what can be shown of it.
    func add(_ bytes: Span<UInt8>, to buffer: SecretBuffer) {
        pending.append(bytes)
        pending.withSpan { reader.read(in: $0, from: first, isEnd: false) }
        show(before: reader.certain, to: buffer)
    }

    /// Appends what is held back: nothing more comes soon. The rest of a secret is masked when it comes after all.
    func release(to buffer: SecretBuffer) {
        pending.withSpan { reader.read(in: $0, from: first, isEnd: true) }
        show(before: end, to: buffer)
    }

    /// Shows the stream up to a place, which no secret spans that is still to be found.
    private func show(before place: Int, to buffer: SecretBuffer) {
        let known = reader.findings.filter { $0.start < place }
        for finding in known.sorted(by: { ($0.start, $1.end) < ($1.start, $0.end) }) where finding.end > masked.end {
            showPlain(upTo: finding.start, to: buffer)
            let name = reader.name(of: finding)
            if finding.start >= masked.end || name != masked.name { buffer.append(utf8: "[masked:\(name)]") }
            masked = (finding.end, name)
            shown = max(shown, finding.end)
        }
        reader.removeFindings(before: place)
        showPlain(upTo: place, to: buffer)
        forget()
    }

    private func showPlain(upTo place: Int, to buffer: SecretBuffer) {
        guard place > shown else { return }
        pending.withSpan { buffer.append($0.extracting((shown - first)..<(place - first))) }
        shown = place
    }

    /// Drops what was shown and read, when it is the larger part.
    private func forget() {
        let done = min(shown, reader.position) - first
        guard done * 2 > pending.count else { return }
        let rest = pending.copy(from: done)
        pending.removeAll()
        rest.withSpan { pending.append($0) }
        first += done
    }
}
