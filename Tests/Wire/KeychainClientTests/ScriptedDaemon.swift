import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport

/// Something that listens where a daemon should, and treats each connection as its script says.
final class ScriptedDaemon {
    enum Act: Sendable {
        /// Closes without having looked at the request.
        case closeUnread
        /// Reads the request, then closes.
        case readAndClose
        /// Reads the request and leaves the connection open.
        case readAndWait
        /// Reads the request and answers with no items.
        case answer
        /// Reads the request and sends these bytes.
        case send([UInt8])
    }

    private let directory: TemporaryDirectory
    private let path: String
    private let thread: Thread
    private let played = Monitor(Played())

    private struct Played {
        var acts = 0
        var isOver = false
        var open: [UnixSocket] = []
    }

    init(_ script: [Act]) throws {
        directory = try TemporaryDirectory()
        path = directory.file("socket")
        let listener = try UnixSocket.listen(at: path)
        thread = try Thread(named: "daemon") { [played] in
            for act in script {
                guard let socket = Self.next(listener, unless: { played.update { $0.isOver } }) else { return }
                played.update { $0.acts += 1 }
                try? Self.play(act, socket)
                if case .readAndWait = act { played.update { $0.open.append(socket) } }
            }
        }
    }

    func connection() -> Connection {
        let path = path
        return Connection(timeout: UInt32(patience)) { (_) throws(Refusal) in try RunningServer.open(path) }
    }

    /// Ends the script; the result is how many connections there were.
    func finish() -> Int {
        played.update { $0.isOver = true }
        _ = try? UnixSocket.connect(to: path, deadline: soon)
        thread.join()
        return played.update { $0.acts }
    }

    private static func next(_ listener: UnixSocket, unless isOver: () -> Bool) -> UnixSocket? {
        try? listener.descriptor.wait(for: .readable, deadline: soon)
        return isOver() ? nil : try? listener.accept()
    }

    private static func play(_ act: Act, _ socket: UnixSocket) throws {
        try socket.descriptor.wait(for: .readable, deadline: soon)
        if case .closeUnread = act { return }
        let client = RawClient(socket)
        let id = try client.skipRequest()
        switch act {
        case .answer:
            let writer = ResponseWriter()
            writer.begin(id: id)
            writer.end()
            try client.send(writer.buffer.withSpan { $0.array(0, $0.count) })
        case .send(let bytes): try client.send(bytes)
        case .closeUnread, .readAndClose, .readAndWait: break
        }
    }
}
