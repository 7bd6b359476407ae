import CLinux
import Glibc

/// A stream socket between processes of this machine.
package struct UnixSocket: Sendable {
    /// The descriptor of the socket.
    package let descriptor: FileDescriptor
    /// The process that had the number of the connecting process at accept; nil where the kernel identifies the process
    /// itself.
    package let witness: ProcessWitness?
    /// A moment before the connection was made, in nanoseconds of the monotonic clock; nil where none is known.
    package internal(set) var madeAfter: UInt64?

    /// Takes a descriptor that the caller knows to be a connected or listening unix stream socket.
    package init(_ descriptor: FileDescriptor, witness: ProcessWitness? = nil, madeAfter: UInt64? = nil) {
        (self.descriptor, self.witness, self.madeAfter) = (descriptor, witness, madeAfter)
    }

    /// Ends the connection for both sides, and wakes the threads that wait for it.
    package func shutDown() { _ = Glibc.shutdown(descriptor.number, CInt(SHUT_RDWR)) }

    /// Ends this side's sending. The end of the other side is still reported here.
    package func endSending() { _ = Glibc.shutdown(descriptor.number, CInt(SHUT_WR)) }

    /// Whether the peer has received all that was sent to it, or has gone.
    ///
    /// - Throws: `SystemError` of `ioctl`.
    package func hasDeliveredAll() throws(SystemError) -> Bool {
        var unread: CInt = 0
        _ = try retrying("ioctl") { unsafe ioctl(descriptor.number, UInt(TIOCOUTQ), &unread) }
        return unread == 0
    }

    /// Makes two sockets that are connected to each other and block.
    ///
    /// - Throws: `SystemError` of `socketpair`: too many open files.
    package static func pair() throws(SystemError) -> (UnixSocket, UnixSocket) { try pair(of: streamType) }

    /// As ``pair()``, for messages with boundaries: each is received whole, or truncated if the buffer is too small.
    ///
    /// - Throws: as ``pair()``.
    package static func packetPair() throws(SystemError) -> (UnixSocket, UnixSocket) { try pair(of: packetType) }

    private static func pair(of type: CInt) throws(SystemError) -> (UnixSocket, UnixSocket) {
        var ends: (CInt, CInt) = (-1, -1)
        _ = try retrying("socketpair") {
            unsafe withUnsafeMutableBytes(of: &ends) {
                unsafe socketpair(AF_UNIX, type, 0, $0.assumingMemoryBound(to: CInt.self).baseAddress)
            }
        }
        return (UnixSocket(FileDescriptor(owning: ends.0)), UnixSocket(FileDescriptor(owning: ends.1)))
    }

    /// Connects to the listener at the path. The socket blocks; see ``limitWaits(milliseconds:)``.
    ///
    /// - Throws: `SystemError` of `connect`: `ENOENT` and `ECONNREFUSED` when nobody listens, `EACCES` when the path is
    ///   not for this user, `ETIMEDOUT` when the listener did not take the connection before the deadline,
    ///   `ENAMETOOLONG`.
    package static func connect(to path: String, deadline: Deadline) throws(SystemError) -> UnixSocket {
        let address = try UnixAddress(path: path)
        let socket = try UnixSocket.unconnected()
        try socket.limitWaits(milliseconds: max(1, deadline.remainingMilliseconds))
        // If the listener's queue is full, connect waits like a send; hence the limit and the EAGAIN.
        let connected = try unlessBlocked("connect") {
            unsafe address.withPointer { unsafe Glibc.connect(socket.descriptor.number, $0, $1) }
        }
        guard connected != nil else { throw SystemError(code: ETIMEDOUT, call: "connect") }
        try socket.limitWaits(milliseconds: -1)
        return socket
    }

    /// Accepts the next connection, which is non-blocking: `nil` when there is none.
    ///
    /// - Parameter notesPeer: whether to record at once the process that has the number of the connecting one. It is
    ///   necessary where the kernel reports only the number.
    /// - Throws: `SystemError` of `accept4`: too many open files, for example.
    package func accept(notingPeer notesPeer: Bool) throws(SystemError) -> UnixSocket? {
        while true {
            do {
                guard let number = try unlessBlocked("accept4", { clinux_accept(descriptor.number) }) else {
                    return nil
                }
                let socket = UnixSocket(FileDescriptor(owning: number))
                return notesPeer ? try socket.notingPeer() : socket
            } catch  where error.code == ECONNABORTED {
                // The waiting connection was closed; another one may be waiting.
            }
        }
    }

    /// The connection, together with the process that has the number of the connecting one now.
    ///
    /// - Throws: `SystemError` of `getsockopt`.
    package func notingPeer() throws(SystemError) -> UnixSocket {
        let process = try PeerNumbers(of: self).process
        return UnixSocket(descriptor, witness: ProcessWitness(of: process), madeAfter: madeAfter)
    }

    /// As ``accept(notingPeer:)``, recording what this kernel makes necessary.
    package func accept() throws(SystemError) -> UnixSocket? { try accept(notingPeer: ProcessWitness.isNeeded) }

    /// Sets the number of milliseconds that a blocking read or ``send(_:)`` waits before it returns
    /// `nil`; a negative number means no limit.
    ///
    /// - Throws: `SystemError` of `setsockopt`.
    package func limitWaits(milliseconds: CInt) throws(SystemError) {
        let limit = max(0, Int(milliseconds))
        var interval = timeval(tv_sec: limit / 1000, tv_usec: limit % 1000 * 1000)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            _ = try retrying("setsockopt") {
                unsafe setsockopt(
                    descriptor.number, SOL_SOCKET, option, &interval, socklen_t(MemoryLayout<timeval>.size))
            }
        }
    }

    static let streamType = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    private static let packetType = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)

    static func unconnected() throws(SystemError) -> UnixSocket {
        UnixSocket(FileDescriptor(owning: try retrying("socket") { socket(AF_UNIX, streamType, 0) }))
    }
}

// MARK: - Transfer

extension UnixSocket {
    /// Receives available bytes into the span from `offset` on, without waiting. It returns 0 when the peer has closed,
    /// and `nil` when there is nothing. The kernel closes descriptors that a peer attaches uninvited.
    ///
    /// - Throws: `SystemError` of `recv`.
    package func receiveAtOnce(
        into span: inout MutableSpan<UInt8>, from offset: Int = 0
    ) throws(SystemError) -> Int? {
        try receive(into: &span, from: offset, flags: dontWait)
    }

    /// Sends as many bytes as possible: `nil` when the socket would block, or its wait has timed out.
    ///
    /// - Throws: `SystemError` of `send`; `EPIPE`, without a signal, when the peer has closed.
    package func send(_ span: Span<UInt8>) throws(SystemError) -> Int? { try send(span, flags: 0) }

    /// Receives until the span is full or the peer closes, and returns the number of bytes.
    ///
    /// - Throws: `SystemError` of `recv` or `poll`; `ETIMEDOUT` when the deadline passed first.
    package func receiveFully(into span: inout MutableSpan<UInt8>, deadline: Deadline) throws(SystemError) -> Int {
        var filled = 0
        while filled < span.count {
            // The wait comes first, because the usual caller has just sent a request and the response is not there yet.
            try descriptor.wait(for: .readable, deadline: deadline)
            guard let count = try receive(into: &span, from: filled, flags: dontWait) else { continue }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// Sends all bytes.
    ///
    /// - Throws: `SystemError` of `send` or `poll`; `EPIPE` when the peer has closed, `ETIMEDOUT` when the deadline
    ///   passed first.
    package func sendFully(_ span: Span<UInt8>, deadline: Deadline) throws(SystemError) {
        var sent = 0
        while sent < span.count {
            if let count = try send(span.extracting(sent...), flags: dontWait) {
                sent += count
            } else {
                try descriptor.wait(for: .writable, deadline: deadline)
            }
        }
    }

    private func receive(
        into span: inout MutableSpan<UInt8>, from offset: Int, flags: CInt
    ) throws(SystemError) -> Int? {
        try unsafe span.withUnsafeMutableBufferPointer { (bytes) throws(SystemError) in
            let rest = unsafe UnsafeMutableBufferPointer(rebasing: bytes[offset...])
            return try unlessBlocked("recv") { unsafe recv(descriptor.number, rest.baseAddress, rest.count, flags) }
        }
    }

    private func send(_ span: Span<UInt8>, flags: CInt) throws(SystemError) -> Int? {
        try unsafe span.withUnsafeBufferPointer { (bytes) throws(SystemError) in
            try unlessBlocked("send") {
                unsafe Glibc.send(descriptor.number, bytes.baseAddress, bytes.count, flags | noSignal)
            }
        }
    }
}

private let dontWait = CInt(MSG_DONTWAIT)
private let noSignal = CInt(MSG_NOSIGNAL)
