package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The keychain behind a daemon's socket. Any number of threads may use it at once; each gets a socket of its own.
package final class Connection: KeychainConnection {
    /// Connects to the daemon, which it may have to start, until a deadline.
    package typealias Opener = @Sendable (Deadline) throws(Refusal) -> UnixSocket

    private let channels: ChannelPool
    private let timeout: UInt32
    private let silent: @Sendable () -> Void

    package var timeoutOfWhole: UInt32 { DeviceRequest.timeoutOfWhole(timeout) }

    /// - Parameters:
    ///   - timeout: how long a request may take that names no deadline: milliseconds.
    ///   - connected: a socket to begin with, where there is one already.
    ///   - introduces: whether this process must show the daemon that the call is its own; true for a program that the
    ///     kernel marks.
    ///   - silent: called when the daemon has not answered in time.
    ///   - open: called for every socket that is needed.
    package init(
        timeout: UInt32 = WireLimits.defaultDeadline, connected: UnixSocket? = nil,
        introduces: Bool = CurrentProcess.isMarked, silent: @escaping @Sendable () -> Void = {}, open: @escaping Opener
    ) {
        (self.timeout, self.silent) = (timeout, silent)
        channels = ChannelPool(open, connected, introduces: introduces)
    }

    /// Performs an item request and gives one page of its answer.
    ///
    /// - Throws: the engine's refusal; `errSecNotAvailable` when the daemon cannot be reached, does not answer in time,
    ///   or went away in the middle of a change.
    package func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        try send(request, deadline: timeout)
    }

    package func send(_ request: ItemRequest, by deadline: Deadline) throws(Refusal) -> ItemResponse {
        try deadline.check()
        return try send(request, deadline: deadline.milliseconds(atMost: timeout))
    }

    /// As ``send(_:)``, with a deadline in milliseconds.
    package func send(_ request: ItemRequest, deadline: UInt32) throws(Refusal) -> ItemResponse {
        let question = Channel.Question(kind: .item, deadline: deadline)
        let answer = try self.answer(
            to: question, request, mayRepeat: request.isSearch, isWrite: !request.isSearch)
        return try ItemResponse(status: answer.status, body: answer.body)
    }

    /// Asks something of the device.
    ///
    /// - Throws: as ``send(_:)``.
    package func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        try device(request, passcodes, within: request.timeout(timeout))
    }

    /// A daemon that is late for a short deadline may be slow alone: no other is started for that.
    package func device(
        _ request: DeviceRequest, passcodes: [FileDescriptor], by deadline: Deadline
    ) throws(Refusal) -> DeviceReply {
        try deadline.check()
        return try device(
            request, passcodes, within: deadline.milliseconds(atMost: request.timeout(timeout)), isPatient: false)
    }

    package func device(
        _ request: DeviceRequest, until cancellation: RequestCancellation
    ) throws(Refusal) -> DeviceReply {
        try device(request, [], within: request.timeout(timeout), until: cancellation)
    }

    private func device(
        _ request: DeviceRequest, _ passcodes: [FileDescriptor], within milliseconds: UInt32, isPatient: Bool = true,
        until cancellation: RequestCancellation? = nil
    ) throws(Refusal) -> DeviceReply {
        guard request.descriptors.contains(passcodes.count) else { throw .malformed("the number of passcodes") }
        var question = Channel.Question(kind: .device, deadline: milliseconds, descriptors: passcodes)
        question.cancellation = cancellation
        let answer = try self.answer(
            to: question, request, mayRepeat: request.traits.isRepeatable, isPatient: isPatient)
        return try DeviceReply(to: request, status: answer.status, body: answer.body)
    }

    /// Makes or uses a key that only the enclave sees.
    ///
    /// - Throws: as ``send(_:)``; `errSecParam` for more than the enclave takes at once.
    package func key(_ request: KeyRequest) throws(Refusal) -> KeyReply {
        if case .use(_, let use) = request { try use.checkSize() }
        let question = Channel.Question(kind: .key, deadline: timeout)
        let answer = try self.answer(
            to: question, request, mayRepeat: request.isRepeatable, isWrite: !request.isRepeatable)
        return try KeyReply(to: request, status: answer.status, body: answer.body)
    }

    /// Asks what may have to ask the user.
    ///
    /// - Throws: as ``send(_:)``, and what became of asking.
    package func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply {
        try authentication(request, descriptors: descriptors, until: nil)
    }

    /// The same, until another thread ends it.
    package func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor] = [], until cancellation: RequestCancellation?
    ) throws(Refusal) -> AuthenticationReply {
        guard request.descriptors.contains(descriptors.count) else { throw .malformed("the number of passwords") }
        let request = request.withTerminal()
        let descriptors = descriptors + (request.prompt?.surroundings.opened.map { [$0.device] } ?? [])
        if case .perform(.key(.use(_, let use)), _, _) = request { try use.checkSize() }
        let deadline = max(timeout, request.patience)
        var question = Channel.Question(kind: .authentication, deadline: deadline, descriptors: descriptors)
        question.cancellation = cancellation
        // The user is not asked twice.
        let answer = try self.answer(to: question, request, mayRepeat: false, isWrite: request.isWrite)
        return try AuthenticationReply(to: request, status: answer.status, body: answer.body)
    }

    /// Asks, and asks once more over a new socket when the first one turns out to lead nowhere (the daemon was
    /// restarted).
    ///
    /// - Parameters:
    ///   - mayRepeat: whether performing the request twice does no harm. Any other is repeated only when it is known
    ///     that nobody performed it.
    ///   - isWrite: whether it changes items.
    ///   - isPatient: whether a daemon that gives no answer in time is taken for one that has stopped.
    private func answer(
        to question: Channel.Question, _ body: some FrameBody, mayRepeat: Bool, isWrite: Bool = false,
        isPatient: Bool = true
    ) throws(Refusal) -> Channel.Answer {
        do throws(Channel.Failure) { return try channels.ask(question, body) } catch {
            switch error {
            case .notPerformed: break
            case .unknown where mayRepeat: break
            default: throw refusal(error, isWrite, isPatient)
            }
        }
        do throws(Channel.Failure) { return try channels.ask(question, body) } catch {
            throw refusal(error, isWrite, isPatient)
        }
    }

    private func refusal(_ failure: Channel.Failure, _ isWrite: Bool, _ isPatient: Bool) -> Refusal {
        if case .late = failure, isPatient { silent() }
        return failure.refusal(of: isWrite)
    }
}

extension KeyRequest {
    /// A key that was made for nobody is kept nowhere. A shelf that was deleted is not there the second time.
    fileprivate var isRepeatable: Bool { if case .file(.deleteShelf) = self { false } else { true } }
}

extension AuthenticationRequest {
    /// Whether it changes items when the user has answered.
    fileprivate var isWrite: Bool {
        if case .perform(.item(let request), _, _) = self { !request.isSearch } else { false }
    }
}

extension Channel.Failure {
    /// - Parameter isWrite: whether the request changes items.
    fileprivate func refusal(of isWrite: Bool) -> Refusal {
        switch self {
        case .refused(let refusal): refusal
        case .notPerformed(let error):
            Refusal(
                .notAvailable, .unavailable, "daemon", "The keychain daemon does not take requests: \(error).",
                do: "Try again; see its log, keychaind.log in the store's folder.")
        case .unknown:
            Refusal(
                .notAvailable, isWrite ? .unknownOutcome : .unavailable, "daemon",
                "The keychain daemon went away while it had the request; whether it performed it is not known.",
                do: "Look whether the change was made before asking for it again.")
        case .late:
            Refusal(
                .notAvailable, isWrite ? .unknownOutcome : .deadline, "deadline",
                "The keychain daemon did not answer in time; whether it performs the request is not known.",
                do: "Look whether a change was made before asking for it again, or allow more time (KEYCHAIN_TIMEOUT).")
        }
    }
}

extension Deadline {
    /// The remaining milliseconds for a frame's head, at least 1, because zero stands for the daemon's own deadline.
    fileprivate func milliseconds(atMost most: UInt32) -> UInt32 {
        let left = remainingMilliseconds
        return left < 0 ? most : max(1, min(most, UInt32(left)))
    }
}
