import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem

/// One socket to the daemon and the buffers for talking over it: one question, then one answer.
///
/// A channel belongs to the one thread that took it out of the pool. This makes it safe to keep the channel there.
final class Channel: @unchecked Sendable {
    private let socket: UnixSocket
    /// The file behind the descriptor when the channel began; nil where there was none.
    private let opened: FileStatus?
    private let request = SecretBuffer()
    private let room = SecretBytes(count: 8192)
    private var lastID: UInt32 = 0
    private var spin = AdaptiveSpin()

    /// Whether the daemon has to be shown first that this process asks itself.
    private var mustIntroduce: Bool

    init(_ socket: UnixSocket, introduces: Bool) {
        (self.socket, mustIntroduce) = (socket, introduces)
        opened = try? FileStatus(of: socket.descriptor)
    }

    /// A number that has become another file's is not closed.
    deinit { if !hasItsSocket { _ = unsafe Unmanaged.passRetained(socket.descriptor) } }

    /// Whether the descriptor still is the socket. A program that becomes a daemon may close every descriptor it does
    /// not know: its next file, or its connection to somebody else, would be sent the request.
    var hasItsSocket: Bool {
        guard let opened, let now = try? FileStatus(ofDescriptor: socket.descriptor.number) else { return false }
        return now.isSameFile(as: opened)
    }

    /// The kind of the request, the milliseconds that it may take, and the descriptors attached to its body.
    struct Question {
        let kind: FrameHeader.Kind
        private(set) var deadline: UInt32
        var descriptors: [FileDescriptor]
        /// Ends the request from another thread.
        var cancellation: RequestCancellation?
        let end: Deadline

        init(kind: FrameHeader.Kind, deadline: UInt32, descriptors: [FileDescriptor] = []) {
            (self.kind, self.deadline, self.descriptors) = (kind, deadline, descriptors)
            end = .after(milliseconds: Int(deadline))
        }

        /// The question with what is left of its time, after it was waited for a socket.
        func shortened() -> Question {
            var question = self
            question.deadline = max(1, min(deadline, UInt32(clamping: end.remainingMilliseconds)))
            return question
        }
    }

    struct Answer {
        let status: Int32
        let body: SecretBytes
    }

    /// Why there was no answer, and with it whether the request may be sent again.
    enum Failure: Error {
        /// The request was performed by nobody.
        case notPerformed(SystemError)
        /// The daemon read the request and went away; perhaps it performed it.
        case unknown
        case late
        /// Asking again would not help.
        case refused(Refusal)
    }

    /// Asks and waits for the answer. After a failure the channel is of no more use.
    func ask(_ question: Question, _ body: some FrameBody) throws(Failure) -> Answer {
        try read { () throws(Refusal) in try question.cancellation?.begin(over: socket) }
        defer { question.cancellation?.end() }
        let deadline = Deadline.after(milliseconds: Int(question.deadline) + Self.grace)
        if mustIntroduce { try introduce(within: question.deadline, by: deadline) }
        return try exchange(question, body, by: deadline)
    }

    private func exchange(_ question: Question, _ body: some FrameBody, by deadline: Deadline) throws(Failure) -> Answer
    {
        try write(question, body)
        defer { request.removeAll() }
        let isSent = try send(question.descriptors, by: deadline)
        return try receive(isSent: isSent, by: deadline)
    }

    /// The daemon answers when its deadline comes; a little later there is no more hope.
    private static let grace = 500
}

// MARK: - The introduction

extension Channel {
    /// Has the daemon give this connection a number, and sends it back. Nothing has been asked for yet, whatever
    /// becomes of it.
    private func introduce(within limit: UInt32, by deadline: Deadline) throws(Failure) {
        let question = Question(kind: .introduction, deadline: limit)
        do throws(Failure) {
            let given = try exchange(question, IntroductionRequest.begin, by: deadline)
            let number = try read { () throws(Refusal) in
                try IntroductionRequest.number(status: given.status, body: given.body)
            }
            let taken = try exchange(question, IntroductionRequest.finish(number: number), by: deadline)
            try read { () throws(Refusal) in
                if taken.status != 0 { throw Refusal(decoding: taken.body, status: taken.status) }
            }
        } catch {
            if case .unknown = error { throw .notPerformed(SystemError(code: EPIPE, call: "recv")) }
            throw error
        }
        mustIntroduce = false
    }

    private func read<Result>(_ body: () throws(Refusal) -> Result) throws(Failure) -> Result {
        do throws(Refusal) { return try body() } catch { throw .refused(error) }
    }
}

// MARK: - The request

extension Channel {
    private func write(_ question: Question, _ body: some FrameBody) throws(Failure) {
        lastID &+= 1
        let header = FrameHeader(
            length: 0, kind: question.kind, descriptors: question.descriptors.count, id: lastID,
            word: question.deadline)
        header.append(to: request)
        body.append(to: request)
        let length = request.count - FrameHeader.size
        guard length <= WireLimits.requestBody else {
            request.removeAll()
            throw .refused(.tooLong(length))
        }
        request.overwrite(littleEndian: UInt32(length), at: 0)
    }

    /// Sends the request; false when the daemon would not have all of it. Then it may still have said why.
    private func send(_ descriptors: [FileDescriptor], by deadline: Deadline) throws(Failure) -> Bool {
        do throws(SystemError) {
            try request.withSpan { span throws(SystemError) in
                if descriptors.isEmpty { return try socket.sendFully(span, deadline: deadline) }
                try socket.sendFully(span, attaching: descriptors, deadline: deadline)
            }
            return true
        } catch {
            switch error.code {
            case EPIPE, ECONNRESET: return false
            case ETIMEDOUT: throw .late
            default: throw .notPerformed(error)
            }
        }
    }
}

// MARK: - The answer

extension Channel {
    private func receive(isSent: Bool, by deadline: Deadline) throws(Failure) -> Answer {
        try room.withMutableSpan { span throws(Failure) in
            var filled = 0
            while filled < FrameHeader.size {
                filled += try receive(into: &span, from: filled, isSent: isSent && filled == 0, by: deadline)
            }
            let header = try header(span.span.extracting(..<filled))
            let body = SecretBytes(count: header.length)
            try body.withMutableSpan { body throws(Failure) in
                let begun = min(filled - FrameHeader.size, body.count)
                body.copy(span.span.extracting(FrameHeader.size..<FrameHeader.size + begun))
                var filled = begun
                while filled < body.count {
                    filled += try receive(into: &body, from: filled, isSent: true, by: deadline)
                }
            }
            span.wipe(filled)
            return Answer(status: Int32(bitPattern: header.word), body: body)
        }
    }

    private func header(_ span: Span<UInt8>) throws(Failure) -> FrameHeader {
        do throws(Refusal) {
            guard let header = try FrameHeader(span, limit: WireLimits.responseBody), case .response = header.kind,
                header.id == lastID, span.count <= FrameHeader.size + header.length
            else { throw .malformed("the head of the answer") }
            return header
        } catch { throw .refused(error) }
    }

    /// Receives at least one byte.
    ///
    /// A kernel reports ECONNRESET when the daemon closed, or died, without having read everything, and with that not
    /// the whole of the one request there is; at the mere end of the stream it had read the request.
    private func receive(
        into span: inout MutableSpan<UInt8>, from offset: Int, isSent: Bool, by deadline: Deadline
    ) throws(Failure) -> Int {
        do throws(SystemError) {
            let received = try receive(into: &span, from: offset, by: deadline)
            if received > 0 { return received }
        } catch {
            switch error.code {
            case ECONNRESET: throw .notPerformed(error)
            case ETIMEDOUT: throw .late
            default: throw .unknown
            }
        }
        throw isSent ? .unknown : .notPerformed(SystemError(code: EPIPE, call: "send"))
    }

    /// Waits in `poll`. A thread in `recv` would be woken twice: when the daemon takes the request, and by the answer.
    private func receive(
        into span: inout MutableSpan<UInt8>, from offset: Int, by deadline: Deadline
    ) throws(SystemError) -> Int {
        var (received, wait): (Int?, AdaptiveSpin) = (nil, spin)
        defer { spin = wait }
        let isThere = try wait.spin { () throws(SystemError) in
            received = try socket.receiveAtOnce(into: &span, from: offset)
            return received != nil
        }
        if isThere, let received { return received }
        while true {
            try socket.descriptor.wait(for: .readable, deadline: deadline)
            guard hasItsSocket else { throw SystemError(code: EBADF, call: "recv") }
            if let received = try socket.receiveAtOnce(into: &span, from: offset) { return received }
        }
    }
}

extension Refusal {
    fileprivate static func tooLong(_ length: Int) -> Refusal { FrameHeader.tooLong(length, WireLimits.requestBody) }
}
