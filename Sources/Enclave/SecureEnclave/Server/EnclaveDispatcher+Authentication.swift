import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem

/// What concerns the user and what he guards.
extension EnclaveDispatcher {
    /// Performs what has no context, or always one.
    func perform(
        aboutUser operation: EnclaveOperation, _ body: inout WireReader, _ descriptors: [FileDescriptor],
        into answer: SecretBuffer
    ) throws(Refusal) {
        switch operation {
        case .capabilities:
            try body.last { (_) throws(Refusal) in }
            try enclave.capabilities().append(to: answer)
        case .authenticate:
            let patience = min(try body.integer(UInt32.self), EnclaveChannelFormat.mostPatience)
            var task = try body.last { (body) throws(Refusal) in try AuthenticationTask(from: &body) }
            if task.prompt.surroundings.comesOpened {
                task.prompt.surroundings.opened = terminals.take(task.context)
            }
            let deadline = Deadline.after(milliseconds: Int(patience))
            let result = try questions.during(task.context) { () throws(Refusal) in
                try enclave.authenticate(task, by: deadline)
            }
            result.append(to: answer)
        case .setTerminal: terminals.put(OpenedTerminal(descriptors[0]), for: try Self.lastContext(&body))
        case .setCredential: try enclave.setCredential(descriptors[0], in: try Self.lastContext(&body))
        default: try enclave.invalidate(try Self.lastContext(&body))
        }
    }

    private static func lastContext(_ body: inout WireReader) throws(Refusal) -> AuthenticationContext {
        try body.last { (body) throws(Refusal) in try AuthenticationContext(from: &body) }
    }

    /// Wraps or opens the key of a guarded row.
    func perform(
        onGuardedRow operation: EnclaveOperation, _ accessibility: Accessibility, _ body: inout WireReader,
        into answer: SecretBuffer
    ) throws(Refusal) {
        let context = try body.context()
        guard operation == .wrapGuardedRowKey else {
            let row = try body.array(RowKeyRecord.rowBytes)
            let wrapped = try body.last { (body) throws(Refusal) in
                try body.bytes(atMost: GuardedRowKey.mostBytes)
            }
            let key = try enclave.unwrapGuardedRowKey(wrapped, row: row, for: accessibility, in: context)
            return key.withSpan { answer.append($0) }
        }
        let (flags, row) = (try body.integer(UInt64.self), try body.array(RowKeyRecord.rowBytes))
        let key = try body.last { (body) throws(Refusal) in try body.secret(RowKeyRecord.keyBytes) }
        let wrapped = try enclave.wrapGuardedRowKey(key, row: row, for: accessibility, flags: flags, in: context)
        answer.append(wrapped.span)
    }
}

/// The contexts in which a daemon has somebody asked: when it goes, nobody waits for the answers any more.
final class OpenQuestions: Sendable {
    private struct State {
        var contexts: [AuthenticationContext] = []
        var isOver = false
    }

    private let state = Lock(State())

    /// Asks.
    ///
    /// - Throws: what `ask` throws; `errSecAuthFailed` (`state.withdrawn`) when the daemon has gone.
    func during<Result>(
        _ context: AuthenticationContext, _ ask: () throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        let isOver = state.withLock { state in
            state.contexts.append(context)
            return state.isOver
        }
        defer {
            state.withLock { state in
                if let index = state.contexts.firstIndex(of: context) { state.contexts.remove(at: index) }
            }
        }
        if isOver { throw .withdrawn }
        return try ask()
    }

    /// Has everything withdrawn, and lets nothing more be asked.
    func end(_ withdraw: (AuthenticationContext) -> Void) {
        let contexts = state.withLock { state in
            state.isOver = true
            return state.contexts
        }
        for context in contexts { withdraw(context) }
    }
}

/// Terminals that came through the socket and wait for the request that they are for, which comes through a slot.
final class WaitingTerminals: Sendable {
    /// As many as there are slots that ask, and some to spare; a daemon that leaves more behind loses them.
    private static let most = 64

    private let waiting = Lock<[AuthenticationContext: OpenedTerminal]>([:])

    func put(_ terminal: OpenedTerminal, for context: AuthenticationContext) {
        waiting.withLock { waiting in
            if waiting.count >= Self.most { waiting = [:] }
            waiting[context] = terminal
        }
    }

    func take(_ context: AuthenticationContext) -> OpenedTerminal? {
        waiting.withLock { $0.removeValue(forKey: context) }
    }
}
