import Glibc
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import EnclaveWire
@testable import KeychainWire

@Suite("A session agent registers, serves, and is given up")
struct SessionAgentTests {
    private let question = ScriptedUser.question(.passcode)

    /// The listener's end of an enclave's queue, and the enclave's connection.
    private static func connection() throws -> (listener: AgentQueue, enclave: AgentConnection, end: UnixSocket) {
        let (ours, theirs) = try UnixSocket.pair()
        let connection = try AgentConnection(sessionAgentsOf: AgentQueue(theirs, user: 7))
        try ours.descriptor.wait(for: .readable, deadline: soon)
        #expect(try AgentQueue(ours).wish() == AgentQueue.Wish(user: 7))
        return (AgentQueue(ours), connection, ours)
    }

    private static func give(_ user: ScriptedUser, to listener: AgentQueue) throws -> AgentServer {
        let (ours, theirs) = try UnixSocket.pair()
        let server = try AgentServer(user, channel: theirs)
        _ = try Thread(named: "agent") { server.run() }
        try listener.give(ours)
        return server
    }

    private func answer(_ enclave: AgentConnection) -> String? { (try? enclave.ask(question, by: soon))?.name }

    @Test("Nobody is asked before one has registered, and the next one after it has gone")
    func comesAndGoes() throws {
        let (listener, enclave, socket) = try Self.connection()
        #expect(answer(enclave) == nil && enclave.found() == nil)
        for _ in 1...2 {
            let server = try Self.give(ScriptedUser { _, _, _ in .cancelled }, to: listener)
            #expect(eventually { answer(enclave) == "cancelled" })
            server.end()
            try socket.descriptor.wait(for: .readable, deadline: soon)
            #expect(try listener.wish() == AgentQueue.Wish(user: 7))
            #expect(answer(enclave) == nil)
        }
        socket.shutDown()
    }

    @Test("One that goes on with a withdrawn question loses its connection")
    func goesOn() throws {
        let (listener, enclave, socket) = try Self.connection()
        let end = Monitor(false)
        let user = ScriptedUser { _, _, _ in
            end.wait { $0 ? () : nil }
            return .cancelled
        }
        let server = try Self.give(user, to: listener)
        #expect(eventually { enclave.found() != nil })
        let asked = Monitor(false)
        let thread = try Thread(named: "asks") { [question] in
            #expect((try? enclave.ask(question, by: .never)) == nil)
            asked.update { $0 = true }
        }
        user.waitForQuestion()
        #expect(asked.update { !$0 })
        enclave.withdraw(question.context)
        thread.join()
        try socket.descriptor.wait(for: .readable, deadline: soon)
        #expect(try listener.wish() == AgentQueue.Wish(user: 7))
        end.update { $0 = true }
        server.end()
        socket.shutDown()
    }

    @Test("The listener gives channels, and dismisses")
    func words() throws {
        let (ours, theirs) = try UnixSocket.pair()
        let (listener, agent) = (AgentRegistration(ours), AgentRegistration(theirs))
        try listener.give(try UnixSocket.pair().0)
        listener.dismiss()
        guard case .channel = agent.next() else { throw Refusal.malformed("a channel") }
        guard case .dismissed = agent.next() else { throw Refusal.malformed("a dismissal") }
        guard case .ended = agent.next() else { throw Refusal.malformed("an end") }
        #expect(throws: SystemError.self) { try listener.give(try UnixSocket.pair().0) }
    }

    @Test("A word that is none, or a channel without a socket, ends a registration", arguments: [[0], [1], [9]])
    func brokenWords(_ bytes: [UInt8]) throws {
        let (ours, theirs) = try UnixSocket.pair()
        try ours.sendFully(bytes.span, deadline: soon)
        guard case .ended = AgentRegistration(theirs).next() else { throw Refusal.malformed("an end") }
    }

    @Test("An agent that takes nothing gets one channel, and the next one after it has taken that")
    func takesNothing() throws {
        let (ours, theirs) = try UnixSocket.pair()
        let (listener, agent) = (AgentRegistration(ours), AgentRegistration(theirs))
        for _ in 1...2 {
            #expect(listener.hasTakenAll)
            try listener.give(try UnixSocket.pair().0)
            #expect(throws: SystemError(code: ETIMEDOUT, call: "sendmsg")) {
                try listener.give(try UnixSocket.pair().0)
            }
            #expect(!listener.hasTakenAll)
            guard case .channel = agent.next() else { throw Refusal.malformed("a channel") }
        }
    }

    @Test("The listener hears of the end of an agent whose registration it has ended")
    func endsAfterwards() throws {
        let (ours, theirs) = try UnixSocket.pair()
        AgentRegistration(ours).end()
        guard case .ended = AgentRegistration(theirs).next() else { throw Refusal.malformed("an end") }
        let epoll = try Epoll()
        try epoll.add(ours.descriptor, for: [], token: 1)
        #expect(try epoll.wait(deadline: .now) { _, _ in } == 0)
        theirs.shutDown()
        #expect(try epoll.wait(deadline: soon) { _, _ in } == 1)
    }
}
