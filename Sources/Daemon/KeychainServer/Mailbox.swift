import KeychainModel
import KeychainPolicy
import LinuxSystem

/// How other threads reach an event loop: they leave an answer and wake it.
final class Mailbox: Sendable {
    struct Content {
        var answers: [Answer] = []
        var introductions: [IdentificationResult] = []
        var isStopped = false
    }

    /// A complete frame for a connection, which may have gone in the meantime.
    struct Answer {
        let session: UInt64
        let frame: SecretBytes
        /// How many bytes of it the thread that borrowed the output has sent; nil when it was lent to none.
        let sent: Int?
    }

    /// The process at the other end of a connection, or why it cannot be known.
    struct IdentificationResult {
        let session: UInt64
        let outcome: Result<IdentifiedCaller, Refusal>
    }

    private let content = Lock(Content())
    private let wakeup: Wakeup

    init() throws(SystemError) { wakeup = try Wakeup() }

    /// Readable when there is something in the box.
    var descriptor: FileDescriptor { wakeup.descriptor }

    func deliver(_ answers: [Answer]) {
        content.withLock { $0.answers += answers }
        wakeup.signal()
    }

    func introduce(_ introduction: IdentificationResult) {
        content.withLock { $0.introductions.append(introduction) }
        wakeup.signal()
    }

    /// Asks the loop to finish what it has begun and to end.
    func stop() {
        content.withLock { $0.isStopped = true }
        wakeup.signal()
    }

    /// Takes out everything.
    func empty() -> Content {
        // In this order: what arrives in between wakes the loop once more.
        wakeup.clear()
        return content.withLock { content in
            defer { (content.answers, content.introductions) = ([], []) }
            return content
        }
    }
}

/// Where an answer goes: a connection of a loop.
///
/// The thread that answers the one open request of a connection sends the answer itself, because the loop would have to
/// be woken first; the loop learns of it afterwards.
struct ReplyAddress: Sendable {
    let mailbox: Mailbox
    let session: UInt64
    /// The connection's output, when it was lent.
    let outlet: FrameWriter?

    func deliver(_ frame: SecretBytes) { mailbox.deliver([send(frame)]) }

    /// Delivers the answers of a batch: all that can be sent at once are, then the loops, each of which is woken once,
    /// learn of them.
    static func deliver(_ frames: [SecretBytes], to addresses: [ReplyAddress]) {
        var sent = zip(addresses, frames).map { address, frame in
            (mailbox: address.mailbox, answer: address.send(frame))
        }
        while let mailbox = sent.first?.mailbox {
            mailbox.deliver(sent.filter { $0.mailbox === mailbox }.map(\.answer))
            sent.removeAll { $0.mailbox === mailbox }
        }
    }

    private func send(_ frame: SecretBytes) -> Mailbox.Answer {
        let sent = outlet.map { outlet in frame.withSpan { outlet.send($0) } }
        return Mailbox.Answer(session: session, frame: frame, sent: sent)
    }
}
