import EnclaveWire
import Glibc
import LinuxSystem

/// The session agents that have registered, at most one of each user: the newest.
///
/// Believed is an agent by the group that its process had when it connected, as the kernel says. Root gives that group
/// to one installed program (set-group-ID), and to nobody else: a copy, or another program of the user, does not have
/// it. An agent gets channels to the enclave of its own user alone. Nothing that it sends is read here.
final class SessionAgents {
    private let listener: UnixSocket
    /// Nil where there is no such group: nobody is believed.
    private let group: UInt32?
    private var registered: [UInt32: Registered] = [:]
    private var lastNumber: UInt64 = 0
    private var paces = LogPaces()
    private let report: (any Error) -> Void

    /// A registration with its number.
    struct Registered {
        let number: UInt64
        let user: UInt32
        let agent: AgentRegistration
    }

    /// More users than that have no agents at once.
    private static let most = 2048

    /// - Parameter group: the number of the installed agent's group; nil for none.
    init(_ listener: UnixSocket, _ group: UInt32?, report: @escaping (any Error) -> Void) {
        (self.listener, self.group, self.report) = (listener, group, report)
    }

    var descriptor: FileDescriptor { listener.descriptor }

    /// The number of the group of that name; nil when there is none, or when it has members: their programs all have
    /// it.
    static func group(_ name: String, report: (any Error) -> Void) -> UInt32? {
        do throws(SystemError) {
            guard try AnchorGroup.members(of: name).isEmpty else {
                throw SystemError(code: EPERM, call: "group", advice: "\(name) has members: no session agent is taken")
            }
            return try AnchorGroup.find(name)
        } catch {
            report(error)
            return nil
        }
    }

    /// The agent of a user.
    func agent(of user: UInt32?) -> AgentRegistration? { user.flatMap { registered[$0]?.agent } }

    /// Takes the next connection.
    ///
    /// - Returns: the new registration; nil when there is none.
    func accept() -> Registered? {
        do throws(SystemError) {
            guard let connection = try listener.accept() else { return nil }
            let peer = try PeerNumbers(of: connection)
            guard let group, peer.group == group else { return refuse(peer, "it is not the installed one") }
            guard registered[peer.user] != nil || registered.count < Self.most else {
                return refuse(peer, "there are too many")
            }
            if let older = registered[peer.user] {
                older.agent.dismiss()
                tell("the session agent was replaced by a newer one", peer)
            }
            lastNumber += 1
            let new = Registered(number: lastNumber, user: peer.user, agent: AgentRegistration(connection))
            registered[peer.user] = new
            return new
        } catch {
            report(error)
            return nil
        }
    }

    /// Forgets an agent that has gone.
    func forget(number: UInt64) {
        if let gone = registered.values.first(where: { $0.number == number }) { forget(gone.user) }
    }

    /// Forgets the agent of a user, which takes nothing.
    func forget(_ user: UInt32) { registered.removeValue(forKey: user)?.agent.socket.shutDown() }

    private func refuse(_ peer: PeerNumbers, _ reason: String) -> Registered? {
        tell("a session agent was refused, because \(reason)", peer)
        return nil
    }

    private func tell(_ what: String, _ peer: PeerNumbers) {
        let line = paces.admit("\(what): user \(peer.user), process \(peer.process)", of: peer.user)
        if let line { report(SystemError(code: EACCES, call: "accept", advice: line)) }
    }
}
