import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import Synchronization

/// A write that waits for the next commit.
struct WriteJob: QueuedJob {
    let request: ItemRequest
    let caller: CallerIdentity
    let id: UInt32
    let deadline: Deadline
    let cost: Int
    let standing: Standing
    let reply: ReplyAddress
    /// Whether its connection is still there. An add is performed nevertheless.
    let isWanted: Wanted
}

/// A search that may take longer than a loop waits.
struct SearchJob: QueuedJob {
    let request: ItemRequest
    let caller: CallerIdentity
    let id: UInt32
    let deadline: Deadline
    let cost: Int
    let standing: Standing
    let reply: ReplyAddress
    /// Whether its connection is still there.
    let isWanted: Wanted
    /// Where its next turn goes on; nil for the first.
    var place: SearchPlace?

    /// One of more bytes counts as several.
    static let unit = 4096
}

/// Whether a caller still waits for an answer: nobody searches for a caller that has gone.
final class Wanted: Sendable {
    private let value = Atomic(true)

    var isSo: Bool { value.load(ordering: .relaxed) }

    func end() { value.store(false, ordering: .relaxed) }
}

/// A request that waits for a worker.
protocol WorkerJob: QueuedJob {
    var id: UInt32 { get }
    var deadline: Deadline { get }
    var reply: ReplyAddress { get }
    /// Whether it is to be performed.
    var isDue: Bool { get }
    /// Performs it.
    func perform(with handler: any RequestHandler, into writer: ResponseWriter)
}

extension WorkerJob {
    var cost: Int { 1 }
    var isDue: Bool { true }
}

/// A device request, which may take as long as a person or a walk over everything.
struct DeviceJob: WorkerJob {
    let request: DeviceRequest
    let passcodes: [FileDescriptor]
    let caller: CallerIdentity
    let id: UInt32
    let deadline: Deadline
    let standing: Standing
    let reply: ReplyAddress
    /// How long a passcode may take to come.
    let pipe: Int
    /// Whether its connection is still there. A keychain is locked for a program that has gone, too.
    let isWanted: Wanted

    /// Whether it is to be performed. Nobody walks over a store for a program that has gone.
    var isDue: Bool {
        guard case .access = request else { return true }
        return isWanted.isSo
    }

    func perform(with handler: any RequestHandler, into writer: ResponseWriter) {
        do throws(Refusal) {
            for passcode in passcodes { try passcode.waitUntilWritten(by: deadline, within: pipe) }
        } catch { return writer.refuse(error, id: id) }
        handler.device(request, passcodes: passcodes, from: caller, id: id, by: deadline, into: writer)
    }
}

/// A key request, which may take as long as a TPM and does not wait behind a person.
struct KeyJob: WorkerJob {
    let request: KeyRequest
    let caller: CallerIdentity
    let id: UInt32
    let deadline: Deadline
    let standing: Standing
    let reply: ReplyAddress

    func perform(with handler: any RequestHandler, into writer: ResponseWriter) {
        handler.key(request, from: caller, id: id, into: writer)
    }
}

/// A request that may have to ask the user, or that concerns who was asked.
struct PromptJob: WorkerJob {
    let request: AuthenticationRequest
    let password: FileDescriptor?
    let caller: CallerIdentity
    let conversation: PromptCancellation
    let id: UInt32
    let deadline: Deadline
    let standing: Standing
    let reply: ReplyAddress
    /// How long the password may take to come.
    let pipe: Int

    func perform(with handler: any RequestHandler, into writer: ResponseWriter) {
        do throws(Refusal) { try password?.waitUntilWritten(by: deadline, within: pipe) } catch {
            return writer.refuse(error, id: id)
        }
        handler.authentication(
            request, password: password, from: caller, conversation, id: id, by: deadline, into: writer)
        conversation.finish()
    }
}

/// The question who a caller is, where the answer takes time; the connection waits for it, and nobody else.
struct IdentityJob: QueuedJob {
    let identification: SlowIdentification
    let session: UInt64
    let standing: Standing
    let mailbox: Mailbox

    var cost: Int { 1 }

    /// Puts it into a queue, behind others of which nothing is known. A caller that may be known does not wait there
    /// for them before that is clear.
    ///
    /// - Throws: as ``WorkQueue/put(_:)``.
    func put(in queue: WorkQueue<RegistryJob>) throws(Refusal) {
        guard let recognition = identification.recognition else { return try queue.put(.identify(self)) }
        recognition { caller in
            if let caller { return introduce(.success(caller)) }
            do throws(Refusal) { try queue.put(.identify(self)) } catch { introduce(.failure(error)) }
        }
    }

    /// Does it, or has it done.
    func begin(onEnd: @escaping @Sendable () -> Void) {
        identification.begin { outcome in
            introduce(outcome)
            onEnd()
        }
    }

    private func introduce(_ outcome: Result<IdentifiedCaller, Refusal>) {
        mailbox.introduce(Mailbox.IdentificationResult(session: session, outcome: outcome))
    }
}

/// Finds the identity that a program file would get; the registry answers.
struct ExaminationJob: QueuedJob {
    let file: FileDescriptor
    let caller: CallerIdentity
    let id: UInt32
    let deadline: Deadline
    let standing: Standing
    let reply: ReplyAddress

    var cost: Int { 1 }

    /// Does it, or has it done.
    func begin(with registry: any CallerRegistry, onEnd: @escaping @Sendable () -> Void) {
        let end = { @Sendable [id, reply] (outcome: Result<CallerIdentity, Refusal>) in
            let writer = ResponseWriter()
            do throws(Refusal) {
                let identity = try outcome.get()
                writer.answer(id) { CallerReport(identity).append(to: $0) }
            } catch { writer.refuse(error, id: id) }
            reply.deliver(writer.buffer.finish())
            onEnd()
        }
        do throws(Refusal) { try deadline.check() } catch { return end(.failure(error)) }
        registry.examine(file, for: caller, then: end)
    }
}

/// Jobs about the identity of callers.
enum RegistryJob: QueuedJob {
    case identify(IdentityJob)
    case examine(ExaminationJob)

    var cost: Int { 1 }
    var standing: Standing {
        switch self {
        case .identify(let job): job.standing
        case .examine(let job): job.standing
        }
    }
}

/// Jobs about prompts, for a thread that never waits long.
enum PromptControlJob: QueuedJob {
    case answer(PromptJob)
    case withdraw(PromptCancellation, of: Standing)
    /// Gives memory that is free back to the system.
    case tidy(of: Standing)

    /// A withdrawal is never refused: there are no more of them than prompts.
    var cost: Int { if case .withdraw = self { 0 } else { 1 } }
    var standing: Standing {
        switch self {
        case .answer(let job): job.standing
        case .withdraw(_, let standing), .tidy(let standing): standing
        }
    }
}

extension FileDescriptor {
    /// Waits until what comes through a pipe is complete: it is read by the enclave, which waits for one passcode at a
    /// time. Every other file is.
    ///
    /// - Throws: `errSecNotAvailable` when the writing process has not finished in time.
    fileprivate func waitUntilWritten(by deadline: Deadline, within milliseconds: Int) throws(Refusal) {
        guard isPipe else { return }
        // The end of the other side is always reported.
        do throws(SystemError) { try wait(for: [], deadline: min(deadline, .after(milliseconds: milliseconds))) } catch
        {
            throw .unfinishedPasscode
        }
    }
}
