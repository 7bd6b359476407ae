import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// Decides what becomes of a frame: a search is answered at once, everything else waits for a thread that may block.
struct RequestRouter {
    enum Outcome {
        /// The answer is in the writer.
        case answered
        /// The answer comes through the mailbox.
        case queued
        /// It is not known yet who asks; the request is to be given again when it is.
        case parked
    }

    let lane: any RequestLane
    let backend: Backend
    let registry: any CallerRegistry
    /// Told of everybody who was identified.
    let arrived: @Sendable (CallerIdentity) -> Void
    let paces: RequestPaces
    let limits: ServerLimits
    let mailbox: Mailbox

    /// Performs or queues the request in a frame.
    ///
    /// - Throws: ``BrokenFrame`` when the frame is whole but its inside is not.
    func route(
        _ frame: Frame, _ passcodes: [FileDescriptor], of session: ClientSession, into writer: ResponseWriter
    ) throws(BrokenFrame) -> Outcome {
        let request = try parse(frame, passcodes)
        do throws(Refusal) {
            guard let deadline = frame.deadline(atMost: limits.deadline) else { throw .expired }
            guard let caller = try identity(of: session) else { return .parked }
            // After the request has come: it is the process's own if that lives now.
            guard caller.process.isUnchanged else { throw .changedCaller }
            if case .introduction(let introduction) = request {
                try introduce(introduction, frame, session, writer)
                return .answered
            }
            guard !caller.identity.isAnchored || session.introduction.isDone else { throw .notIntroduced }
            return try perform(request, frame, deadline, from: caller.identity, session, writer)
        } catch {
            writer.refuse(error, id: frame.header.id)
            return .answered
        }
    }

    private enum Request {
        case item(ItemRequest)
        case device(DeviceRequest, [FileDescriptor])
        case key(KeyRequest)
        case authentication(AuthenticationRequest, password: FileDescriptor?)
        case introduction(IntroductionRequest)

        /// Whether the way of its answer through the loop would be felt. What may take as long as a person must not keep
        /// another answer from being finished.
        var isShort: Bool {
            switch self {
            case .item, .key: true
            case .device, .authentication, .introduction: false
            }
        }
    }

    private func parse(_ frame: Frame, _ passcodes: [FileDescriptor]) throws(BrokenFrame) -> Request {
        do throws(Refusal) {
            switch frame.header.kind {
            case .item where passcodes.isEmpty: return .item(try ItemRequest(decoding: frame.body))
            case .key where passcodes.isEmpty: return .key(try KeyRequest(decoding: frame.body))
            case .introduction where passcodes.isEmpty:
                return .introduction(try IntroductionRequest(decoding: frame.body))
            case .item, .key, .introduction: throw .attachments
            case .device:
                let request = try DeviceRequest(decoding: frame.body)
                guard request.descriptors.contains(passcodes.count) else { throw .attachments }
                return .device(request, passcodes)
            case .authentication:
                var request = try AuthenticationRequest(decoding: frame.body)
                let password = try request.take(passcodes)
                return .authentication(request, password: password)
            case .response: throw .malformed("the kind of frame")
            }
        } catch { throw BrokenFrame(id: frame.header.id, refusal: error) }
    }

    private func perform(
        _ request: Request, _ frame: Frame, _ deadline: Deadline, from caller: CallerIdentity, _ session: ClientSession,
        _ writer: ResponseWriter
    ) throws(Refusal) -> Outcome {
        if case .item(let request) = request, request.isSearch {
            lane.read(request, from: caller, id: frame.header.id, by: deadline, into: writer)
            return .answered
        }
        let outlet = request.isShort ? session.lend() : nil
        let reply = ReplyAddress(mailbox: mailbox, session: session.token, outlet: outlet)
        guard queue(request, frame, deadline, from: caller, session, reply) else {
            if outlet != nil { session.takeBack() }
            throw .busy
        }
        return .queued
    }

    /// Gives the connection a number, or takes it back.
    private func introduce(
        _ request: IntroductionRequest, _ frame: Frame, _ session: ClientSession, _ writer: ResponseWriter
    ) throws(Refusal) {
        switch request {
        case .begin:
            let number = session.introduction.begin()
            writer.answer(frame.header.id) { buffer in for byte in number { buffer.append(byte) } }
        case .finish(let number):
            guard session.introduction.finish(number) else { throw .wrongIntroduction }
            writer.answer(frame.header.id) { _ in }
        }
    }

    /// Gives the request to the threads that perform it; false when too many wait for them.
    private func queue(
        _ request: Request, _ frame: Frame, _ deadline: Deadline, from caller: CallerIdentity, _ session: ClientSession,
        _ reply: ReplyAddress
    ) -> Bool {
        let id = frame.header.id
        switch request {
        case .item(let request):
            return backend.writes.put(
                WriteJob(
                    request: request, caller: caller, id: id, deadline: deadline, cost: frame.body.count, reply: reply))
        case .device(.watch(let epoch, let milliseconds), _):
            let time = Deadline.after(milliseconds: Int(min(milliseconds, WireLimits.longestWatch)))
            return backend.watchers.put(
                StateWatchers.Watcher(epoch: epoch, deadline: min(time, deadline), id: id, reply: reply))
        case .device(.examine, let files):
            guard let file = files.first else { return false }
            return backend.identities.put(
                .examine(ExaminationJob(file: file, caller: caller, id: id, deadline: deadline, reply: reply)))
        case .device(let request, let passcodes):
            return backend.slow.put(
                DeviceJob(
                    request: request, passcodes: passcodes, caller: caller, id: id, deadline: deadline, reply: reply))
        case .key(let request):
            return backend.keys.put(
                KeyJob(request: request, caller: caller, id: id, deadline: deadline, reply: reply))
        case .authentication(let request, let password):
            let job = PromptJob(
                request: request, password: password, caller: caller, conversation: Conversation(), id: id,
                deadline: deadline, reply: reply)
            guard job.mayAsk else { return backend.attendance.put(.answer(job)) }
            guard backend.prompts.put(job) else { return false }
            session.conversations[id] = job.conversation
            return true
        // Answered at once.
        case .introduction: return false
        }
    }

    /// Has the prompts withdrawn that a connection left behind.
    func withdraw(_ conversations: some Collection<Conversation>) {
        for conversation in conversations {
            // Where there is no room, the prompt goes with its deadline.
            _ = backend.attendance.put(.withdraw(conversation))
        }
    }

    /// Admits who is known as soon as it has connected, while it still prepares its first request.
    func greet(_ session: ClientSession) {
        if let caller = registry.recognize(session.socket) { admit(caller, to: session) }
    }

    /// Who asks; found out once per connection. Nil when it is being found out.
    private func identity(of session: ClientSession) throws(Refusal) -> IdentifiedCaller? {
        if let caller = session.caller { return caller }
        switch try registry.identify(session.socket) {
        case .known(let caller):
            admit(caller, to: session)
            return caller
        case .slow(let identification):
            let job = IdentityJob(identification: identification, session: session.token, mailbox: mailbox)
            guard backend.identities.put(.identify(job)) else { throw .busy }
            return nil
        }
    }

    /// Notes who is at the other end of a connection.
    func admit(_ caller: IdentifiedCaller, to session: ClientSession) {
        session.caller = caller
        session.pace = paces.pace(of: caller.identity)
        arrived(caller.identity)
    }
}
