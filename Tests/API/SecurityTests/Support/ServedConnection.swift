import Foundation
import KeychainClient
import KeychainModel
import KeychainPolicy
import KeychainServer
import KeychainWire
import LinuxSystem
import Synchronization

/// A program's way to its device through a real socket: the client's connection, the server's event loop and writer, and
/// behind them what the program would otherwise have been connected to.
final class ServedConnection: KeychainConnection {
    private let server: KeychainServer
    private let client: Connection
    private let path: String

    init(to target: any KeychainConnection, as caller: CallerIdentity) throws {
        let path = "/tmp/kc-\(UUID().uuidString.prefix(13)).sock"
        self.path = path
        let listener = try UnixSocket.listen(at: path)
        server = try KeychainServer(
            Forwarding(target: target), on: [listener], identify: { _ in caller }, log: { _ in })
        client = Connection { () throws(Refusal) in
            do throws(SystemError) {
                return try UnixSocket.connect(to: path, deadline: .after(milliseconds: 20_000))
            } catch {
                throw Refusal(.notAvailable, .unavailable, path, "\(error)", do: "See why the test's server has ended.")
            }
        }
    }

    /// A connection through a server of its own; when none can be started, every call says so.
    @Sendable static func serve(
        _ target: any KeychainConnection, _ caller: CallerIdentity
    ) -> any KeychainConnection {
        do { return try ServedConnection(to: target, as: caller) } catch { return NoConnection() }
    }

    deinit {
        server.stop()
        try? FileManager.default.removeItem(atPath: path)
    }

    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse { try client.send(request) }

    func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        try client.device(request, passcodes: passcodes)
    }

    func key(_ request: KeyRequest) throws(Refusal) -> KeyReply { try client.key(request) }
}

/// Hands what the server has read on to a connection, and its answers back.
private struct Forwarding: RequestHandler {
    let target: any KeychainConnection

    final class Lane: RequestLane {
        let target: any KeychainConnection
        init(_ target: any KeychainConnection) { self.target = target }

        func read(
            _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
            into writer: ResponseWriter
        ) {
            writer.answer(request, id, from: target)
        }
    }

    struct Write: QueuedWrite {
        let request: ItemRequest
        let id: UInt32
        let writer = ResponseWriter()

        init(_ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline) {
            (self.request, self.id) = (request, id)
        }
    }

    func makeLane() throws(Refusal) -> Lane { Lane(target) }

    /// Nobody watches through it.
    let stateEpoch = StateEpoch()

    func news() throws(Refusal) -> DeviceNews {
        guard case .status(let status) = try target.device(.status, passcodes: []) else {
            throw .malformed("the status")
        }
        return DeviceNews(epoch: stateEpoch.value, status: status)
    }

    func maintain() {}

    func write(_ batch: [Write]) {
        for write in batch { write.writer.answer(write.request, write.id, from: target) }
    }

    func device(
        _ request: DeviceRequest, passcodes: [FileDescriptor], id: UInt32, by deadline: Deadline,
        into writer: ResponseWriter
    ) {
        do throws(Refusal) {
            let reply = try target.device(request, passcodes: passcodes)
            writer.answer(id) { buffer in
                switch reply {
                case .status(let status): status.append(to: buffer)
                case .verification(let page): page.append(to: buffer)
                case .details(let details): details.append(to: buffer)
                case .news(let news): news.append(to: buffer)
                case .done: break
                }
            }
        } catch { writer.refuse(error, id: id) }
    }

    func key(_ request: KeyRequest, from caller: CallerIdentity, id: UInt32, into writer: ResponseWriter) {
        do throws(Refusal) {
            let reply = try target.key(request)
            writer.answer(id) { reply.append(to: $0) }
        } catch { writer.refuse(error, id: id) }
    }
}

extension ResponseWriter {
    fileprivate func answer(_ request: ItemRequest, _ id: UInt32, from target: any KeychainConnection) {
        do throws(Refusal) {
            let response = try target.send(request)
            begin(id: id, notice: response.notice)
            for item in response.items {
                beginItem(item.itemClass)
                item.attributes.withEncoded { buffer.append($0) }
                endItem()
            }
            end(cursor: response.cursor)
        } catch { refuse(error, id: id) }
    }
}

/// What there is when no server could be started.
struct NoConnection: KeychainConnection {
    private static let refusal = Refusal(
        .notAvailable, .unavailable, "server", "The test's server could not be started.", do: "See the limits on files."
    )

    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse { throw Self.refusal }
    func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        throw Self.refusal
    }
    func key(_ request: KeyRequest) throws(Refusal) -> KeyReply { throw Self.refusal }
}

/// Goes one way and the other in turn.
final class MixedConnection: KeychainConnection {
    private let ways: [any KeychainConnection]
    private let calls = Atomic<Int>(0)

    private init(_ ways: [any KeychainConnection]) { self.ways = ways }

    @Sendable static func mix(
        _ target: any KeychainConnection, _ caller: CallerIdentity
    ) -> any KeychainConnection {
        MixedConnection([target, ServedConnection.serve(target, caller)])
    }

    private var next: any KeychainConnection { ways[calls.add(1, ordering: .relaxed).newValue % ways.count] }

    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse { try next.send(request) }

    func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        try next.device(request, passcodes: passcodes)
    }

    func key(_ request: KeyRequest) throws(Refusal) -> KeyReply { try next.key(request) }
}
