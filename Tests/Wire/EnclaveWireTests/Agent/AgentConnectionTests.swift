import Glibc
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import EnclaveWire
@testable import KeychainWire

@Suite("Between enclave and agent")
struct AgentConnectionTests {
    @Test("A question arrives whole, and its answer comes back", arguments: ScriptedUser.plainAnswers)
    func questions(_ name: String, _ answer: UserAnswer) throws {
        let user = ScriptedUser { _, _, _ in answer }
        let pair = try ServedAgent(user)
        var question = ScriptedUser.question(.finger)
        (question.failures, question.wait, question.allowsFallback) = (2, 7, true)
        (question.digits, question.change) = ("1234 5678", .init(.addsMachine, name: "laptop", others: "more"))
        #expect(try pair.connection.ask(question, by: soon).name == name)
        #expect(user.questions == [question])
    }

    @Test("A secret comes as it was typed, whatever bytes it has", arguments: [0, 1, 255, AgentFormat.secretBytes])
    func secrets(_ count: Int) throws {
        let secret = Randomness.bytes(count)
        let pair = try ServedAgent(ScriptedUser { _, _, _ in .secret(SecretBytes(copying: secret.span)) })
        let answer = try pair.connection.ask(ScriptedUser.question(.passcode), by: soon)
        guard case .secret(let given) = answer else { throw SystemError(code: EPROTO, call: answer.name) }
        #expect(given.withSpan { $0.array(0, $0.count) } == secret)
    }

    @Test("Biometry and report come as the agent gives them, also while a question is open")
    func looks() throws {
        let user = ScriptedUser { _, _, withdrawal in
            try? withdrawal.descriptor.wait(for: .readable, deadline: soon)
            return .withdrawn
        }
        let pair = try ServedAgent(user)
        let question = ScriptedUser.question(.finger)
        let asked = try Thread(named: "asker") { _ = try? pair.connection.ask(question, by: soon) }
        user.waitForQuestion()
        #expect(try pair.connection.biometry() == user.status)
        #expect(try pair.connection.report() == user.state)
        pair.connection.withdraw(question.context)
        asked.join()
    }

    @Test("Withdrawn is the question of the context that is named, and no other")
    func withdrawal() throws {
        let user = ScriptedUser { _, deadline, withdrawal in
            do { try withdrawal.descriptor.wait(for: .readable, deadline: deadline) } catch { return .timedOut }
            return .withdrawn
        }
        let pair = try ServedAgent(user)
        let question = ScriptedUser.question(.passcode)
        let asked = Monitor<UserAnswer?>(nil)
        let thread = try Thread(named: "asker") {
            let answer = try? pair.connection.ask(question, by: soon)
            asked.update { $0 = answer }
        }
        user.waitForQuestion()
        let other = AuthenticationContext(
            identifier: question.context.identifier, caller: [UInt8](repeating: 9, count: 32))
        pair.connection.withdraw(other)
        // A second question is refused while one is open, which shows as well that the first still is.
        let refused = failure { () throws(Refusal) in try pair.connection.ask(question, by: soon) }
        #expect(refused?.rule == .unavailable)
        pair.connection.withdraw(question.context)
        thread.join()
        #expect(asked.update { $0 }?.name == "withdrawn")
    }

    @Test("The agent learns how long a question may stay open")
    func deadline() throws {
        let left = Monitor<CInt>(0)
        let pair = try ServedAgent(
            ScriptedUser { _, deadline, _ in
                left.update { $0 = deadline.remainingMilliseconds }
                return .timedOut
            })
        _ = try pair.connection.ask(ScriptedUser.question(.finger), by: .after(milliseconds: 5_000))
        #expect((1...5_000).contains(left.update { $0 }))
        _ = try pair.connection.ask(ScriptedUser.question(.finger), by: .never)
        #expect((1...CInt(AgentFormat.longestQuestion)).contains(left.update { $0 }))
    }

    @Test("An event is told, and taken before the agent goes on")
    func events() throws {
        let pair = try ServedAgent(ScriptedUser { _, _, _ in .unreachable })
        for event in SessionEvent.allCases { #expect(pair.server.tell(event, timeout: patience)) }
        #expect(pair.events.update { $0 } == SessionEvent.allCases)
    }

    @Test("When the agent goes, calls under way and to come are refused at once")
    func agentGone() throws {
        let user = ScriptedUser { _, _, withdrawal in
            try? withdrawal.descriptor.wait(for: .readable, deadline: soon)
            return .withdrawn
        }
        let pair = try ServedAgent(user)
        let refused = Monitor<Refusal?>(nil)
        let thread = try Thread(named: "asker") {
            let refusal = failure { () throws(Refusal) in
                try pair.connection.ask(ScriptedUser.question(.finger), by: .never)
            }
            refused.update { $0 = refusal }
        }
        user.waitForQuestion()
        pair.server.end()
        thread.join()
        #expect(refused.update { $0 }?.status == .notAvailable)
        #expect(failure { () throws(Refusal) in try pair.connection.biometry() }?.rule == .unavailable)
        pair.connection.withdraw(ScriptedUser.question(.finger).context)
    }

    @Test("When the enclave goes, the open question ends and the agent with it")
    func enclaveGone() throws {
        let user = ScriptedUser { _, _, withdrawal in
            try? withdrawal.descriptor.wait(for: .readable, deadline: soon)
            return .withdrawn
        }
        let pair = try ServedAgent(user)
        let thread = try Thread(named: "asker") {
            _ = try? pair.connection.ask(ScriptedUser.question(.finger), by: .never)
        }
        user.waitForQuestion()
        pair.connection.close()
        thread.join()
        pair.thread.join()
    }
}
