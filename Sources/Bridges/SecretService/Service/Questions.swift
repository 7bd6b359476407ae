import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// Questions to the user, each on a thread of its own, and what became of them.
final class Questions: Sendable {
    typealias Ended = (number: Int, outcome: SecretPrompts.Outcome)

    let wakeup: Wakeup
    private let configuration: Configuration
    /// The session's bus.
    private let address: String
    private let ended = Monitor([Ended]())
    private let open = Lock([Int: RequestCancellation]())
    private let looks = BoundedLooks()

    init(_ configuration: Configuration, address: String) throws(SystemError) {
        (self.configuration, self.address) = (configuration, address)
        wakeup = try Wakeup()
    }

    /// Reaches the daemon, which it may have to start.
    ///
    /// - Throws: `errSecNotAvailable` when it cannot be reached, or none is installed.
    func reach() throws(Refusal) -> Connection {
        guard let connection = try Connection.reach(configuration) else {
            throw Refusal(
                .notAvailable, .unavailable, configuration.socket, "No keychain daemon is installed.",
                do: "Install keychaind, or set KEYCHAIN_DAEMON to its path.")
        }
        return connection
    }

    /// Asks the user, and returns at once.
    func ask(_ question: SecretQuestion) {
        let cancellation = RequestCancellation()
        open.withLock { $0[question.number] = cancellation }
        let asking = try? Thread(named: "prompt") { [self] in
            post(question.number, outcome(of: question, until: cancellation))
        }
        if asking == nil { post(question.number, .failed) }
    }

    /// Takes a question away: its window goes, and its thread ends.
    func withdraw(_ number: Int) {
        let cancellation = open.withLock { $0.removeValue(forKey: number) }
        cancellation?.cancel()
    }

    /// The outcomes since the last time.
    func take() -> [Ended] {
        wakeup.clear()
        return ended.update { ended in
            defer { ended = [] }
            return ended
        }
    }

    private func post(_ number: Int, _ outcome: SecretPrompts.Outcome) {
        open.withLock { $0[number] = nil }
        ended.update { $0.append((number, outcome)) }
        wakeup.signal()
    }

    // MARK: - Asking

    /// `LAPolicyDeviceOwnerAuthentication`: a finger or the passcode.
    private static let anyOwner: UInt8 = 2

    private func outcome(
        of question: SecretQuestion, until cancellation: RequestCancellation
    ) -> SecretPrompts.Outcome {
        do throws(Refusal) {
            let (connection, context) = (try reach(), Randomness.bytes(AuthenticationContext.identifierBytes))
            let (purpose, prompt) = try self.prompt(question, over: connection)
            let request = AuthenticationRequest.evaluate(purpose, context: context, prompt: prompt)
            guard case .evaluated = try connection.authentication(request, until: cancellation) else { return .failed }
            _ = try? connection.authentication(.invalidate(context: context), descriptors: [])
            return .agreed
        } catch { return error.status == .userCanceled ? .refused : .failed }
    }

    private func prompt(
        _ question: SecretQuestion, over connection: Connection
    ) throws(Refusal) -> (AuthenticationPurpose, Prompt) {
        var prompt = try Prompt.ofThisProcess()
        var look: AskingProgram.Look?
        switch question.asker {
        case .application(let title)?: prompt.program = title
        case .program(let asker)?:
            look = looks.take { asker.look(over: connection) }
            prompt.program = look?.title ?? ""
        case nil: prompt.program = ""
        }
        prompt.surroundings = AskingProgram.surroundings(look?.surroundings, bus: address)
        guard case .presence(let reason) = question.kind else { return (.unlock, prompt) }
        prompt.reason = reason(UserLanguage { prompt.surroundings.environment[$0] })
        return (.policy(Self.anyOwner), prompt)
    }
}
