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
    private let looks: Looks
    private let isOver = Atomic(false)

    /// How long a daemon may take to read an answer: milliseconds.
    private static let patience = 5000

    /// - Parameter looks: where programs are looked at, for all daemons.
    package init(_ channel: UnixSocket, _ identifier: CallerIdentifier, _ looks: Looks) {
        (self.channel, self.identifier, self.looks) = (channel, identifier, looks)
    }

    /// Answers until the daemon has gone, or says what is no question. This thread looks at nothing that can hold it up.
    package func serve() {
        defer { end() }
        do {
            while let (body, descriptors) = try receive() {
                let (number, question) = try IdentifierQuestion.read(body, descriptors)
                do throws(Refusal) {
                    let asker = try identifier.asker(of: question)
                    try looks.put(for: asker, of: self) { [self] in answer(question, number) }
                } catch { refuse(number, error) }
            }
        } catch {}
    }

    /// The daemon sees it, and its questions wait for the next channel.
    private func end() {
        isOver.store(true, ordering: .relaxed)
        shutdown(channel.descriptor.number, CInt(SHUT_RDWR))
    }

    private func answer(_ question: IdentifierQuestion, _ number: UInt32) {
        guard !isOver.load(ordering: .relaxed) else { return }
        let answer = Self.begin(number)
        let attached = self.answer(question, into: answer)
        send(answer, attached)
    }

    private func refuse(_ number: UInt32, _ refusal: Refusal) {
        let answer = Self.begin(number)
        answer.append(refusal)
        send(answer, [])
    }

    private static func begin(_ number: UInt32) -> SecretBuffer {
        let answer = SecretBuffer(capacity: 1024)
        answer.append(littleEndian: number)
        return answer
    }

    private func send(_ answer: SecretBuffer, _ attached: [FileDescriptor]) {
        do throws(SystemError) {
            try answer.withSpan { (bytes) throws(SystemError) in
                try channel.sendFully(bytes, attaching: attached, deadline: .after(milliseconds: Self.patience))
            }
        } catch { end() }
    }

    private func receive() throws(SystemError) -> (SecretBytes, [FileDescriptor])? {
        var room = [UInt8](repeating: 0, count: IdentifierFormat.questionRoom)
        var span = room.mutableSpan
        while true {
            try channel.descriptor.wait(for: .readable, deadline: .never)
            guard let arrival = try channel.receiveAttached(into: &span) else { continue }
            if arrival.count == 0 { return nil }
            return (SecretBytes(copying: room.span.extracting(..<arrival.count)), arrival.descriptors)
        }
    }

    private func answer(_ question: IdentifierQuestion, into buffer: SecretBuffer) -> [FileDescriptor] {
        let start = buffer.count
        do throws(Refusal) {
            let (caller, holding) = try find(question)
            buffer.append(littleEndian: Int32(0))
            CallerReport(caller).append(to: buffer)
            buffer.append(holding == nil ? 0 : 1)
            holding?.append(to: buffer)
            if buffer.count <= IdentifierFormat.answerRoom { return holding.map { [$0.maps, $0.file] } ?? [] }
            throw .overlongIdentity
        } catch {
            buffer.truncate(to: start)
            buffer.append(error)
            return []
        }
    }

    private func find(_ question: IdentifierQuestion) throws(Refusal) -> (CallerIdentity, Holding?) {
        switch question {
        case .identify(let peer): return try identifier.identifyToHold(peer)
        case .examine(let file, let user, let process):
            let caller = CallerIdentity(user: user, process: process, program: "", groups: [])
            return (try identifier.examine(file, for: caller), nil)
        }
    }
}

extension SecretBuffer {
    fileprivate func append(_ refusal: Refusal) {
        append(littleEndian: refusal.status.rawValue)
        refusal.append(to: self)
    }
}

extension CallerIdentifier {
    /// Whose look at a program it is: of who has made a connection by the kernel's word, and in a user's keychain always that user's.
    ///
    /// - Throws: `errSecMissingEntitlement` for a user who is not served; `errSecNotAvailable` for what is no connection.
    fileprivate func asker(of question: IdentifierQuestion) throws(Refusal) -> Looks.Asker {
        switch question {
        case .identify(let peer):
            let numbers: PeerNumbers
            do throws(SystemError) { numbers = try PeerNumbers(of: peer) } catch { throw .unidentified(error) }
            try check(user: numbers.user)
            return .user(numbers.user)
        case .examine(_, let user, _):
            if case .user(let owner) = clientele { return .user(owner) }
            return .said(user)
        }
    }

    /// Identifies a peer for another process, with what it takes to see there that it has executed nothing since: of an anchored
    /// program, and of one that connects again and again.
    ///
    /// - Throws: as ``identify(_:)``.
    func identifyToHold(_ peer: UnixSocket) throws(Refusal) -> (CallerIdentity, Holding?) {
        let caller =
            switch try identify(peer) {
            case .known(let caller): caller
            case .slow(let work): try work.finish()
            }
        guard let process = caller.process as? IdentifiedProcess, process.isKnown || caller.identity.isAnchored else {
            return (caller.identity, nil)
        }
        let number = caller.identity.process
        do throws(SystemError) {
            return (caller.identity, try hold(number, process))
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
