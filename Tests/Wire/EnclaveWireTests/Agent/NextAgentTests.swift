import Glibc
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import EnclaveWire
@testable import KeychainWire

@Suite("An agent that has gone is replaced by the next one")
struct NextAgentTests {
    /// A desk that gives agents whose user has touched the sensor.
    private final class Desk: Sendable {
        let enclaves: AgentQueue
        private let agents = Monitor<[UnixSocket]>([])
        private let own: UnixSocket
        private let thread: Thread

        init(_ mostAgents: Int = .max) throws {
            let (ours, theirs) = try UnixSocket.pair()
            (enclaves, own) = (AgentQueue(theirs), ours)
            let (desk, agents) = (AgentQueue(ours), agents)
            thread = try Thread(named: "desk") {
                while (try? ours.descriptor.wait(for: .readable, deadline: soon)) != nil {
                    guard ((try? desk.wish()) ?? nil) != nil else { return }
                    let given = agents.update { $0.count } < mostAgents ? try? Self.agent() : nil
                    if let given { agents.update { $0.append(given.agents) } }
                    try? desk.give(given?.enclaves)
                }
            }
        }

        private static func agent() throws -> (enclaves: UnixSocket, agents: UnixSocket) {
            let (ours, theirs) = try UnixSocket.pair()
            let server = try AgentServer(ScriptedUser { _, _, _ in .matched }, channel: theirs)
            _ = try Thread(named: "agent") { server.run() }
            return (ours, theirs)
        }

        /// Ends the last agent.
        func endAgent() { agents.update { $0.last.map { _ = shutdown($0.descriptor.number, CInt(SHUT_RDWR)) } } }

        var count: Int { agents.update { $0.count } }

        func close() {
            shutdown(own.descriptor.number, CInt(SHUT_RDWR))
            thread.join()
        }
    }

    private let question = ScriptedUser.question(.finger)

    @Test("The next question is put to it")
    func replaces() throws {
        let desk = try Desk()
        let connection = try AgentConnection(try #require(desk.enclaves.next()), desk: desk.enclaves) { _ in }
        for count in 1...3 {
            #expect(try connection.ask(question, by: soon).name == "matched")
            #expect(desk.count == count)
            desk.endAgent()
            // A question that comes before the agent's end is noticed is refused, and no later one.
            #expect(eventually { desk.count != count })
        }
        connection.close()
        desk.close()
    }

    @Test("Where there is none, who asks is refused")
    func none() throws {
        let desk = try Desk(1)
        let connection = try AgentConnection(try #require(desk.enclaves.next()), desk: desk.enclaves) { _ in }
        desk.endAgent()
        #expect(failure { () throws(Refusal) in _ = try connection.ask(question, by: soon) } != nil)
        #expect(failure { () throws(Refusal) in _ = try connection.ask(question, by: soon) } != nil)
        desk.close()
    }

    @Test("An agent that cannot be sent is none, and its enclave does not wait for it")
    func unsendable() throws {
        let (ours, theirs) = try UnixSocket.pair()
        let nothing = UnixSocket(FileDescriptor(owning: -1))
        #expect(throws: SystemError(code: EBADF, call: "sendmsg")) { try AgentQueue(ours).giveOrDeny(nothing) }
        #expect(AgentQueue(theirs).next() == nil)
        theirs.shutDown()
        #expect(throws: SystemError(code: EPIPE, call: "sendmsg")) { try AgentQueue(ours).giveOrDeny(nil) }
    }

    @Test("A connection that is closed asks for none")
    func closes() throws {
        let desk = try Desk()
        let connection = try AgentConnection(try #require(desk.enclaves.next()), desk: desk.enclaves) { _ in }
        connection.close()
        #expect(failure { () throws(Refusal) in _ = try connection.ask(question, by: soon) } != nil)
        #expect(desk.count == 1)
        desk.close()
    }
}
