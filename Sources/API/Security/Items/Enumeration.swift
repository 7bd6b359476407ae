internal import KeychainClient
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// A query for many items, whose answer comes in pages. While one page becomes objects, the next is requested.
struct Enumeration {
    private let session: any KeychainConnection
    private let use: AuthenticationUse

    init(_ session: any KeychainConnection, _ use: AuthenticationUse) { (self.session, self.use) = (session, use) }

    /// The objects of all found items, and the first page's notice. An item without the requested data is left out.
    ///
    /// - Throws: as the connection. A refusal of a later page is the refusal of the whole. `errSecItemNotFound` for
    ///   empty pages; `errSecNotAvailable` for pages that do not end in time.
    func objects(of request: ItemRequest) throws(Refusal) -> (objects: [AnyObject], notice: Refusal?) {
        var page = try session.send(request)
        let deadline = session.deadlineOfWhole
        let notice = page.notice
        var (objects, next): ([AnyObject], ItemRequest?) = ([], request.following(page))
        var isEmpty = page.items.isEmpty && next != nil
        while let following = next {
            let ahead = PageAhead(following, from: session, by: deadline)
            append(page, of: request, to: &objects)
            page = try ahead.wait()
            next = following.following(page)
            isEmpty = isEmpty && page.items.isEmpty
        }
        if isEmpty { throw .emptyPages }
        append(page, of: request, to: &objects)
        return (objects, notice)
    }

    private func append(_ page: ItemResponse, of request: ItemRequest, to objects: inout [AnyObject]) {
        for item in page.items {
            if let object = ItemResult(request.returns, item, use).object { objects.append(object) }
        }
    }
}

/// A page that another thread waits for. A thread instead of a queue: a queue would not work in a forked child.
private final class PageAhead: Sendable {
    private let answer = Monitor<Result<ItemResponse, Refusal>?>(nil)
    private let thread: LinuxSystem.Thread?

    init(_ request: ItemRequest, from session: any KeychainConnection, by deadline: Deadline) {
        let answer = answer
        let ask: @Sendable () -> Void = {
            let result: Result<ItemResponse, Refusal>
            do throws(Refusal) { result = .success(try session.send(request, by: deadline)) } catch {
                result = .failure(error)
            }
            answer.update { $0 = result }
        }
        thread = try? LinuxSystem.Thread(named: "keychain-page", ask)
        // Without a thread the page is requested at once.
        if thread == nil { ask() }
    }

    func wait() throws(Refusal) -> ItemResponse {
        thread?.join()
        guard let result = answer.wait({ $0 }) else { throw .malformed("an answer") }
        return try result.get()
    }
}
