import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// A request on its way past what the user guards: tried, the user asked for what it met, and tried again (rule
/// authentication.query.rounds).
///
/// Only this waits for a person; the item readers and the writer answer at once what they lack.
final class GuardedAttempt {
    /// After so many rounds something contradicts itself (rule authentication.query.rounds).
    private static let mostRounds = 20

    private let engine: KeychainEngine
    private let inner: AuthenticationRequest.Inner
    private let caller: CallerIdentity
    private let context: AuthenticationContext
    /// The program gave the context: what the user shows serves it further.
    private let isGiven: Bool
    private let prompt: Prompt
    private let conversation: PromptCancellation
    private let deadline: Deadline
    private let gate: AccessControlGate
    private var itemReader: ItemReader?
    /// The result of the last attempt, for the log.
    private(set) var decision: AuditLog.Entry?

    init(
        _ engine: KeychainEngine, _ inner: AuthenticationRequest.Inner, from caller: CallerIdentity,
        in context: AuthenticationContext, isGiven: Bool, _ prompt: Prompt, _ conversation: PromptCancellation,
        _ deadline: Deadline
    ) {
        (self.engine, self.inner, self.caller, self.context) = (engine, inner, caller, context)
        (self.isGiven, self.prompt, self.conversation, self.deadline) = (isGiven, prompt, conversation, deadline)
        gate = AccessControlGate(engine.enclave, context)
    }

    /// Answers the request into `writer`.
    ///
    /// - Parameter password: the application password, where one came with the request.
    /// - Throws: what became of asking; a refusal of the request itself is written.
    func run(with password: FileDescriptor?, id: UInt32, into writer: ResponseWriter) throws(Refusal) {
        try conversation.begin(in: context)
        if let password { try engine.enclave.setCredential(password, in: context) }
        for _ in 0..<Self.mostRounds {
            gate.begin()
            try attempt(id, writer)
            guard writer.status == KeychainStatus.authNeeded.rawValue, gate.lacksUser else { return }
            writer.buffer.removeAll()
            try ask()
        }
        throw .noEnd
    }

    /// Forgets what the user showed for this request alone.
    func end() { if !isGiven { try? engine.enclave.invalidate(context) } }

    private func attempt(_ id: UInt32, _ writer: ResponseWriter) throws(Refusal) {
        switch inner {
        case .item(let request) where request.isSearch:
            var entry = AuditLog.Entry(caller, request)
            try readyItemReader().search(request, id: id, by: deadline, into: writer, &entry)
            decision = entry
        case .item(let request):
            let write = PendingWrite(request, from: caller, id: id, by: deadline, past: gate)
            engine.perform([write])
            decision = write.decision
            write.writer.buffer.withSpan { writer.buffer.append($0) }
        case .key(let request):
            decision = engine.key(request, from: caller, id: id, past: gate, into: writer)
        }
    }

    private func readyItemReader() throws(Refusal) -> ItemReader {
        if let itemReader { return itemReader }
        let made = try engine.makeItemReader(past: gate)
        itemReader = made
        return made
    }

    // MARK: - Asking

    private func ask() throws(Refusal) {
        try deadline.check()
        if gate.missing.isEmpty { return try askForPresence() }
        try ask(purpose, in: context)
    }

    private func ask(_ purpose: AuthenticationTask.Purpose, in context: AuthenticationContext) throws(Refusal) {
        try conversation.begin(in: context)
        var prompt = prompt
        prompt.item = try names()
        let task = AuthenticationTask(context: context, purpose: purpose, prompt: prompt)
        _ = try engine.enclave.authenticate(task, by: deadline)
    }

    /// Asks for the user's presence. Nothing that was shown before counts, and this counts for these items alone.
    private func askForPresence() throws(Refusal) {
        let alone = AuthenticationContext.fresh(for: context.caller)
        defer { try? engine.enclave.invalidate(alone) }
        try ask(.items(guards: gate.absences.map(\.guarded), .useItem), in: alone)
        gate.confirmPresence()
    }

    private var purpose: AuthenticationTask.Purpose {
        let flags = gate.missing.first?.guarded.flags ?? 0
        guard isGiven || operation.isCreation else { return .items(guards: gate.missing.map(\.guarded), operation) }
        return .context(.control(flags: flags, operation))
    }

    private var operation: GuardedOperation {
        switch inner {
        case .item(let request): request.operation == .add ? .createItem : .useItem
        case .key(.make): .createKey
        case .key(.use(_, let use)): use.guardedOperation
        case .key(.file): .useItem
        }
    }

    /// The names of the items that are missing an authorization: a few, for people do not read more.
    private func names() throws(Refusal) -> String {
        if case .key(.use(let key, _)) = inner { return try name(of: key) }
        let items = gate.missing.isEmpty ? gate.absences : gate.missing
        let names = items.prefix(Self.mostNames + 1).map(\.name).filter { !$0.isEmpty }
        let more = items.count > Self.mostNames ? ["…"] : []
        return (names.prefix(Self.mostNames) + more).joined(separator: ", ")
    }

    private static let mostNames = 3

    /// A key knows no name; the item that keeps it does, if there is one.
    private func name(of key: SealedKey) throws(Refusal) -> String {
        guard let request = try ItemRequest(findingItemOf: key) else { return "" }
        let answer = ResponseWriter()
        try engine.makeItemReader(past: nil).search(request, from: caller, id: 0, by: deadline, into: answer)
        let (status, body) = answer.complete()
        return (try? ItemResponse(status: status, body: body))?.items.first?.attributes.displayName ?? ""
    }
}

extension GuardedOperation {
    fileprivate var isCreation: Bool { self == .createItem || self == .createKey }
}

extension KeyUse {
    /// The operation that the algorithm carries out with a guarded key.
    fileprivate var guardedOperation: GuardedOperation {
        switch KeyAlgorithm(name: algorithm)?.construction {
        case .encryption: .useKeyDecrypt
        case .keyExchange: .useKeyKeyExchange
        case .signature, nil: .useKeySign
        }
    }
}

extension Refusal {
    fileprivate static let noEnd = Refusal(
        .authFailed, .needsUser, "accc", "The user has authenticated, and the item still does not open.",
        do: "Try again; if it stays so, delete the item and add it again.")
}

extension ItemRequest {
    /// Finds the item that keeps a sealed key, by what both have of the public half; nil when the key's head makes no
    /// sense.
    fileprivate init?(findingItemOf key: SealedKey) throws(Refusal) {
        guard let type = KeyType(number: key.keyType),
            let publicKey = try? PublicKey(external: key.publicKey.span, type: type),
            let label = try? publicKey.applicationLabel()
        else { return nil }
        var builder = ItemRequestBuilder(.copyMatching)
        let entries: [(String, RawValue)] = [
            ("class", .string(ItemClass.key.code)), ("klbl", .data(label)), ("agrp", .string(key.binding.group)),
            ("kcls", .string("1")), ("r_Attributes", .boolean(true)),
        ]
        for (name, value) in entries { try builder.set(name, value) }
        self = try builder.build()
    }
}
