import LinuxSystem

/// One stream of a command on its way to the stream of this process.
final class MaskedStream {
    /// Nil when the command has closed it, or nobody reads what it says.
    private(set) var source: FileDescriptor?
    let target: FileDescriptor
    private let mask: OutputMask
    /// Bytes that may be shown and were not written yet.
    private let outgoing = SecretBuffer(capacity: 0)
    private var written = 0
    /// When what is held back is shown as it is. While this process writes, it reads nothing: the rest may have come.
    var deadline: Deadline { isWriting ? .never : release }
    private var release = Deadline.never

    /// Milliseconds: longer than a program needs between two parts of one line, shorter than a person notices.
    private static let patience = 40
    private static let readBytes = 64 << 10
    /// A pipe that is ready takes as much without waiting (PIPE_BUF).
    private static let writeBytes = 4096

    /// - Throws: `SystemError` of `fcntl`.
    init(_ source: FileDescriptor, to target: FileDescriptor, _ forms: [MaskedForm]) throws(SystemError) {
        try source.setNonBlocking()
        (self.source, self.target, mask) = (source, target, OutputMask(forms))
    }

    var isWriting: Bool { outgoing.count > 0 }
    var isFinished: Bool { source == nil && !isWriting }

    /// Reads what has come.
    func read() {
        guard let source else { return }
        let bytes = SecretBytes(count: Self.readBytes)
        let count: Int?
        do throws(SystemError) {
            count = try bytes.withMutableSpan { (span) throws(SystemError) in try source.read(into: &span) }
            // A pseudo-terminal fails when nobody has its other side any more.
        } catch { return end() }
        guard let count else { return }
        guard count > 0 else { return end() }
        bytes.withSpan { mask.add($0.extracting(..<count), to: outgoing) }
        waitForRest()
    }

    private func waitForRest() { release = mask.isHolding ? .after(milliseconds: Self.patience) : .never }

    /// Shows what was held back too long.
    func releaseIfDue() {
        guard deadline.hasPassed else { return }
        mask.release(to: outgoing)
        release = .never
    }

    /// Writes as much as does not wait. When nobody reads it, the command finds its stream closed.
    func write() {
        do throws(SystemError) {
            let count = try outgoing.withSpan { (bytes) throws(SystemError) in
                let end = min(bytes.count, written + Self.writeBytes)
                return try target.write(bytes.extracting(written..<end)) ?? 0
            }
            written += count
        } catch {
            source = nil
            written = outgoing.count
        }
        guard written == outgoing.count else { return }
        outgoing.removeAll()
        written = 0
        waitForRest()
    }

    private func end() {
        source = nil
        mask.release(to: outgoing)
        release = .never
    }
}
