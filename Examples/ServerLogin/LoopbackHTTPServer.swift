import Foundation
import Glibc

/// Answers requests from this machine, one after the other, on its own thread.
public final class LoopbackHTTPServer: Sendable {
    private let listener: LoopbackSocket
    private let ended = DispatchSemaphore(value: 0)
    /// The port.
    public let port: UInt16

    /// - Parameters:
    ///   - port: 0 for any free port.
    ///   - answer: makes the response to a request.
    /// - Returns: nil when the port cannot be opened.
    public init?(port: UInt16 = 0, answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse) {
        guard let listener = LoopbackSocket(listeningOn: port), let bound = listener.port else { return nil }
        self.listener = listener
        self.port = bound
        Thread.detachNewThread { [ended] in
            while let peer = listener.accept() { Self.serve(peer, answer) }
            ended.signal()
        }
    }

    /// Takes no more requests, and waits for the end of the one under way.
    public func stop() {
        listener.shutDown()
        ended.wait()
    }

    private static func serve(_ peer: LoopbackSocket, _ answer: (HTTPRequest) -> HTTPResponse) {
        guard let message = HTTPMessage(from: peer), message.startLine.count == 3 else { return }
        let (method, path) = (String(message.startLine[0]), String(message.startLine[1]))
        let response = answer(HTTPRequest(method: method, path: path, body: message.body))
        peer.send(HTTPMessage.bytes("HTTP/1.1 \(response.status) -", response.body))
    }
}

/// A TCP socket on the loopback interface, closed when it goes.
final class LoopbackSocket: Sendable {
    private static let timeout = 10
    private let descriptor: CInt

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
        var timeout = timeval(tv_sec: Self.timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    init?(listeningOn port: UInt16) {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, Self.use(Glibc.bind, descriptor, port) == 0, listen(descriptor, 16) == 0 else {
            return nil
        }
    }

    convenience init?(connectingTo port: UInt16) {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        guard Self.use(Glibc.connect, descriptor, port) == 0 else {
            close(descriptor)
            return nil
        }
        self.init(descriptor)
    }

    private static func use(
        _ call: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt, _ descriptor: CInt, _ port: UInt16
    ) -> CInt {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, size) }
        }
    }

    /// The port it is bound to.
    var port: UInt16? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return result == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// Waits for a peer; nil after ``shutDown()``.
    func accept() -> LoopbackSocket? {
        let peer = Glibc.accept(descriptor, nil, nil)
        return peer < 0 ? nil : LoopbackSocket(peer)
    }

    func shutDown() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// Some bytes; nil at the end, or when the peer takes too long.
    func receive() -> Data? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Data(buffer[..<count]) : nil
    }

    func send(_ bytes: Data) {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }
}
