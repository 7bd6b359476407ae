import EnclaveWire
import Glibc
import LinuxSystem

/// The session agents that have registered, at most one of each user: the newest.
///
/// Believed is an agent by the group that its process had when it connected, as the kernel says. Root gives that group
/// to one installed program (set-group-ID), and to nobody else: a copy, or another program of the user, does not have
/// it. An agent gets channels to the enclave of its own user alone. Nothing that it sends is read here.
final class SessionAgents {
    /// Nil where there is no such group: nobody is believed.
    private let group: UInt32?
    private var registered: [UInt32: Registered] = [:]
    /// By their numbers, registrations that have ended without their agents having taken everything: the agents of
    /// processes that are stopped, until these end.
    private var untaken: [UInt64: Registered] = [:]
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
    /// A user who has that many of them stopped gets no other one. The kernel counts what they were given against the
    /// open files of the listener's user, who would run out of them.
    private static let mostUntaken = 8

    /// - Parameter group: the number of the installed agent's group; nil for none.
    init(_ group: UInt32?, report: @escaping (any Error) -> Void) { (self.group, self.report) = (group, report) }

    /// The number of the group of that name; nil when there is none, or when it has members: their programs all have
    /// it.
    static func group(_ name: String, report: (any Error) -> Void) -> UInt32? {
        do throws(SystemError) {
            guard try AnchorGroup.members(of: name).isEmpty else {
                throw SystemError(code: EPERM, call: "group", advice: "\(name) has members: no session agent is taken")
            }
            guard let number = try AnchorGroup.find(name) else {
                throw SystemError(code: ENOENT, call: "group", advice: "no group \(name): no session agent is taken")
            }
            return number
        } catch {
            report(error)
            return nil
        }
    }

    /// The agent of a user.
    func agent(of user: UInt32?) -> AgentRegistration? { user.flatMap { registered[$0]?.agent } }

    /// Takes a connection.
    ///
    /// - Returns: the new registration; nil when it is refused.
    func take(_ connection: UnixSocket) -> Registered? {
        do throws(SystemError) {
            let peer = try PeerNumbers(of: connection)
            if let reason = refusal(peer) { return refuse(peer, reason) }
            if let older = registered.removeValue(forKey: peer.user) {
                older.agent.dismiss()
                keep(older)
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

    private func refusal(_ peer: PeerNumbers) -> String? {
        guard let group else { return "there is no group for it, or the group has members" }
        guard peer.group == group else { return "it is not the installed one" }
        guard registered[peer.user] != nil || registered.count < Self.most else { return "there are too many" }
        let isFull = untaken.values.count { $0.user == peer.user } >= Self.mostUntaken
        return isFull ? "too many of the user's are stopped" : nil
    }

    /// Forgets an agent that has gone.
    func forget(number: UInt64) {
        untaken[number] = nil
        if let gone = registered.values.first(where: { $0.number == number }) { forget(gone.user) }
    }

    /// Forgets the agent of a user, which takes nothing.
    func forget(_ user: UInt32) {
        guard let gone = registered.removeValue(forKey: user) else { return }
        gone.agent.end()
        keep(gone)
    }

    /// Keeps an ended registration until its agent has gone, if it has not taken everything.
    private func keep(_ ended: Registered) {
        if !ended.agent.hasTakenAll { untaken[ended.number] = ended }
    }

    private func refuse(_ peer: PeerNumbers, _ reason: String) -> Registered? {
        tell("a session agent was refused, because \(reason)", peer)
        return nil
    }

    private func tell(_ what: String, _ peer: PeerNumbers) {
        let line = paces.admit("\(what): user \(peer.user), process \(peer.process)", of: peer.user)
        if let line { report(SystemError(code: EACCES, call: "accept", advice: line)) }
    }
}
