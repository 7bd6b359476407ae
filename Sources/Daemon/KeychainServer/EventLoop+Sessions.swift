import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

extension EventLoop {
    /// Does what a connection is ready for.
    func handle(_ session: ClientSession, _ readiness: Readiness) {
        if session.awaitsReader, readiness.contains(.writable) {
            transmit(to: session) { session throws(SystemError) in try session.flush() }
            settle(session)
        } else if session.interest.contains(.readable), readiness.contains(.readable) {
            // Its turn comes without this event, and once per turn is enough.
            if session.isQueued { return }
            guard session.claimant.turn.spend(of: turns, atMost: limits.turn) else { return putOff(session) }
            serve(session) { session throws(BrokenFrame) in try session.receive(through: room) }
        } else if !readiness.isDisjoint(with: [.hangUp, .failure]) {
            close(session)
        }
    }

    /// Serves the connection whose turn it is.
    func serveNext() {
        guard let session = queued.take() else { return }
        queued.finished(of: session.queuedFor)
        queuedCount -= 1
        session.isQueued = false
        guard sessions[session.token] != nil else { return }
        serve(session) { session throws(BrokenFrame) in
            if session.input.mayHaveFrame { return try session.input.next() }
            return session.isEnding ? nil : try session.receive(through: room)
        }
    }

    /// Takes a frame from a connection, if there is one, and answers it or has it answered.
    func serve(_ session: ClientSession, _ take: (ClientSession) throws(BrokenFrame) -> RequestFrame?) {
        if let rateLimit = session.rateLimit, rateLimit.isExhausted { return pause(session, until: rateLimit.nextFill) }
        session.lastServed = now
        do throws(BrokenFrame) {
            if let frame = try take(session) {
                session.rateLimit?.spend()
                let passcodes = try session.claim(for: frame)
                try perform(frame, passcodes, of: session)
            }
        } catch { refuse(error, of: session) }
        settle(session)
    }

    /// Goes on with the request that waited until it was known who asks.
    func introduce(_ outcome: Result<IdentifiedCaller, Refusal>, to session: ClientSession) {
        guard let request = session.parked else { return }
        session.parked = nil
        do throws(BrokenFrame) {
            switch outcome {
            case .success(let caller):
                router.admit(caller, session)
                try perform(request.frame, request.passcodes, of: session)
            case .failure(let refusal):
                writer.refuse(refusal, id: request.frame.header.id)
                sendWritten(to: session)
            }
        } catch { refuse(error, of: session) }
        settle(session)
    }

    private func perform(
        _ frame: RequestFrame, _ passcodes: [FileDescriptor], of session: ClientSession
    ) throws(BrokenFrame) {
        switch try router.route(frame, passcodes, of: session, into: writer) {
        case .answered:
            sendWritten(to: session)
            if session.isExcess { session.dropInput() }
        case .queued: session.inFlight += 1
        case .parked: session.parked = ParkedRequest(frame, passcodes)
        }
    }

    /// Sends an answer that another thread made.
    func deliver(_ answer: Mailbox.Answer, to session: ClientSession) {
        session.inFlight -= 1
        if session.search == answer.frame.responseID { session.search = nil }
        if !session.conversations.isEmpty { session.conversations[answer.frame.responseID] = nil }
        transmit(to: session) { session throws(SystemError) in
            try answer.frame.withSpan { span throws(SystemError) in
                if let sent = answer.sent { try session.takeBack(span, sent: sent) } else { try session.send(span) }
            }
        }
        settle(session)
    }

    /// Works out from a connection's state what happens to it next.
    func settle(_ session: ClientSession) {
        guard sessions[session.token] != nil, isWithinBounds(session) else { return }
        let mayServe =
            session.inFlight < limits.pipelined && !session.hasOutput && session.pause == nil && session.parked == nil
            && session.search == nil
        if session.input.mayHaveFrame {
            if mayServe { enqueue(session) }
        } else if session.isEnding, session.inFlight == 0, !session.hasOutput, session.parked == nil {
            return close(session)
        }
        watch(session, isReading: mayServe && !session.isEnding)
        noteStall(of: session)
    }

    /// Leaves a connection alone whose program was too fast.
    private func pause(_ session: ClientSession, until deadline: Deadline) {
        session.pause = deadline
        paused.insert(session.token)
        nextResumption = min(nextResumption, deadline)
        settle(session)
    }

    /// Goes on with the connections whose time has come.
    func resume() {
        nextResumption = .never
        for session in paused.compactMap({ sessions[$0] }) {
            guard let pause = session.pause, !pause.hasPassed else {
                session.pause = nil
                paused.remove(session.token)
                settle(session)
                continue
            }
            nextResumption = min(nextResumption, pause)
        }
    }

    /// Lets a connection that is ready wait its turn. Of a crowd each is looked at no more until then.
    private func putOff(_ session: ClientSession) {
        enqueue(session)
        if queuedCount > Self.crowd { watch(session, isReading: false) }
    }

    private static let crowd = 64

    private func enqueue(_ session: ClientSession) {
        guard !session.isQueued else { return }
        session.isQueued = true
        session.queuedFor = session.claimant.standing
        queued.put(session, of: session.queuedFor)
        queuedCount += 1
    }

    /// A broken frame is answered if its sender is known, and closes its connection.
    private func refuse(_ broken: BrokenFrame, of session: ClientSession) {
        note("closed a connection: \(broken.refusal.rule.rawValue): \(broken.refusal.problem)", of: session)
        session.dropInput()
        guard let id = broken.id else { return }
        writer.refuse(broken.refusal, id: id)
        sendWritten(to: session)
    }

    private func sendWritten(to session: ClientSession) {
        let frame = writer.buffer
        transmit(to: session) { session throws(SystemError) in
            try frame.withSpan { span throws(SystemError) in try session.send(span) }
        }
        // One large answer is no reason to keep its room for ever.
        if frame.count > room.count { writer = ResponseWriter() } else { frame.removeAll() }
    }

    private func transmit(to session: ClientSession, _ send: (ClientSession) throws(SystemError) -> Void) {
        do throws(SystemError) { try send(session) } catch { close(session) }
    }

    private func watch(_ session: ClientSession, isReading: Bool) {
        var interest: Readiness = isReading ? .readable : []
        if session.awaitsReader { interest.insert(.writable) }
        guard interest != session.interest else { return }
        session.interest = interest
        do throws(SystemError) {
            try epoll.modify(session.socket.descriptor, for: interest, token: session.token)
        } catch { close(session) }
    }

    /// Counts what the connection holds, and makes room where all hold too much; whether this one is still there.
    private func isWithinBounds(_ session: ClientSession) -> Bool {
        let added = session.held - session.counted
        guard added != 0 else { return true }
        session.counted = session.held
        held += added
        session.claimant.held += added
        if session.claimant.held > limits.heldOfProgram { makeRoom(of: session.claimant) }
        if held > limits.held { makeRoom() }
        return sessions[session.token] != nil
    }

    /// Closes connections of a program until it holds less than its share: those that hold most.
    private func makeRoom(of claimant: Claimant) {
        let enough = limits.heldOfProgram - limits.heldOfProgram / 8
        let holding = sessions.values.filter { $0.claimant === claimant && $0.counted > 0 }
        for session in holding.sorted(by: { $0.counted > $1.counted }) where claimant.held > enough { drop(session) }
    }

    /// Closes connections until there is some room: those of the program that holds most, if it holds much. Otherwise
    /// it closes those that have owed the rest of a frame, or left an answer unread, for longest. The latest connection
    /// is not to blame.
    private func makeRoom() {
        let enough = limits.held - limits.held / 8
        for session in candidates() where held > enough { drop(session) }
        if held > enough { makeRoom() }
    }

    private func candidates() -> [ClientSession] {
        let holding = sessions.values.filter { $0.counted > 0 }
        if let most = claimants.mostHolding, most.held > limits.held / 16 {
            return holding.filter { $0.claimant === most }.sorted { $0.counted > $1.counted }
        }
        return holding.sorted { $0.stall ?? .never < $1.stall ?? .never }
    }

    /// Closes a connection that holds too much; where it owes the rest of a request, that is refused.
    private func drop(_ session: ClientSession) {
        note("closed a connection: \(Refusal.overfull.problem)", of: session)
        if !session.hasOutput, let id = session.parked?.frame.header.id ?? session.input.pendingID {
            Refusal.overfull.frame(id: id).withSpan { frame in try? session.send(frame) }
        }
        close(session)
    }

    /// Writes a line that a connection has caused, unless its user has caused too many.
    func note(_ line: String, of session: ClientSession) {
        let user = (try? PeerNumbers(of: session.socket).user) ?? .max
        if let line = rateLimits.admit(line, of: user) { log(line) }
    }

    private func noteStall(of session: ClientSession) {
        guard !session.isExcess else { return }
        guard session.isStalling != (session.stall != nil) else { return }
        session.stall = session.isStalling ? .after(milliseconds: limits.stall) : nil
        if session.isStalling {
            stalling.insert(session.token)
            scheduleSweep()
        } else {
            stalling.remove(session.token)
        }
    }
}

extension SecretBytes {
    /// Which request a complete response answers.
    fileprivate var responseID: UInt32 { withSpan { $0.littleEndian(UInt32.self, at: FrameHeader.idOffset) } }
}
