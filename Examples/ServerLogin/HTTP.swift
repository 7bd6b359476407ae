import Foundation

/// A request, as far as the example needs it.
public struct HTTPRequest: Sendable {
    /// Such as POST.
    public var method: String
    /// The path of the request.
    public var path: String
    /// JSON.
    public var body: Data

    func decode<Message: Decodable>() throws -> Message { try JSONDecoder().decode(Message.self, from: body) }
}

/// A response, as far as the example needs it.
public struct HTTPResponse: Sendable {
    /// Such as 200.
    public var status: Int
    /// JSON, or nothing.
    public var body = Data()

    init(status: Int) { self.status = status }

    init(status: Int, json message: some Encodable) throws {
        self.status = status
        body = try JSONEncoder().encode(message)
    }
}

/// A request or a response on the wire (RFC 9112): one of each per connection.
struct HTTPMessage {
    /// The limits on the size of a message.
    private static let limit = 64 << 10
    private static let blankLine = Data("\r\n\r\n".utf8)

    let startLine: [Substring]
    let body: Data

    /// Reads a message; nil when the peer sends none, or exceeds a limit.
    init?(from socket: LoopbackSocket) {
        var received = Data()
        while received.range(of: Self.blankLine) == nil {
            guard received.count < Self.limit, let part = socket.receive() else { return nil }
            received += part
        }
        guard let end = received.range(of: Self.blankLine) else { return nil }
        let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let length = Self.length(in: lines)
        guard (0...Self.limit).contains(length) else { return nil }
        var body = Data(received[end.upperBound...])
        while body.count < length {
            guard let part = socket.receive() else { return nil }
            body += part
        }
        startLine = Substring(lines[0]).split(separator: " ", maxSplits: 2)
        self.body = body.prefix(length)
    }

    private static func length(in lines: [String]) -> Int {
        let prefix = "content-length:"
        let line = lines.first { $0.lowercased().hasPrefix(prefix) }
        guard let line else { return 0 }
        return Int(line.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces)) ?? -1
    }

    /// A message with JSON in it.
    static func bytes(_ startLine: String, _ body: Data) -> Data {
        let head = [
            startLine, "Host: localhost", "Content-Type: application/json", "Content-Length: \(body.count)",
            "Connection: close",
        ]
        return Data((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
}

/// Sends JSON to a server on this machine.
struct HTTPClient {
    let port: UInt16

    /// The network failed, or a message was malformed.
    struct Unreachable: Error {}

    func post(_ path: String, _ message: some Encodable) throws -> HTTPResponse {
        guard let socket = LoopbackSocket(connectingTo: port) else { throw Unreachable() }
        socket.send(HTTPMessage.bytes("POST \(path) HTTP/1.1", try JSONEncoder().encode(message)))
        guard let answer = HTTPMessage(from: socket), answer.startLine.count > 1, let status = Int(answer.startLine[1])
        else { throw Unreachable() }
        var response = HTTPResponse(status: status)
        response.body = answer.body
        return response
    }
}
