import Glibc
package import KeychainModel
package import KeychainWire
package import LinuxSystem
import TestSupport

/// A client that sends whatever a test wants, sound or not.
package final class RawClient {
    package let socket: UnixSocket

    package init(_ path: String) throws {
        socket = try UnixSocket.connect(to: path, deadline: soon)
    }

    /// Takes over a connected socket; also the daemon's end of one.
    package init(_ socket: UnixSocket) { self.socket = socket }

    package func send(_ bytes: [UInt8], attaching descriptors: [FileDescriptor] = []) throws {
        if descriptors.isEmpty { return try socket.sendFully(bytes.span, deadline: soon) }
        try socket.sendFully(bytes.span, attaching: descriptors, deadline: soon)
    }

    /// Says that nothing more will be sent.
    package func finishSending() { shutdown(socket.descriptor.number, CInt(SHUT_WR)) }

    /// The next answer; nil when the connection was closed instead.
    package func receive() throws -> Answer? {
        guard let head = try receive(FrameHeader.size) else { return nil }
        guard
            let header = try head.withSpan({ span throws(Refusal) in
                try FrameHeader(span, limit: WireLimits.responseBody)
            }), let body = try receive(header.length)
        else { return nil }
        return Answer(id: header.id, status: Int32(bitPattern: header.word), body: body)
    }

    /// Reads a whole request and gives its id.
    package func skipRequest() throws -> UInt32 {
        guard let head = try receive(FrameHeader.size) else { return 0 }
        let length = head.withSpan { $0.littleEndian(UInt32.self, at: 0) }
        _ = try receive(Int(length))
        return head.withSpan { $0.littleEndian(UInt32.self, at: FrameHeader.idOffset) }
    }

    /// Sends a request and waits for its answer.
    package func ask(_ bytes: [UInt8], attaching descriptors: [FileDescriptor] = []) throws -> Answer? {
        try send(bytes, attaching: descriptors)
        return try receive()
    }

    /// Waits until the server has closed the connection, whatever is left to read.
    package func waitForHangUp() throws { try socket.descriptor.wait(for: [], deadline: soon) }

    /// Whether the server closes the connection without another answer.
    package func isClosed() throws -> Bool { try receive() == nil }

    private func receive(_ count: Int) throws(SystemError) -> SecretBytes? {
        let bytes = SecretBytes(count: count)
        let received = try bytes.withMutableSpan { span throws(SystemError) in try receive(into: &span) }
        return received == count ? bytes : nil
    }

    private func receive(into span: inout MutableSpan<UInt8>) throws(SystemError) -> Int {
        do throws(SystemError) { return try socket.receiveFully(into: &span, deadline: soon) } catch {
            guard error.code == ECONNRESET else { throw error }
            return 0
        }
    }
}

/// An answer as it came.
package struct Answer {
    package let id: UInt32
    package let status: Int32
    package let body: SecretBytes

    package func response() throws(Refusal) -> ItemResponse { try ItemResponse(status: status, body: body) }
    /// Why the request was refused; nil when it was not.
    package var refusal: Refusal? { status == 0 ? nil : Refusal(decoding: body, status: status) }
}

/// Frames to send.
package enum Frames {
    package static func item(_ request: ItemRequest, id: UInt32 = 1, deadline: UInt32 = 0) -> [UInt8] {
        frame(.item, id: id, word: deadline) { request.append(to: $0) }
    }

    package static func search(_ account: String = "a", id: UInt32 = 1, deadline: UInt32 = 0) -> [UInt8] {
        item(request(.copyMatching, account: account), id: id, deadline: deadline)
    }

    package static func add(_ account: String = "a", id: UInt32 = 1, deadline: UInt32 = 0) -> [UInt8] {
        item(request(.add, account: account), id: id, deadline: deadline)
    }

    package static func device(
        _ request: DeviceRequest, id: UInt32 = 1, deadline: UInt32 = 0, descriptors: Int = 0
    ) -> [UInt8] {
        frame(.device, id: id, word: deadline, descriptors: descriptors) { request.append(to: $0) }
    }

    /// A request to make a key.
    package static func key(id: UInt32 = 1) -> [UInt8] {
        let request = KeyRequest.make(KeyBinding(group: "", accessibility: .whenUnlocked, control: 0))
        return frame(.key, id: id) { request.append(to: $0) }
    }

    /// A request to ask the user, in a context of its own.
    package static func evaluation(id: UInt32 = 1, deadline: UInt32 = 0, descriptors: Int = 0) -> [UInt8] {
        authentication(
            .evaluate(.policy(2), context: context(id), prompt: Prompt(reason: "a reason")), id: id,
            deadline: deadline, descriptors: descriptors)
    }

    package static func authentication(
        _ request: AuthenticationRequest, id: UInt32 = 1, deadline: UInt32 = 0, descriptors: Int = 0
    ) -> [UInt8] {
        frame(.authentication, id: id, word: deadline, descriptors: descriptors) { request.append(to: $0) }
    }

    package static func introduction(_ request: IntroductionRequest, id: UInt32 = 1) -> [UInt8] {
        frame(.introduction, id: id) { request.append(to: $0) }
    }

    /// The identifier of a context.
    package static func context(_ id: UInt32) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: id), count: AuthenticationContext.identifierBytes)
    }

    /// A request for one item, with a query of one attribute.
    package static func request(
        _ operation: ItemRequest.Operation, account: String, limit: ItemRequest.Limit = .one
    ) -> ItemRequest {
        let buffer = SecretBuffer()
        buffer.append(.account, .string(account))
        var request = ItemRequest(operation)
        request.itemClass = .genericPassword
        request.limit = limit
        // The code that was just built is a list.
        if let query = try? AttributeList(parsing: buffer.copy()) { request.query = query }
        return request
    }

    package static func frame(
        _ kind: FrameHeader.Kind, id: UInt32, word: UInt32 = 0, descriptors: Int = 0, _ body: (SecretBuffer) -> Void
    ) -> [UInt8] {
        let content = SecretBuffer()
        body(content)
        let frame = SecretBuffer()
        FrameHeader(length: content.count, kind: kind, descriptors: descriptors, id: id, word: word).append(to: frame)
        content.withSpan { frame.append($0) }
        return frame.withSpan { $0.array(0, $0.count) }
    }
}

extension FileDescriptor {
    /// A memory file with a text in it, as a passcode travels.
    package static func holding(_ text: String) throws(SystemError) -> FileDescriptor {
        let bytes = Array(text.utf8)
        let memory = try SharedMemory(count: bytes.count)
        memory.write(bytes.span, at: 0)
        return memory.descriptor
    }

    /// The content of a memory file.
    func text() throws(SystemError) -> String {
        let memory = try SharedMemory(receiving: self, count: try FileStatus(of: self).size)
        var bytes = [UInt8](repeating: 0, count: memory.count)
        var span = bytes.mutableSpan
        memory.read(at: 0, into: &span)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension SystemError {
    /// Whether it tells that the peer has closed the connection.
    package var isEndOfConnection: Bool { code == EPIPE || code == ECONNRESET }
}
