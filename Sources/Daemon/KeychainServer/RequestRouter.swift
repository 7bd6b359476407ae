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
    }

    let lane: any RequestLane
    let backend: Backend
    let identify: Identify
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
            return try perform(request, frame, deadline, from: try identity(of: session), session, writer)
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
    }

    private func parse(_ frame: Frame, _ passcodes: [FileDescriptor]) throws(BrokenFrame) -> Request {
        do throws(Refusal) {
            switch frame.header.kind {
            case .item where passcodes.isEmpty: return .item(try ItemRequest(decoding: frame.body))
            case .key where passcodes.isEmpty: return .key(try KeyRequest(decoding: frame.body))
            case .item, .key: throw .attachments
            case .device:
                let request = try DeviceRequest(decoding: frame.body)
                guard request.descriptors.contains(passcodes.count) else { throw .attachments }
                return .device(request, passcodes)
            case .authentication:
                let request = try AuthenticationRequest(decoding: frame.body)
                guard request.descriptors.contains(passcodes.count) else { throw .attachments }
                return .authentication(request, password: passcodes.first)
            case .response: throw .malformed("the kind of frame")
            }
        } catch { throw BrokenFrame(id: frame.header.id, refusal: error) }
    }

    private func perform(
        _ request: Request, _ frame: Frame, _ deadline: Deadline, from caller: CallerIdentity, _ session: ClientSession,
        _ writer: ResponseWriter
    ) throws(Refusal) -> Outcome {
        let id = frame.header.id
        let reply = ReplyAddress(mailbox: mailbox, session: session.token)
        switch request {
        case .item(let request) where request.operation == .copyMatching:
            lane.read(request, from: caller, id: id, by: deadline, into: writer)
            return .answered
        case .item(let request):
            let job = WriteJob(
                request: request, caller: caller, id: id, deadline: deadline, cost: frame.body.count, reply: reply)
            guard backend.writes.put(job) else { throw .busy }
        case .device(.watch(let epoch, let milliseconds), _):
            let time = Deadline.after(milliseconds: Int(min(milliseconds, WireLimits.longestWatch)))
            let watcher = StateWatchers.Watcher(epoch: epoch, deadline: min(time, deadline), id: id, reply: reply)
            guard backend.watchers.put(watcher) else { throw .busy }
        case .device(let request, let passcodes):
            let job = DeviceJob(request: request, passcodes: passcodes, id: id, deadline: deadline, reply: reply)
            guard backend.slow.put(job) else { throw .busy }
        case .key(let request):
            let job = KeyJob(request: request, caller: caller, id: id, deadline: deadline, reply: reply)
            guard backend.keys.put(job) else { throw .busy }
        case .authentication(let request, let password):
            let job = PromptJob(
                request: request, password: password, caller: caller, conversation: Conversation(), id: id,
                deadline: deadline, reply: reply)
            guard job.mayAsk else {
                guard backend.attendance.put(.answer(job)) else { throw .busy }
                return .queued
            }
            guard backend.prompts.put(job) else { throw .busy }
            session.conversations[id] = job.conversation
        }
        return .queued
    }

    /// Has the prompts withdrawn that a connection left behind.
    func withdraw(_ conversations: some Collection<Conversation>) {
        for conversation in conversations {
            // Where there is no room, the prompt goes with its deadline.
            _ = backend.attendance.put(.withdraw(conversation))
        }
    }

    /// Who asks; found out once per connection, because that costs more than a search.
    private func identity(of session: ClientSession) throws(Refusal) -> CallerIdentity {
        if let caller = session.caller { return caller }
        let caller = try identify(session.socket)
        session.caller = caller
        return caller
    }
}
