import Glibc
import KeychainModel
import KeychainPolicy
import KeychainWire
package import LinuxSystem

/// The identifier's end of a daemon's channel: answers one question after the other.
package struct IdentifierSession: Sendable {
    private let channel: UnixSocket
    private let identifier: CallerIdentifier
    /// How long it has been at a question.
    package let clock = QuestionClock()

    /// How long a daemon may take to read an answer: milliseconds.
    private static let patience = 5000

    package init(_ channel: UnixSocket, _ identifier: CallerIdentifier) {
        (self.channel, self.identifier) = (channel, identifier)
    }

    /// Answers until the daemon has gone, or says what is no question.
    package func serve() {
        defer { clock.end() }
        do {
            while let (body, descriptors) = try receive() {
                let answer = SecretBuffer(capacity: 1024)
                let question = try IdentifierQuestion(body, descriptors)
                let attached = clock.during { self.answer(question, into: answer) }
                try answer.withSpan { (bytes) throws(SystemError) in
                    try channel.sendFully(
                        bytes, attaching: attached, deadline: .after(milliseconds: Self.patience))
                }
            }
        } catch {}
    }

    private func receive() throws(SystemError) -> (SecretBytes, [FileDescriptor])? {
        var room = [UInt8](repeating: 0, count: IdentifierFormat.questionRoom)
        var span = room.mutableSpan
        try channel.descriptor.wait(for: .readable, deadline: .never)
        guard let arrival = try channel.receiveAttached(into: &span), arrival.count > 0 else { return nil }
        return (SecretBytes(copying: room.span.extracting(..<arrival.count)), arrival.descriptors)
    }

    private func answer(_ question: IdentifierQuestion, into buffer: SecretBuffer) -> [FileDescriptor] {
        do throws(Refusal) {
            let (caller, holding) = try find(question)
            buffer.append(littleEndian: Int32(0))
            CallerReport(caller).append(to: buffer)
            buffer.append(holding == nil ? 0 : 1)
            holding?.append(to: buffer)
            if buffer.count <= IdentifierFormat.answerRoom { return holding.map { [$0.maps, $0.file] } ?? [] }
            throw .overlongIdentity
        } catch {
            buffer.removeAll()
            buffer.append(littleEndian: error.status.rawValue)
            error.append(to: buffer)
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

extension CallerIdentifier {
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
