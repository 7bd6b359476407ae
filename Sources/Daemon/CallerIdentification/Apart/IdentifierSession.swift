import Glibc
import KeychainModel
import KeychainPolicy
import KeychainWire
package import LinuxSystem
import Synchronization

/// The identifier's end of a daemon's channel: reads its questions, and has them answered as soon as each can be.
package final class IdentifierSession: Sendable {
    private let channel: UnixSocket
    private let identifier: CallerIdentifier
    private let inspections: ProgramInspections
    private let files = ForeignFiles()
    private let isOver = Atomic(false)

    /// How long a daemon may take to read an answer: milliseconds.
    private static let timeout = 5000

    /// - Parameter inspections: where programs are looked at, for all daemons.
    package init(_ channel: UnixSocket, _ identifier: CallerIdentifier, _ inspections: ProgramInspections) {
        (self.channel, self.identifier, self.inspections) = (channel, identifier, inspections)
    }

    /// Answers until the daemon has gone, or says what is no question. This thread looks at nothing that can hold it
    /// up.
    package func serve() {
        defer { end() }
        do {
            while let (body, descriptors, files) = try receive() {
                let (number, question) = try IdentifierQuestion.read(body, descriptors)
                if case .examine(_, let user, _) = question { files.belong(to: user) }
                let place = AnswerPlace(number: number, files: files)
                do throws(Refusal) {
                    try begin(question, place)
                } catch { refuse(place, error) }
            }
        } catch {}
    }

    /// A known program is identified here, for the threads of its user may all be held up.
    private func begin(_ question: IdentifierQuestion, _ place: AnswerPlace) throws(Refusal) {
        let asker = try identifier.asker(of: question)
        let found = try question.connection.flatMap { peer throws(Refusal) in try identifier.findAtOnce(peer) }
        if found != nil || question.isForKnown { return answer(place, .success(found)) }
        try inspections.enqueue(for: asker, of: self) { [self] in inspect(question, place) }
    }

    /// The daemon sees it, and its questions wait for the next channel.
    private func end() {
        isOver.store(true, ordering: .relaxed)
        shutdown(channel.descriptor.number, CInt(SHUT_RDWR))
    }

    private func inspect(_ question: IdentifierQuestion, _ place: AnswerPlace) {
        guard !isOver.load(ordering: .relaxed) else { return }
        answer(place, Result { () throws(Refusal) in try identifier.answer(to: question) })
    }

    private func answer(_ place: AnswerPlace, _ outcome: Result<Finding?, Refusal>) {
        place.files.whenClosed { [self] in
            let answer = Self.begin(place.number)
            send(answer, Self.write(outcome, into: answer))
        }
    }

    private func refuse(_ place: AnswerPlace, _ refusal: Refusal) {
        place.files.whenClosed { [self] in
            let answer = Self.begin(place.number)
            answer.append(refusal)
            send(answer, [])
        }
    }

    private static func begin(_ number: UInt32) -> SecretBuffer {
        let answer = SecretBuffer(capacity: 1024)
        answer.append(littleEndian: number)
        return answer
    }

    private func send(_ answer: SecretBuffer, _ attached: [FileDescriptor]) {
        do throws(SystemError) {
            try answer.withSpan { (bytes) throws(SystemError) in
                try channel.sendFully(bytes, attaching: attached, deadline: .after(milliseconds: Self.timeout))
            }
        } catch { end() }
    }

    private func receive() throws(SystemError) -> (SecretBytes, [FileDescriptor], AttachedFiles)? {
        var room = [UInt8](repeating: 0, count: IdentifierFormat.questionRoom)
        var span = room.mutableSpan
        while true {
            try channel.descriptor.wait(for: .readable, deadline: .never)
            let attached = AttachedFiles(closedBy: files)
            let arrival = try channel.receiveAttached(into: &span, adopting: attached.adopt)
            guard let arrival else { continue }
            if arrival.count == 0 { return nil }
            return (SecretBytes(copying: room.span.extracting(..<arrival.count)), arrival.descriptors, attached)
        }
    }

    /// - Returns: what goes with it.
    private static func write(_ outcome: Result<Finding?, Refusal>, into buffer: SecretBuffer) -> [FileDescriptor] {
        let start = buffer.count
        do throws(Refusal) {
            let found = try outcome.get()
            buffer.append(littleEndian: Int32(0))
            guard let found else { return [] }
            CallerReport(found.caller).append(to: buffer)
            buffer.append(found.holding == nil ? 0 : 1)
            found.holding?.append(to: buffer)
            if buffer.count <= IdentifierFormat.answerRoom { return found.holding.map { [$0.maps, $0.file] } ?? [] }
            throw .overlongIdentity
        } catch {
            buffer.truncate(to: start)
            buffer.append(error)
            return []
        }
    }
}

/// The number that an answer is known by, and the files that have to be closed before it leaves.
private struct AnswerPlace: Sendable {
    let number: UInt32
    let files: AttachedFiles
}

/// The caller, and what it takes to see there that it is unchanged.
private struct Finding: Sendable {
    let caller: CallerIdentity
    let holding: Holding?
}

extension SecretBuffer {
    fileprivate func append(_ refusal: Refusal) {
        append(littleEndian: refusal.status.rawValue)
        refusal.append(to: self)
    }
}

extension CallerIdentifier {
    /// The user that an inspection is for: the one that made the connection by the kernel's word, and in a user's
    /// keychain always that user.
    ///
    /// - Throws: `errSecMissingEntitlement` for a user who is not served; `errSecNotAvailable` for what is no
    ///   connection.
    fileprivate func asker(of question: IdentifierQuestion) throws(Refusal) -> ProgramInspections.Asker {
        switch question {
        case .identify(let peer), .recognize(let peer):
            let numbers: PeerNumbers
            do throws(SystemError) { numbers = try PeerNumbers(of: peer) } catch { throw .unidentified(error) }
            try check(user: numbers.user)
            return .user(numbers.user)
        case .examine(_, let user, _):
            if case .user(let owner) = servedCallers { return .user(owner) }
            return .said(user)
        }
    }

    /// The maker of a connection, if that is known without looking at anything that may not answer: also while other
    /// files of the user hold up all threads there are for them.
    ///
    /// - Throws: as ``identify(_:)``.
    fileprivate func findAtOnce(_ peer: UnixSocket) throws(Refusal) -> Finding? {
        readEntitlements()
        guard case .known(let caller) = try identify(peer) else { return nil }
        return try finding(caller)
    }

    /// The answer to a question, for a thread that may wait.
    ///
    /// - Throws: as ``identify(_:)`` and ``examine(_:for:)``.
    fileprivate func answer(to question: IdentifierQuestion) throws(Refusal) -> Finding {
        switch question {
        case .identify(let peer), .recognize(let peer):
            switch try identify(peer) {
            case .known(let caller): return try finding(caller)
            case .slow(let work): return try finding(try work.finish())
            }
        case .examine(let file, let user, let process):
            let caller = CallerIdentity(user: user, process: process, program: "", groups: [])
            return Finding(caller: try examine(file, for: caller), holding: nil)
        }
    }

    /// Adds what it takes to see in another process that the caller has executed nothing since: of an anchored program,
    /// and of one that connects again and again.
    private func finding(_ caller: IdentifiedCaller) throws(Refusal) -> Finding {
        guard let process = caller.process as? IdentifiedProcess, process.isKnown || caller.identity.isAnchored else {
            return Finding(caller: caller.identity, holding: nil)
        }
        let number = caller.identity.process
        do throws(SystemError) {
            return Finding(caller: caller.identity, holding: try hold(number, process))
        } catch { throw .unidentified(error, process: number) }
    }

    private func hold(_ number: Int32, _ process: IdentifiedProcess) throws(SystemError) -> Holding {
        let image = try ProcessImage(of: number)
        let file = try ProcessView(number).holdExecutable()
        // In this order: what is held is what it was identified by, for that is what it still executes.
        guard try process.version.isVersion(of: file), process.isUnchanged, image.isExecuted else {
            throw SystemError(code: ESRCH, call: "open", advice: "it has executed another program")
        }
        return Holding(maps: image.maps, file: file, version: process.version)
    }
}

extension Refusal {
    fileprivate static let overlongIdentity = Refusal(
        .missingEntitlement, .unidentifiedCaller, "program", "The program's entitlements are too long.",
        do: "Give it fewer access groups.")
}
