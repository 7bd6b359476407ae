import LinuxSystem
import TestSupport
import Testing

@testable import EnclaveWire
@testable import enclaved

@Suite("The listener gives an enclave the session agents of one user alone")
struct SessionSeatsTests {
    /// A wish in an enclave's words.
    private static func wish(_ user: UInt32, through socket: UnixSocket) throws {
        let bytes = [1] + [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: user >> UInt32($0)) }
        try socket.sendFully(bytes.span, deadline: soon)
    }

    private static func agent() throws -> (listener: AgentRegistration, agent: AgentRegistration) {
        let (ours, theirs) = try UnixSocket.pair()
        return (AgentRegistration(ours), AgentRegistration(theirs))
    }

    @Test("An enclave that names another user than its vault's gets nobody, in the first wish and in a later one")
    func otherUser() throws {
        let (seats, enclave) = try SessionSeats.make()
        try Self.wish(8, through: enclave)
        #expect(!seats.hear(of: 7) && seats.user == nil)
        try Self.wish(7, through: enclave)
        #expect(seats.hear(of: 7) && seats.user == 7)
        try Self.wish(8, through: enclave)
        #expect(!seats.hear(of: 7) && seats.user == 7)
    }

    @Test("The enclave of the system's keychain gets no user's agents")
    func system() throws {
        let (seats, enclave) = try SessionSeats.make()
        try Self.wish(7, through: enclave)
        #expect(!seats.hear(of: nil) && seats.user == nil)
    }

    @Test("The system's keychain, and a broken word, have no session agents")
    func nobody() throws {
        for bytes: [UInt8] in [[1, 255, 255, 255, 255], [2, 7, 0, 0, 0], [1]] {
            let (seats, enclave) = try SessionSeats.make()
            try enclave.sendFully(bytes.span, deadline: soon)
            #expect(!seats.hear(of: 7) && seats.user == nil)
        }
    }

    @Test("A channel goes to an agent that is there, or to the next one that registers")
    func gives() throws {
        let (seats, enclave) = try SessionSeats.make()
        let (listener, agent) = try Self.agent()
        try Self.wish(7, through: enclave)
        #expect(seats.hear(of: 7) && seats.look(nil))
        // Nobody is there, and nothing is due.
        #expect(!seats.due.hasPassed)
        seats.renew()
        #expect(seats.due.hasPassed && seats.look(listener))
        guard case .channel(let channel) = agent.next() else { throw SystemError(code: 0, call: "no channel") }
        // Another one registers: the channel ends, and the enclave asks again.
        seats.renew()
        try channel.descriptor.wait(for: .readable, deadline: soon)
        try Self.wish(7, through: enclave)
        #expect(seats.hear(of: 7))
    }

    @Test("An agent that has gone takes no channel")
    func gone() throws {
        let (seats, enclave) = try SessionSeats.make()
        let (listener, agent) = try Self.agent()
        agent.socket.shutDown()
        try Self.wish(7, through: enclave)
        #expect(seats.hear(of: 7) && !seats.look(listener))
    }

    @Test("An agent that has not taken its last channel gets no other one, also of another enclave")
    func untaken() throws {
        let (listener, agent) = try Self.agent()
        for isFirst in [true, false] {
            let (seats, enclave) = try SessionSeats.make()
            try Self.wish(7, through: enclave)
            #expect(seats.hear(of: 7) && seats.look(listener) == isFirst)
        }
        guard case .channel = agent.next() else { throw SystemError(code: 0, call: "no channel") }
        let (seats, enclave) = try SessionSeats.make()
        try Self.wish(7, through: enclave)
        #expect(seats.hear(of: 7) && seats.look(listener))
    }
}
