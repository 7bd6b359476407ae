import CCounters
import KeychainClient
import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// A connection that hands every frame to an engine in this process and counts what goes over.
///
/// One thread uses it, which is what makes it safe to send.
final class CountingConnection: KeychainConnection, @unchecked Sendable {
    private let engine: KeychainEngine
    private let itemReader: ItemReader
    private let caller = CallerIdentity(user: 0, process: 0, program: "keychain-counts", groups: ["COUNTS.program"])
    var counts = Counts()

    init(_ engine: KeychainEngine) throws(Refusal) {
        self.engine = engine
        itemReader = try engine.makeItemReader()
    }

    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        let body = SecretBuffer()
        request.append(to: body)
        let before = counters_allocations()
        let writer = try answer(body.copy())
        counts.engineAllocations += Int(counters_allocations() - before)
        counts.roundTrips += 1
        counts.requestBytes += FrameHeader.size + body.count
        counts.replyBytes += writer.buffer.count
        let (status, answer) = writer.complete()
        return try ItemResponse(status: status, body: answer)
    }

    func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        throw .malformed("the request: only items are counted")
    }

    func key(_ request: KeyRequest) throws(Refusal) -> KeyReply {
        throw .malformed("the request: only items are counted")
    }

    func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply {
        throw .malformed("the request: only items are counted")
    }

    /// Answers a frame's body as a daemon does.
    private func answer(_ body: SecretBytes) throws(Refusal) -> ResponseWriter {
        let deadline = Deadline.after(milliseconds: Int(WireLimits.defaultDeadline))
        let request = try ItemRequest(decoding: body)
        guard request.operation == .copyMatching else {
            let write = PendingWrite(request, from: caller, id: 1, by: deadline)
            engine.write([write])
            return write.writer
        }
        let writer = ResponseWriter()
        itemReader.read(request, from: caller, id: 1, by: deadline, into: writer)
        return writer
    }
}
