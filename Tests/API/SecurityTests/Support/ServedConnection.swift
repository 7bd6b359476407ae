import Foundation
import KeychainClient
import KeychainModel
import KeychainPolicy
import KeychainServer
import KeychainWire
import LinuxSystem
import Synchronization
import TestSupport

/// A program's connection to its device through a real socket: the client's connection, the server's event loop and
/// writer, and the original connection behind them.
final class ServedConnection: KeychainConnection {
    private let server: KeychainServer
    private let client: Connection
    private let folder: TemporaryDirectory

    init(to target: any KeychainConnection, as caller: CallerIdentity) throws {
        folder = try TemporaryDirectory()
        let path = folder.file("socket")
        let listener = try UnixSocket.listen(at: path)
        server = try KeychainServer(
            Forwarding(target: target), on: [listener], registry: OneCaller(caller: caller), log: { _ in })
        client = Connection { (_) throws(Refusal) in
            do throws(SystemError) {
                return try UnixSocket.connect(to: path, deadline: soon)
            } catch {
                throw Refusal(.notAvailable, .unavailable, path, "\(error)", do: "See why the test's server has ended.")
            }
        }
    }

    /// A connection through its own server. When none can be started, every call fails with that error.
    @Sendable static func serve(
        _ target: any KeychainConnection, _ caller: CallerIdentity
    ) -> any KeychainConnection {
        do { return try ServedConnection(to: target, as: caller) } catch { return NoConnection() }
    }

    deinit { server.stop() }

    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse { try client.send(request) }

    func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        try client.device(request, passcodes: passcodes)
    }

    func key(_ request: KeyRequest) throws(Refusal) -> KeyReply { try client.key(request) }

    func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply {
        try client.authentication(request, descriptors: descriptors)
    }
}

/// Identifies every caller as the same program.
private struct OneCaller: CallerRegistry {
    let caller: CallerIdentity

    /// It lasts as long as the test.
    private final class ThisProcess: CallerProcess {
        let isUnchanged = true
    }

    func recognize(_ peer: UnixSocket) -> IdentifiedCaller? { IdentifiedCaller(caller, process: ThisProcess()) }
    func identify(_ peer: UnixSocket) -> Identification { .known(IdentifiedCaller(caller, process: ThisProcess())) }

    func examine(
        _ file: FileDescriptor, for caller: CallerIdentity,
        then deliver: @escaping @Sendable (Result<CallerIdentity, Refusal>) -> Void
    ) {
        deliver(.failure(.malformed("what nobody here examines")))
    }
}

/// Passes requests that the server has read to a connection, and returns the answers.
private struct Forwarding: RequestHandler {
    let target: any KeychainConnection

    final class Reader: RequestReader {
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

    func makeItemReader() throws(Refusal) -> Reader { Reader(target) }

    /// It has no observers.
    let stateEpoch = StateEpoch()

    func news() throws(Refusal) -> DeviceStateChange {
        guard case .status(let status) = try target.device(.status, passcodes: []) else {
            throw .malformed("the status")
        }
        return DeviceStateChange(epoch: stateEpoch.value, status: status)
    }

    func maintain() {}

    func numbers(of watch: GroupWatch, for caller: CallerIdentity) throws(Refusal) -> [GroupNumber] {
        guard case .groups(let numbers) = try target.device(.watchGroups(watch), passcodes: []) else {
            throw .malformed("the numbers of groups")
        }
        return numbers
    }

    func write(_ batch: [Write]) {
        for write in batch { write.writer.answer(write.request, write.id, from: target) }
    }

    func device(
        _ request: DeviceRequest, passcodes: [FileDescriptor], from caller: CallerIdentity, id: UInt32,
        by deadline: Deadline, into writer: ResponseWriter
    ) {
        do throws(Refusal) {
            let reply = try target.device(request, passcodes: passcodes)
            writer.answer(id) { buffer in
                switch reply {
                case .status(let status): status.append(to: buffer)
                case .verification(let page): page.append(to: buffer)
                case .backup(let reply): reply.append(to: buffer)
                case .sync(let reply): reply.append(to: buffer)
                case .details(let details): details.append(to: buffer)
                case .groups(let numbers): numbers.append(to: buffer)
                case .news(let news): news.append(to: buffer)
                case .access(let reply): reply.append(to: buffer)
                case .identity(let report): report.append(to: buffer)
                case .release(let release): release.append(to: buffer)
                case .lastUnlock(let number): buffer.append(littleEndian: number)
                case .snapshot(let path): buffer.append(text: path)
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

    func authentication(
        _ request: AuthenticationRequest, password: FileDescriptor?, from caller: CallerIdentity,
        _ conversation: PromptCancellation, id: UInt32, by deadline: Deadline, into writer: ResponseWriter
    ) {
        do throws(Refusal) {
            if case .evaluate(_, let identifier, _) = request {
                try conversation.begin(in: AuthenticationContext(identifier: identifier, caller: []))
            }
            let reply = try target.authentication(request, descriptors: password.map { [$0] } ?? [])
            switch reply {
            case .capabilities(let capabilities): writer.answer(id) { capabilities.append(to: $0) }
            case .evaluated(let result): writer.answer(id) { result.append(to: $0) }
            case .circle(let status): writer.answer(id) { SyncReply.status(status).append(to: $0) }
            case .item(let response): writer.write(response, id)
            case .key(let reply): writer.answer(id) { reply.append(to: $0) }
            case .done: writer.answer(id) { _ in }
            }
        } catch { writer.refuse(error, id: id) }
    }

    func withdraw(_ conversation: PromptCancellation) {
        guard let context = conversation.end() else { return }
        _ = try? target.authentication(.invalidate(context: context.identifier), descriptors: [])
    }
}

extension ResponseWriter {
    fileprivate func answer(_ request: ItemRequest, _ id: UInt32, from target: any KeychainConnection) {
        do throws(Refusal) {
            write(try target.send(request), id)
        } catch { refuse(error, id: id) }
    }

    fileprivate func write(_ response: ItemResponse, _ id: UInt32) {
        begin(id: id, notice: response.notice)
        for item in response.items {
            beginItem(item.itemClass)
            item.attributes.withEncoded { buffer.append($0) }
            endItem()
        }
        end(cursor: response.cursor)
    }
}

/// The error when no server could be started.
final class NoConnection: KeychainConnection {
    private static let refusal = Refusal(
        .notAvailable, .unavailable, "server", "The test's server could not be started.", do: "See the limits on files."
    )

    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse { throw Self.refusal }
    func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        throw Self.refusal
    }
    func key(_ request: KeyRequest) throws(Refusal) -> KeyReply { throw Self.refusal }
    func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply { throw Self.refusal }
}

/// Uses one connection and the other in turn.
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

    func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply {
        try next.authentication(request, descriptors: descriptors)
    }
}
