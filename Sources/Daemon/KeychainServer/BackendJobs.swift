import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// A write that waits for the next commit.
struct WriteJob: QueuedJob {
    let request: ItemRequest
    let caller: CallerIdentity
    let id: UInt32
    let deadline: Deadline
    let cost: Int
    let reply: ReplyAddress
}

/// A request that waits for a worker.
protocol WorkerJob: QueuedJob {
    var id: UInt32 { get }
    var deadline: Deadline { get }
    var reply: ReplyAddress { get }
    /// Performs it.
    func perform(with handler: any RequestHandler, into writer: ResponseWriter)
}

extension WorkerJob {
    var cost: Int { 1 }
}

/// A device request, which may take as long as a person or a walk over everything.
struct DeviceJob: WorkerJob {
    let request: DeviceRequest
    let passcodes: [FileDescriptor]
    let caller: CallerIdentity
    let id: UInt32
    let deadline: Deadline
    let reply: ReplyAddress

    func perform(with handler: any RequestHandler, into writer: ResponseWriter) {
        handler.device(request, passcodes: passcodes, from: caller, id: id, by: deadline, into: writer)
    }
}

/// A key request, which may take as long as a TPM and does not wait behind a person.
struct KeyJob: WorkerJob {
    let request: KeyRequest
    let caller: CallerIdentity
    let id: UInt32
    let deadline: Deadline
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
    let conversation: Conversation
    let id: UInt32
    let deadline: Deadline
    let reply: ReplyAddress

    /// Whether it may wait for a person.
    var mayAsk: Bool {
        switch request {
        case .evaluate, .perform: true
        case .capabilities, .invalidate: false
        }
    }

    func perform(with handler: any RequestHandler, into writer: ResponseWriter) {
        handler.authentication(
            request, password: password, from: caller, conversation, id: id, by: deadline, into: writer)
    }
}

/// The question who a caller is, where the answer takes time; the connection waits for it, and nobody else.
struct IdentityJob: QueuedJob {
    let identification: SlowIdentification
    let session: UInt64
    let mailbox: Mailbox

    var cost: Int { 1 }

    func perform() {
        let outcome = Result { () throws(Refusal) in try identification.finish() }
        mailbox.deliver(Mailbox.Introduction(session: session, outcome: outcome))
    }
}

/// What a program file would be given: the registry's to answer.
struct ExaminationJob: QueuedJob {
    let file: FileDescriptor
    let caller: CallerIdentity
    let id: UInt32
    let deadline: Deadline
    let reply: ReplyAddress

    var cost: Int { 1 }

    func perform(with registry: any CallerRegistry) {
        let writer = ResponseWriter()
        do throws(Refusal) {
            try deadline.check()
            let identity = try registry.examine(file, for: caller)
            writer.answer(id) { CallerReport(identity).append(to: $0) }
        } catch { writer.refuse(error, id: id) }
        reply.deliver(writer.buffer.finish())
    }
}

/// What is done about the identity of callers.
enum RegistryJob: QueuedJob {
    case identify(IdentityJob)
    case examine(ExaminationJob)

    var cost: Int { 1 }
}

/// What is done for prompts by a thread that waits for nobody.
enum Attendance: QueuedJob {
    case answer(PromptJob)
    case withdraw(Conversation)

    var cost: Int { 1 }
}
