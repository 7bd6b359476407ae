import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// Decides what becomes of a frame: the search for one item is answered at once, everything else waits for a thread
/// that may block.
struct RequestRouter {
    enum Outcome {
        /// The answer is in the writer.
        case answered
        /// The answer comes through the mailbox.
        case queued
        /// It is not known yet who asks; the request is to be given again when it is.
        case parked
    }

    let requestReader: any RequestReader
    let backend: WorkerThreads
    let registry: any CallerRegistry
    let limits: ServerLimits
    let mailbox: Mailbox
    /// Gets the owner of a connection, once it is known.
    var admit: (IdentifiedCaller, ClientSession) -> Void = { _, _ in }

    /// Performs or queues the request in a frame.
    ///
    /// - Throws: ``BrokenFrame`` when the frame is whole but its inside is not.
    func route(
        _ frame: RequestFrame, _ passcodes: [FileDescriptor], of session: ClientSession, into writer: ResponseWriter
    ) throws(BrokenFrame) -> Outcome {
        let request = try parse(frame, passcodes)
        do throws(Refusal) {
            guard let deadline = frame.deadline(atMost: limits.deadline) else { throw .expired }
            guard let caller = try identity(of: session) else { return .parked }
            if let excess = session.excess { throw excess }
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

        /// Whether the way of its answer through the loop would cost a noticeable time. A request that may take as long
        /// as a person must not delay another answer.
        var isShort: Bool {
            switch self {
            case .item, .key: true
            case .device, .authentication, .introduction: false
            }
        }
    }

    private func parse(_ frame: RequestFrame, _ passcodes: [FileDescriptor]) throws(BrokenFrame) -> Request {
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
        _ request: Request, _ frame: RequestFrame, _ deadline: Deadline, from caller: CallerIdentity,
        _ session: ClientSession,
        _ writer: ResponseWriter
    ) throws(Refusal) -> Outcome {
        if case .item(let search) = request, search.isSearch {
            if lookUp(search, frame, deadline, from: caller, session, writer) { return .answered }
            session.search = frame.header.id
        }
        let outlet = request.isShort ? session.lend() : nil
        let reply = ReplyAddress(mailbox: mailbox, session: session.token, outlet: outlet)
        do throws(Refusal) { try queue(request, frame, deadline, from: caller, session, reply) } catch {
            if outlet != nil { session.takeBack() }
            session.search = nil
            throw error
        }
        return .queued
    }

    /// Answers the search for one item, if that takes no time to speak of.
    private func lookUp(
        _ request: ItemRequest, _ frame: RequestFrame, _ deadline: Deadline, from caller: CallerIdentity,
        _ session: ClientSession,
        _ writer: ResponseWriter
    ) -> Bool {
        guard request.isForOneItem, !session.claimant.isSlow else { return false }
        // A search that took too long once may have been preempted, or have waited for the disk. Now its thread has a
        // new slice of the processor, and the pages are in memory. A search that takes too long again is slow itself. A
        // thread's own clock would tell the two apart as well. But it costs another system call for each lookup, and
        // does not see a disk that holds the loop up.
        for _ in 0..<2 {
            if requestReader.lookUp(
                request, from: caller, id: frame.header.id, by: deadline, within: limits.lookupMicroseconds,
                into: writer)
            {
                return true
            }
        }
        session.claimant.noteSlow()
        return false
    }

    /// Gives the connection a number, or takes it back.
    private func introduce(
        _ request: IntroductionRequest, _ frame: RequestFrame, _ session: ClientSession, _ writer: ResponseWriter
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

    /// Gives the request to the threads that perform it.
    ///
    /// - Throws: `errSecNotAvailable` when too many wait for them.
    private func queue(
        _ request: Request, _ frame: RequestFrame, _ deadline: Deadline, from caller: CallerIdentity,
        _ session: ClientSession,
        _ reply: ReplyAddress
    ) throws(Refusal) {
        let (id, standing) = (frame.header.id, session.claimant.standing)
        switch request {
        case .item(let request) where request.isSearch:
            try backend.searches.put(
                SearchJob(
                    request: request, caller: caller, id: id, deadline: deadline,
                    cost: 1 + frame.body.count / SearchJob.unit, standing: standing, reply: reply,
                    isWanted: session.wants))
        case .item(let request):
            try backend.writes.put(
                WriteJob(
                    request: request, caller: caller, id: id, deadline: deadline, cost: frame.body.count,
                    standing: standing, reply: reply, isWanted: session.wants))
        case .device(let request, let files):
            try queue(request, files, id, deadline, from: caller, session, reply)
        case .key(let request):
            try backend.keys.put(
                KeyJob(request: request, caller: caller, id: id, deadline: deadline, standing: standing, reply: reply))
        case .authentication(let request, let password):
            if let password, !password.holdsPasscode { throw .noPasscodeFile }
            if let terminal = request.prompt?.surroundings.opened?.device, !terminal.isDevice { throw .noTerminal }
            let job = PromptJob(
                request: request, password: password, caller: caller, conversation: PromptCancellation(), id: id,
                deadline: deadline, standing: standing, reply: reply, pipe: limits.pipe)
            guard job.request.mayAsk else { return try backend.attendance.put(.answer(job)) }
            try backend.prompts.put(job)
            session.conversations[id] = job.conversation
        // Answered at once.
        case .introduction: throw .busy
        }
    }

    private func queue(
        _ request: DeviceRequest, _ files: [FileDescriptor], _ id: UInt32, _ deadline: Deadline,
        from caller: CallerIdentity, _ session: ClientSession, _ reply: ReplyAddress
    ) throws(Refusal) {
        let standing = session.claimant.standing
        if request.isWatch { session.watches = true }
        switch request {
        case .watch(let epoch, let milliseconds):
            try backend.watchers.put(
                StateWatchers.Watcher(
                    epoch: epoch, deadline: min(Self.end(of: milliseconds), deadline), id: id, standing: standing,
                    reply: reply, wanted: session.wants))
        case .watchGroups(let watch):
            // Nobody has names kept that are not its own. Each look asks again.
            _ = try AccessPolicy.groupsToWatch(watch.seen.map(\.group), for: caller)
            try backend.groupWatchers.put(
                StateWatchers.Watcher(
                    epoch: nil, deadline: min(Self.end(of: watch.milliseconds), deadline), id: id,
                    standing: standing, reply: reply, wanted: session.wants,
                    groups: StateWatchers.WatchedGroups(watch: watch, caller: caller)))
        case .sync(.wait(let number, let milliseconds)):
            try AccessPolicy.requireCircle(caller, changes: false, daemonUser: CurrentProcess.user)
            try backend.carriers.put(
                StateWatchers.Watcher(
                    epoch: UInt32(truncatingIfNeeded: number), deadline: min(Self.end(of: milliseconds), deadline),
                    id: id, standing: standing, reply: reply, wanted: session.wants))
        case .examine:
            guard let file = files.first else { throw .attachments }
            try backend.identities.put(
                .examine(
                    ExaminationJob(
                        file: file, caller: caller, id: id, deadline: deadline, standing: standing, reply: reply)))
        default:
            guard files.allSatisfy(\.holdsPasscode) else { throw .noPasscodeFile }
            let job = DeviceJob(
                request: request, passcodes: files, caller: caller, id: id, deadline: deadline, standing: standing,
                reply: reply, pipe: limits.pipe, isWanted: session.wants)
            try job.request.traits.isBrief ? backend.brief.put(job) : backend.slow.put(job)
        }
    }

    /// When a watch of so many milliseconds is over.
    private static func end(of milliseconds: UInt32) -> Deadline {
        .after(milliseconds: Int(min(milliseconds, WireLimits.longestWatch)))
    }

    /// Forgets what a connection has watched that was closed. A server that ends answers those who are still there.
    func forgetWatches(of session: ClientSession) {
        if session.watches { backend.forgetWatches(of: session.wants) }
    }

    /// Has the prompts withdrawn that a connection left behind.
    func withdraw(_ session: ClientSession) {
        for conversation in session.conversations.values {
            // There is room for it but in a server that ends.
            try? backend.attendance.put(.withdraw(conversation, of: session.claimant.standing))
        }
    }

    /// Has memory given back to the system that a program has used and left.
    func tidy(after claimant: Claimant) { try? backend.attendance.put(.tidy(of: claimant.standing)) }

    /// The caller that has connected, if it is known at once: while it still prepares its first request.
    func greet(_ socket: UnixSocket) -> IdentifiedCaller? { registry.recognize(socket) }

    /// The caller; found out once per connection. Nil while it is being found out.
    private func identity(of session: ClientSession) throws(Refusal) -> IdentifiedCaller? {
        if let caller = session.caller { return caller }
        switch try registry.identify(session.socket) {
        case .known(let caller):
            admit(caller, session)
            return caller
        case .slow(let identification):
            let job = IdentityJob(
                identification: identification, session: session.token, standing: session.claimant.standing,
                mailbox: mailbox)
            try job.put(in: backend.identities)
            return nil
        }
    }
}

extension ItemRequest {
    /// Whether it is a search that an index answers, as a rule, with one row.
    fileprivate var isForOneItem: Bool {
        operation == .copyMatching && limit == .one && !inspectsAllGroups && effectiveClass != .identity
    }
}

extension DeviceRequest {
    /// Whether its answer waits for something to happen.
    fileprivate var isWatch: Bool {
        switch self {
        case .watch, .watchGroups, .sync(.wait): true
        default: false
        }
    }
}
