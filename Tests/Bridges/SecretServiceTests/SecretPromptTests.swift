import Testing

@testable import SecretService

@Suite("The prompts of the desktop's programs")
struct SecretPromptTests {
    /// The outcomes of prompts, with a clock that the test sets.
    private final class Desk {
        var asked: [String] = []
        var withdrawn: [Int] = []
        var completed: [String: Bool] = [:]
        var met: Set<String> = []
        var seconds: UInt64 = 1_000
        private let turn: QuestionTurn
        private(set) lazy var prompts = SecretPrompts(
            SecretPrompts.Deeds(
                ask: { [unowned self] in asked.append($1.name) }, withdraw: { [unowned self] in withdrawn.append($0) },
                isMet: { [unowned self] in met.contains($0.name) },
                complete: { [unowned self] in completed[$0.name] = $1 }), turn: turn
        ) { [unowned self] in seconds }

        init(_ turn: QuestionTurn = QuestionTurn()) { self.turn = turn }

        func show(_ name: String, of client: String = ":1.1", collections: Set<String>? = ["login"]) {
            let purpose: SecretPrompt.Purpose =
                collections.map { .unlock([], collections: $0) } ?? .delete(SecretCollection(name: "c", label: "C"))
            prompts.add(SecretPrompt(name: name, client: client, purpose: purpose))
            prompts.show(name)
            prompts.proceed()
        }

        /// The outcome of the last question.
        func end(_ outcome: SecretPrompts.Outcome) {
            prompts.end(asked.count, outcome)
            prompts.proceed()
        }
    }

    private let desk = Desk()

    @Test("One question is open at a time, and its answer serves all that wait for the same", arguments: [true, false])
    func oneForAll(agrees: Bool) {
        for index in 1...5 { desk.show("p\(index)", of: ":1.\(index)") }
        #expect(desk.asked == ["p1"])
        desk.met = ["p2", "p3", "p4", "p5"]
        desk.end(agrees ? .agreed : .refused)
        #expect(desk.asked == ["p1"] && desk.completed.count == 5)
        #expect(desk.completed.values.allSatisfy { $0 == agrees })
    }

    @Test("A prompt for more than was answered is asked for itself, and so is each deletion")
    func others() {
        desk.show("p1")
        desk.show("p2", collections: ["login", "other"])
        desk.show("p3", collections: nil)
        desk.show("p4", collections: nil)
        for _ in 0..<4 { desk.end(.agreed) }
        #expect(desk.asked == ["p1", "p2", "p3", "p4"] && desk.completed.values.allSatisfy { $0 })
    }

    @Test("What is unlocked when its turn comes is asked for no more")
    func met() {
        desk.met = ["p1"]
        desk.show("p1")
        #expect(desk.asked.isEmpty && desk.completed == ["p1": true])
    }

    @Test("Three refusals are silence for a minute")
    func silence() {
        for index in 1...3 {
            desk.show("p\(index)")
            desk.end(.refused)
        }
        desk.seconds += 59
        desk.show("p4")
        #expect(desk.asked.count == 3 && desk.completed["p4"] == false)
        desk.seconds += 1
        desk.show("p5")
        #expect(desk.asked.last == "p5" && desk.completed["p5"] == nil)
    }

    @Test("A question that nobody answers is no refusal, and an agreement makes up for two refusals")
    func noRefusals() {
        for (index, outcome) in [SecretPrompts.Outcome.refused, .refused, .failed, .agreed, .refused].enumerated() {
            desk.show("p\(index)")
            desk.end(outcome)
        }
        desk.show("last")
        #expect(desk.asked.count == 6)
    }

    @Test("A question goes with its client or its prompt, and the next one is asked")
    func withdrawn() {
        desk.show("p1", of: ":1.1")
        desk.show("p2", of: ":1.2")
        desk.show("p3", of: ":1.3")
        desk.prompts.forget(":1.1")
        desk.prompts.proceed()
        #expect(desk.withdrawn == [1] && desk.asked == ["p1", "p2"] && desk.completed.isEmpty)
        desk.prompts.dismiss("p2")
        desk.prompts.proceed()
        #expect(desk.withdrawn == [1, 2] && desk.asked == ["p1", "p2", "p3"] && desk.completed == ["p2": false])
        // The outcome of a question that was withdrawn is nobody's.
        desk.prompts.end(1, .agreed)
        #expect(desk.completed == ["p2": false])
    }

    @Test("Of two owners of secrets one asks at a time, with its own answers and its own silence")
    func turns() {
        let turn = QuestionTurn()
        let (one, other) = (Desk(turn), Desk(turn))
        one.show("p1")
        other.show("p1")
        #expect(one.asked == ["p1"] && other.asked.isEmpty)
        one.prompts.end(1, .agreed)
        other.prompts.end(1, .agreed)
        #expect(one.completed == ["p1": true] && other.completed.isEmpty)
        other.prompts.proceed()
        #expect(other.asked == ["p1"] && other.prompts.last == 2)
        // Three refusals of one are no silence for the other.
        for number in 2...4 {
            other.prompts.end(number, .refused)
            other.show("p\(number)")
        }
        #expect(other.completed["p4"] == false)
        one.show("p2")
        #expect(one.asked == ["p1", "p2"])
        one.prompts.dismissAll()
        #expect(one.completed["p2"] == false && one.withdrawn == [5] && turn.take() == 6)
    }
}
