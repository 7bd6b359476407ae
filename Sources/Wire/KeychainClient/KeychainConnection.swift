package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// A keychain to ask, wherever its engine runs: behind a socket (``Connection``) or in this process (embedded).
package protocol KeychainConnection: AnyObject, Sendable {
    /// How long may be taken for what needs several requests, or walks over everything: milliseconds.
    var timeoutOfWhole: UInt32 { get }

    /// Performs an item request and gives one page of its answer; ``ItemResponse/cursor`` tells where the next begins.
    ///
    /// - Throws: the refusal of the engine, or `errSecNotAvailable` when no engine can be reached.
    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse

    /// The same for what is part of a whole: it takes no longer than there is time for that.
    ///
    /// - Throws: as ``send(_:)``; `errSecNotAvailable` when there is none left.
    func send(_ request: ItemRequest, by deadline: Deadline) throws(Refusal) -> ItemResponse

    /// Asks something of the device itself.
    ///
    /// - Parameter passcodes: as many memory files as ``DeviceRequest/descriptors`` says, in its order.
    /// - Throws: the refusal of the engine, or `errSecNotAvailable` when no engine can be reached.
    func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply

    /// The same for a program that has something else to do at the deadline.
    ///
    /// - Throws: as ``device(_:passcodes:)``; `errSecNotAvailable` when there is no answer in time.
    func device(
        _ request: DeviceRequest, passcodes: [FileDescriptor], by deadline: Deadline
    ) throws(Refusal) -> DeviceReply

    /// The same until another thread ends it. An engine in this process answers as if nobody had.
    ///
    /// - Throws: as ``device(_:passcodes:)``; `errSecNotAvailable` (`state.withdrawn`) when it was ended.
    func device(
        _ request: DeviceRequest, until cancellation: RequestCancellation
    ) throws(Refusal) -> DeviceReply

    /// Makes or uses a key that only the enclave sees.
    ///
    /// - Throws: the refusal of policy or enclave, or `errSecNotAvailable` when no engine can be reached.
    func key(_ request: KeyRequest) throws(Refusal) -> KeyReply

    /// Sends a request that may need the user. Blocks until the user has answered.
    ///
    /// - Parameter descriptors: as many memory files as ``AuthenticationRequest/descriptors`` allows: the application
    ///   password.
    /// - Throws: the refusal of the request inside; `errSecUserCanceled`, `errSecAuthFailed` or
    ///   `errSecInteractionNotAllowed` for what became of asking; `errSecNotAvailable` when no engine can be reached,
    ///   or the user did not answer in time.
    func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply
}

/// The answer to a device request.
package enum DeviceReply: Equatable, Sendable {
    /// To ``DeviceRequest/status``.
    case status(DeviceStatus)
    /// To ``DeviceRequest/verify``.
    case verification(VerificationPage)
    /// To ``DeviceRequest/details``.
    case details(DeviceDetails)
    /// To ``DeviceRequest/watch(epoch:milliseconds:)``.
    case news(DeviceStateChange)
    /// To ``DeviceRequest/watchGroups(_:)``: the groups that the request names, or all of the caller's.
    case groups([GroupNumber])
    /// To ``DeviceRequest/access(_:)``.
    case access(AccessReply)
    /// To ``DeviceRequest/snapshot``.
    case snapshot(path: String)
    /// To ``DeviceRequest/identity`` and ``DeviceRequest/examine``.
    case identity(CallerReport)
    /// To ``DeviceRequest/release``.
    case release(Release)
    /// To ``DeviceRequest/lastUnlock``; 0 before the first.
    case lastUnlock(UInt64)
    /// To ``DeviceRequest/backup(_:)``.
    case backup(BackupReply)
    /// To ``DeviceRequest/sync(_:)``.
    case sync(SyncReply)
    /// To all others.
    case done
}

extension KeychainConnection {
    package var timeoutOfWhole: UInt32 { WireLimits.longestDeadline }

    /// When an answer that begins now must have come as a whole; of pages, those after the first, before which a person
    /// may have been asked.
    package var deadlineOfWhole: Deadline { .after(milliseconds: Int(timeoutOfWhole)) }

    package func send(_ request: ItemRequest, by deadline: Deadline) throws(Refusal) -> ItemResponse {
        try deadline.check()
        return try send(request)
    }

    package func device(
        _ request: DeviceRequest, passcodes: [FileDescriptor], by deadline: Deadline
    ) throws(Refusal) -> DeviceReply {
        try deadline.check()
        return try device(request, passcodes: passcodes)
    }

    package func device(
        _ request: DeviceRequest, until cancellation: RequestCancellation
    ) throws(Refusal) -> DeviceReply {
        try device(request, passcodes: [])
    }

    /// Performs an item request and gives its whole answer, however many pages it has.
    ///
    /// - Returns: all items found, at most ``ItemRequest/limit`` of them, and the first page's notice; no cursor.
    /// - Throws: as ``send(_:)``. A refusal of a later page is the refusal of the whole. `errSecItemNotFound` for pages
    ///   with nothing in them, `errSecNotAvailable` for pages that do not end in time.
    package func sendAll(_ request: ItemRequest, by end: Deadline = .never) throws(Refusal) -> ItemResponse {
        var response = try send(request, by: end)
        var next = request.following(response)
        response.cursor = 0
        guard next != nil else { return response }
        let deadline = min(deadlineOfWhole, end)
        while let request = next {
            let page = try send(request, by: deadline)
            response.items += page.items
            next = request.following(page)
        }
        guard !response.items.isEmpty else { throw .emptyPages }
        return response
    }
}

extension Refusal {
    /// Pages came, and nothing in them: what was there when the first was asked for has gone.
    package static let emptyPages = Refusal(
        .itemNotFound, .notFound, "", "No item of the caller's groups matches the query.",
        do: "Check the attributes; items that are synchronised are found only with kSecAttrSynchronizable.")
}

extension ItemRequest {
    /// The request for what comes after a page of this one's answer; nil when nothing does, or no more is wanted.
    package func following(_ page: ItemResponse) -> ItemRequest? {
        guard page.cursor != 0, let rest = limit.remaining(after: page.items.count) else { return nil }
        var next = self
        next.limit = rest
        next.cursor = page.cursor
        return next
    }
}

extension ItemRequest.Limit {
    /// The limit for what is still wanted after `count` items; nil when nothing is.
    fileprivate func remaining(after count: Int) -> Self? {
        switch self {
        case .all: .all
        case .one: count == 0 ? .one : nil
        case .atMost(let limit): count < Int(limit) ? .atMost(limit - UInt32(count)) : nil
        }
    }
}
