import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import ServerTestSupport
import Testing

/// A keychain of ten items that gives at most three at a time.
private final class PagedKeychain: KeychainConnection {
    let limits = Lock<[ItemRequest.Limit]>([])

    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        limits.withLock { $0.append(request.limit) }
        let first = Int(request.cursor)
        let wanted =
            switch request.limit {
            case .one: 1
            case .all: Int.max
            case .atMost(let count): Int(count)
            }
        let end = min(10, first + min(3, wanted))
        let buffer = ResponseWriter()
        buffer.begin(id: 0)
        for index in first..<end {
            buffer.beginItem(.genericPassword)
            buffer.buffer.append(.account, .number(Int64(index)))
            buffer.endItem()
        }
        buffer.end(cursor: end < 10 ? UInt64(end) : 0)
        let answer = buffer.complete()
        return try ItemResponse(status: answer.status, body: answer.body)
    }

    func device(_: DeviceRequest, passcodes _: [FileDescriptor]) throws(Refusal) -> DeviceReply { .done }

    func key(_: KeyRequest) throws(Refusal) -> KeyReply { throw .malformed("a request for a page") }

    func authentication(
        _: AuthenticationRequest, descriptors _: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply { throw .malformed("a request for a page") }
}

/// A keychain that has another page every time, and nothing in it but at the end.
private final class EmptyKeychain: KeychainConnection {
    private let pages = Lock(0)
    private let count: Int
    let timeoutOfWhole: UInt32

    init(pages count: Int, timeout: UInt32) { (self.count, timeoutOfWhole) = (count, timeout) }

    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        let page = pages.withLock { pages -> Int in
            pages += 1
            return pages
        }
        let writer = ResponseWriter()
        writer.begin(id: 0)
        writer.end(cursor: page < count ? UInt64(page) : 0)
        let answer = writer.complete()
        return try ItemResponse(status: answer.status, body: answer.body)
    }

    func device(_: DeviceRequest, passcodes _: [FileDescriptor]) throws(Refusal) -> DeviceReply { .done }

    func key(_: KeyRequest) throws(Refusal) -> KeyReply { throw .malformed("a request for a page") }

    func authentication(
        _: AuthenticationRequest, descriptors _: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply { throw .malformed("a request for a page") }
}

@Suite("An enumeration comes in pages and is put together")
struct PageTests {
    @Test("Pages that do not end are given up at the deadline of the whole")
    func endless() throws {
        let refusal = #expect(throws: Refusal.self) {
            try EmptyKeychain(pages: .max, timeout: 20).sendAll(
                Frames.request(.copyMatching, account: "a", limit: .all))
        }
        #expect(refusal?.rule == .deadline)
    }

    @Test("A page takes no longer than there is time for the whole, and one for which there is none is not asked for")
    func pageInTime() throws {
        let server = try RunningServer()
        server.standIn.hold([.listing])
        let connection = server.connection()
        let request = Frames.request(.copyMatching, account: "a", limit: .all)
        for deadline in [Deadline.after(milliseconds: 1000), .now] {
            let refusal = #expect(throws: Refusal.self) { try connection.send(request, by: deadline) }
            #expect(refusal?.status == .notAvailable)
            // On a busy machine it may be begun when its time is over.
            #expect(server.standIn.waits { $0.listings.count == 1 })
        }
        server.standIn.release()
        server.stop()
        #expect(server.standIn.record.listings.count == 1)
    }

    @Test("Empty pages are no result, however many are wanted", arguments: [ItemRequest.Limit.one, .all, .atMost(3)])
    func empty(limit: ItemRequest.Limit) throws {
        let refusal = #expect(throws: Refusal.self) {
            try EmptyKeychain(pages: 3, timeout: 60_000).sendAll(
                Frames.request(.copyMatching, account: "a", limit: limit))
        }
        #expect(refusal?.status == .itemNotFound)
    }

    @Test(
        "It follows the cursor and keeps the limit",
        arguments: [
            (ItemRequest.Limit.all, 10, [ItemRequest.Limit.all, .all, .all, .all]),
            (.atMost(5), 5, [.atMost(5), .atMost(2)]),
            (.atMost(3), 3, [.atMost(3)]),
            (.atMost(50), 10, [.atMost(50), .atMost(47), .atMost(44), .atMost(41)]),
            (.one, 1, [.one]),
        ])
    func follows(limit: ItemRequest.Limit, count: Int, asked: [ItemRequest.Limit]) throws {
        let keychain = PagedKeychain()
        let response = try keychain.sendAll(Frames.request(.copyMatching, account: "a", limit: limit))
        #expect(response.items.map { $0.attributes[.account]?.number } == (0..<count).map { Int64($0) })
        #expect(response.cursor == 0)
        #expect(keychain.limits.withLock { $0 } == asked)
    }
}
