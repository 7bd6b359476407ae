import EnclaveWire
import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import enclaved

@Suite("Stopped session agents of one user take no descriptors from others")
struct UntakenChannelsTests {
    private let agents = SessionAgents(getgid()) { _ in }
    private let user = CurrentProcess.user

    /// The agent's end of a new registration, with the listener's entry; nil when it is refused.
    private func register() throws -> (end: UnixSocket, entry: SessionAgents.Registered)? {
        let (ours, theirs) = try UnixSocket.pair()
        return agents.take(ours).map { (theirs, $0) }
    }

    /// Registers until it is refused, as an agent that is stopped at once.
    private func exhaust() throws -> [(end: UnixSocket, entry: SessionAgents.Registered)] {
        var stopped: [(end: UnixSocket, entry: SessionAgents.Registered)] = []
        while stopped.count < 100, let new = try register() {
            try new.entry.agent.give(try UnixSocket.pair().0)
            stopped.append(new)
        }
        return stopped
    }

    @Test("Those of a few are on their way, and no more agents are taken until one has ended")
    func bound() throws {
        let stopped = try exhaust()
        #expect(stopped.count == 9)
        agents.forget(number: stopped[0].entry.number)
        #expect(try register() != nil && register() == nil)
    }

    @Test("An agent that was forgotten, because it takes nothing, counts")
    func forgotten() throws {
        var stopped: [UnixSocket] = []
        while stopped.count < 100, let new = try register() {
            try new.entry.agent.give(try UnixSocket.pair().0)
            agents.forget(user)
            #expect(agents.agent(of: user) == nil)
            stopped.append(new.end)
        }
        #expect(stopped.count == 8)
    }

    @Test("Agents that take what they are given register as often as they like")
    func taken() throws {
        for _ in 1...50 {
            let (end, entry) = try #require(try register())
            try entry.agent.give(try UnixSocket.pair().0)
            guard case .channel = AgentRegistration(end).next() else { throw SystemError(code: 0, call: "channel") }
            agents.forget(user)
        }
    }

    @Test("Where there is no group for agents, the log says so, and none is taken")
    func withoutGroup() throws {
        var told: [String] = []
        let group = SessionAgents.group("_nobody-has-this") { told.append("\($0)") }
        #expect(group == nil && told.count == 1 && told[0].contains("no group _nobody-has-this"))
        let agents = SessionAgents(group) { told.append("\($0)") }
        #expect(agents.take(try UnixSocket.pair().0) == nil)
        #expect(told.count == 2 && told[1].contains("there is no group"))
    }
}
