import Glibc
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// A request that cannot be performed yet, with what came along.
struct ParkedRequest {
    let frame: RequestFrame
    let passcodes: [FileDescriptor]

    /// - Parameter frame: its time runs from now on.
    init(_ frame: RequestFrame, _ passcodes: [FileDescriptor]) {
        var frame = frame
        frame.arrival = frame.arrival ?? Clock.monotonicNanoseconds
        (self.frame, self.passcodes) = (frame, passcodes)
    }
}

/// One connection: who it is, what came and was not taken yet, what is to go and was not taken yet.
///
/// Belongs to one event loop. Thousands of them may be idle, so buffers exist only while there is something in them.
final class ClientSession {
    let token: UInt64
    let socket: UnixSocket
    /// The process that connected, by its number and user; nothing is taken from another one.
    let peer: PeerNumbers
    /// The caller, once it is known.
    var caller: IdentifiedCaller?
    /// Whether it may be any caller's, which then chooses the file system of the attached files. The files are taken
    /// when the caller is known.
    private let isStranger: Bool
    /// Where what comes along is closed.
    private let files: ForeignFiles
    /// Whether it has shown that it asks itself.
    var introduction = IdentificationResult()
    /// Whose it is, of those that share the loop.
    var claimant: Claimant
    /// The answer before it is closed for exceeding the limits of its program, its user or all.
    var excess: Refusal?
    var isExcess: Bool { excess != nil }
    /// When it was last served, by the loop's time.
    var lastServed: UInt64
    /// How fast its program may ask; nil before it is known, and where there is no limit.
    var rateLimit: RequestRateLimit? { claimant.rateLimit }
    /// Until when nothing is read, because its program was too fast; nil while it is not.
    var pause: Deadline?
    /// A request that waits until it is known who asks; nothing else is read before.
    var parked: ParkedRequest?
    var input = FrameInput()
    /// Requests that wait for the writer or a worker.
    var inFlight = 0
    /// The one of them that is a search, by its id: the next request is read when it is answered, as if that had been
    /// at once.
    var search: UInt32?
    /// Made when the first request waits for a thread.
    private(set) lazy var wants = {
        hasAsked = true; return Wanted()
    }()
    private var hasAsked = false
    /// Whether it has asked for a watch.
    var watches = false
    /// While another thread may send an answer, too.
    private var outlet: FrameWriter?
    /// The requests under way that may have the user asked, by their ids.
    var conversations: [UInt32: PromptCancellation] = [:]
    /// Nothing more is read; the connection is closed when what it asked for is answered.
    var isEnding = false
    /// Another turn of the loop is due, because there may be a frame in ``input``.
    var isQueued = false
    /// In whose turn.
    var queuedFor: Standing
    /// The events that the loop watches it for.
    var interest: Readiness = .readable
    /// When it is closed for owing the rest of a frame or not reading its answers; nil when it does neither.
    var stall: Deadline?
    /// Its part of the loop's memory, as the loop last counted it.
    var counted = 0

    /// The descriptors that came with a frame that is not complete, or not taken.
    private var descriptors: [FileDescriptor] = []
    /// The weight of one descriptor: there are fewer of them than bytes.
    private static let costOfDescriptor = 64 << 10
    private var output: SecretBuffer?
    private var sent = 0

    init(
        token: UInt64, socket: UnixSocket, _ peer: PeerNumbers, _ claimant: Claimant, _ files: ForeignFiles,
        isStranger: Bool, at now: UInt64
    ) {
        (self.files, self.isStranger) = (files, isStranger)
        (self.token, self.socket, self.peer, self.claimant, lastServed) = (token, socket, peer, claimant, now)
        queuedFor = claimant.standing
    }

    /// It has gone: what it asked for is not looked for any more.
    func abandon() {
        if hasAsked { wants.end() }
        outlet?.close()
    }

    /// Bytes that wait here, in either direction.
    var held: Int {
        input.count + (output?.count ?? 0) + (parked?.frame.size ?? 0)
            + (descriptors.count + (parked?.passcodes.count ?? 0)) * Self.costOfDescriptor
    }
    var hasOutput: Bool { output != nil }
    /// Nothing is under way, in either direction.
    var isIdle: Bool { inFlight == 0 && !hasOutput && input.isEmpty && parked == nil && !isEnding }
    /// Nothing is under way for it but what it has not sent yet.
    var owesAll: Bool { isIdle || inFlight == 0 && !hasOutput && input.isPartial && parked == nil && !isEnding }
    /// Something waits for the peer to read.
    var awaitsReader: Bool { hasOutput && outlet == nil }
    /// The peer keeps something waiting; not as long as it is kept waiting itself.
    var isStalling: Bool { input.isPartial && parked == nil || awaitsReader }
}

// MARK: - In

extension ClientSession {
    /// Reads once and takes the first frame, if it is complete; what follows it is kept for later turns. At the end of
    /// the input ``isEnding`` is set.
    ///
    /// - Parameter room: where all connections of a loop read into, one after the other; left wiped.
    func receive(through room: SecretBytes) throws(BrokenFrame) -> RequestFrame? {
        try room.withMutableSpan { span throws(BrokenFrame) in
            let count = try receive(into: &span)
            defer { span.wipe(count) }
            return try take(span.span.extracting(..<count))
        }
    }

    /// Takes the descriptors that belong to a frame.
    ///
    /// - Throws: ``BrokenFrame`` when fewer came than it announces, or more than the bytes so far account for.
    func claim(for frame: RequestFrame) throws(BrokenFrame) -> [FileDescriptor] {
        let count = frame.header.descriptors
        guard count == descriptors.count || count < descriptors.count && !input.isEmpty else {
            let isTooMuch = count > descriptors.count && !files.areClosed(of: peer.user)
            throw BrokenFrame(id: frame.header.id, refusal: isTooMuch ? .unclosedFiles : .attachments)
        }
        defer { descriptors.removeFirst(count) }
        return Array(descriptors.prefix(count))
    }

    /// Forgets what came; after a broken frame it has no meaning.
    func dropInput() {
        input.removeAll()
        descriptors = []
        isEnding = true
    }

    private func receive(into span: inout MutableSpan<UInt8>) throws(BrokenFrame) -> Int {
        let received: Int
        var sender: Int32 = 0
        do throws(SystemError) {
            let takesDescriptors = (caller != nil || !isStranger) && files.areClosed(of: peer.user)
            let arrival = try socket.receiveAttached(into: &span, takesDescriptors: takesDescriptors) {
                files.adopt($0, of: peer.user)
            }
            guard let arrival else { return 0 }
            received = arrival.count
            descriptors += arrival.descriptors
            sender = arrival.sender
        } catch {
            isEnding = true
            // More came than a message may carry. After any other failure the peer has gone.
            if error.code == EMSGSIZE { throw BrokenFrame(id: nil, refusal: .attachments) }
            return 0
        }
        // A kernel never joins the descriptors of two messages, and no message of this protocol has more than a
        // frame's.
        guard descriptors.count <= WireLimits.descriptors else { throw BrokenFrame(id: nil, refusal: .attachments) }
        isEnding = received == 0
        // The end of the input has no sender.
        guard isEnding || sender == peer.process && sender > 0 else {
            throw BrokenFrame(
                id: input.isEmpty ? RequestFrame.id(in: span.span.extracting(..<received)) : nil,
                refusal: sender > 0 ? .foreignSender : .unseenSender)
        }
        return received
    }

    private func take(_ bytes: Span<UInt8>) throws(BrokenFrame) -> RequestFrame? {
        guard input.isEmpty, let frame = try RequestFrame(from: bytes) else {
            input.append(bytes)
            return try input.next()
        }
        input.append(bytes.extracting(frame.size...))
        return frame
    }
}

// MARK: - Out

extension ClientSession {
    /// Sends an answer, or keeps what the peer does not take yet.
    ///
    /// - Throws: `SystemError` of `send`: the peer has gone.
    func send(_ answer: Span<UInt8>) throws(SystemError) {
        if let output { return output.append(answer) }
        let taken = if let outlet { outlet.send(answer) } else { try socket.send(answer) ?? 0 }
        guard taken < answer.count else { return }
        let rest = SecretBuffer(capacity: answer.count - taken)
        rest.append(answer.extracting(taken...))
        (output, sent) = (rest, 0)
    }

    /// Lends the output to the thread that answers the next request; nil while something waits to be sent before that.
    func lend() -> FrameWriter? {
        guard inFlight == 0, !hasOutput else { return nil }
        outlet = FrameWriter(socket)
        return outlet
    }

    /// Ends the loan: the request came to nobody.
    func takeBack() { outlet = nil }

    /// Ends the loan with the answer it was for, and sends what is left of that.
    ///
    /// - Throws: `SystemError` of `send`: the peer has gone.
    func takeBack(_ answer: Span<UInt8>, sent count: Int) throws(SystemError) {
        outlet = nil
        guard count < answer.count else { return }
        guard count > 0 else { return try send(answer) }
        // Bytes that have waited here since then begin with a whole frame, because nobody could send a part of one.
        let waiting = output
        output = nil
        try send(answer.extracting(count...))
        if let waiting { try waiting.withSpan { (waiting) throws(SystemError) in try send(waiting) } }
    }

    /// Sends what was kept, as far as the peer takes it now.
    ///
    /// - Throws: `SystemError` of `send`: the peer has gone.
    func flush() throws(SystemError) {
        guard let output else { return }
        sent += try output.withSpan { span throws(SystemError) in try socket.send(span.extracting(sent...)) ?? 0 }
        if sent == output.count { self.output = nil }
    }
}
