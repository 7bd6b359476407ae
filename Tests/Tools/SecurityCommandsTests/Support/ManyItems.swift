import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// A keychain with very many passwords of its own program, which come in pages. It counts the requests.
final class ManyItems: KeychainConnection {
    private let count: Int
    private static let pageSize = 1000
    private let asked = Lock((items: 0, others: 0))

    /// How many requests there were: for items, and for everything else.
    var requests: (items: Int, others: Int) { asked.withLock { $0 } }

    init(_ count: Int) { self.count = count }

    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        asked.withLock { $0.items += 1 }
        let start = Int(request.cursor)
        guard request.operation == .copyMatching, request.itemClass == .genericPassword, start < count else {
            throw StandInKeychain.notFound
        }
        let end = min(count, start + Self.pageSize)
        let writer = ResponseWriter()
        writer.begin(id: 1)
        for number in start..<end {
            writer.beginItem(.genericPassword)
            writer.buffer.append(.service, .string("service \(count - number)"))
            writer.buffer.append(.account, .string("ada"))
            writer.buffer.append(.accessGroup, .string(StandInKeychain.ownGroup))
            writer.buffer.append(.modificationDate, .date(StandInKeychain.date + Double(number)))
            writer.endItem()
        }
        writer.end(cursor: end < count ? UInt64(end) : 0)
        return try ItemResponse(status: 0, body: writer.buffer.copy(from: FrameHeader.size))
    }

    func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        asked.withLock { $0.others += 1 }
        guard case .identity = request else { throw .malformed("a request that the test does not know") }
        return .identity(StandInKeychain.caller)
    }

    func key(_ request: KeyRequest) throws(Refusal) -> KeyReply { throw StandInKeychain.notFound }

    func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply { throw StandInKeychain.notFound }
}
