/// The prompts of the clients of one owner. The user is asked one question at a time, in the order in which the clients
/// have shown their prompts. The answer serves all that wait for the same.
///
/// Belongs to the thread of the bus.
final class SecretPrompts {
    /// The outcome of a question.
    enum Outcome: Sendable {
        case agreed
        /// The user does not want it.
        case refused
        /// The user could not be asked, or has not answered.
        case failed
    }

    /// The deeds of a bridge for its prompts.
    struct Deeds {
        /// Asks the user for a prompt, and returns at once; ``SecretPrompts/end(_:_:)`` follows.
        var ask: (Int, SecretPrompt) -> Void
        /// Takes a question away. Its outcome counts no more.
        var withdraw: (Int) -> Void
        /// Whether a prompt needs nobody any more.
        var isMet: (SecretPrompt) -> Bool
        /// Does what the user has agreed to, and tells the client.
        var complete: (SecretPrompt, _ agreed: Bool) -> Void
    }

    /// After so many refusals in a row the user is left in peace for so many seconds.
    static let mostRefusals = 3, silence: UInt64 = 60

    private let deeds: Deeds
    private let turn: QuestionTurn
    /// The seconds of a clock that never goes back.
    private let now: () -> UInt64
    private var made: [String: SecretPrompt] = [:]
    /// Those that were shown, the first in front.
    private var waiting: [String] = []
    private var open: (number: Int, name: String)?
    /// The number of the last question.
    private(set) var last = 0
    private var refusals = 0
    private var lastRefusal: UInt64 = 0

    init(_ deeds: Deeds, turn: QuestionTurn = QuestionTurn(), now: @escaping () -> UInt64) {
        (self.deeds, self.turn, self.now) = (deeds, turn, now)
    }

    subscript(name: String) -> SecretPrompt? { made[name] }

    /// The names of those that a client has open.
    func names(of client: String) -> [String] { made.values.filter { $0.client == client }.map(\.name).sorted() }

    /// The clients of all that are open, each as often as it has one.
    var clients: [String] { made.values.map(\.client) }

    func add(_ prompt: SecretPrompt) { made[prompt.name] = prompt }

    /// Lets a prompt wait for its turn (``proceed()``).
    func show(_ name: String) {
        guard made[name]?.isShown == false else { return }
        made[name]?.isShown = true
        waiting.append(name)
    }

    /// Ends a prompt in vain. A question that was asked for it goes.
    func dismiss(_ name: String) { finish(name, agreed: false) }

    /// Ends all prompts in vain.
    func dismissAll() { for name in made.keys.sorted() { dismiss(name) } }

    /// Drops the prompts of a client that has left, and the question that was asked for one of them.
    func forget(_ client: String) {
        for prompt in made.values where prompt.client == client { _ = remove(prompt.name) }
    }

    /// Takes the outcome of a question; that of one that was withdrawn is nobody's.
    func end(_ number: Int, _ outcome: Outcome) {
        guard let open, open.number == number, let asked = made[open.name] else { return }
        self.open = nil
        turn.end()
        note(outcome)
        let covered = waiting.compactMap { made[$0] }.filter { asked.covers($0) && $0.name != asked.name }
        finish(asked.name, agreed: outcome == .agreed)
        for prompt in covered where outcome != .agreed || deeds.isMet(prompt) {
            finish(prompt.name, agreed: outcome == .agreed)
        }
    }

    /// Asks for the first that waits. Those that need nobody any more, and all in a time of silence, end at once.
    func proceed() {
        while open == nil, let name = waiting.first, let prompt = made[name] {
            if deeds.isMet(prompt) {
                finish(name, agreed: true)
            } else if isSilent {
                finish(name, agreed: false)
            } else {
                guard let number = turn.take() else { return }
                (last, open) = (number, (number, name))
                deeds.ask(number, prompt)
            }
        }
    }

    private func finish(_ name: String, agreed: Bool) {
        if let prompt = remove(name) { deeds.complete(prompt, agreed) }
    }

    private func remove(_ name: String) -> SecretPrompt? {
        if let open, open.name == name {
            self.open = nil
            turn.end()
            deeds.withdraw(open.number)
        }
        waiting.removeAll { $0 == name }
        return made.removeValue(forKey: name)
    }

    // MARK: - Refusals

    private func note(_ outcome: Outcome) {
        switch outcome {
        case .agreed: refusals = 0
        case .refused: (refusals, lastRefusal) = (hasForgotten ? 1 : refusals + 1, now())
        case .failed: break
        }
    }

    private var hasForgotten: Bool { now() >= lastRefusal + Self.silence }

    private var isSilent: Bool { refusals >= Self.mostRefusals && !hasForgotten }
}

/// The turn to ask the user: of all owners of secrets, one has it at a time.
final class QuestionTurn {
    private var isTaken = false
    private var last = 0

    /// A number that no question has had; nil while there is another question.
    func take() -> Int? {
        guard !isTaken else { return nil }
        (isTaken, last) = (true, last + 1)
        return last
    }

    /// The question has been answered, or was withdrawn.
    func end() { isTaken = false }
}
