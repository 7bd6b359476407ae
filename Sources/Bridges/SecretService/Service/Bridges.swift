import Systemd

/// The bridge of the programs outside of sandboxes, and one of each application in a sandbox that has called. Belongs
/// to the thread of the bus.
final class Bridges {
    let outside: Bridge
    private let surroundings: Bridge.Surroundings
    private var clients: Clients { surroundings.clients }
    /// Those of applications, the one that was called last at the end.
    private var inside: [Bridge] = []
    /// The owners of the secrets that clients have asked for last.
    private var owners: [String: SecretsOwner] = [:]

    /// Of more applications, the bridge ends that was called longest ago, with its clients' sessions and the collection
    /// in memory. Everything else comes back with the application's next call.
    static let mostApplications = 32

    init(_ secrets: KeychainSecrets, in surroundings: Bridge.Surroundings) {
        self.surroundings = surroundings
        outside = Bridge(of: .outside, secrets, in: surroundings)
    }

    /// The bridge of a client that calls.
    ///
    /// - Throws: as ``Clients/check(_:)``.
    func bridge(for client: String) throws(BusFailure) -> Bridge {
        let owner = try clients.check(client)
        let bridge = bridge(of: owner)
        if let former = owners.updateValue(owner, forKey: client), former != owner {
            for other in [outside] + inside where other.owner == former { other.forget(client) }
        }
        bridge.note(client)
        noteAudience()
        return bridge
    }

    /// The bridge of an owner's secrets.
    func bridge(of owner: SecretsOwner) -> Bridge {
        guard case .application(let application) = owner else { return outside }
        if inside.last?.owner == owner { return inside[inside.count - 1] }
        if let index = inside.firstIndex(where: { $0.owner == owner }) {
            inside.append(inside.remove(at: index))
        } else {
            if inside.count >= Self.mostApplications { inside.removeFirst().prompts.dismissAll() }
            let secrets = KeychainSecrets(of: application, sharing: outside.secrets)
            inside.append(Bridge(of: owner, secrets, in: surroundings))
        }
        return inside[inside.count - 1]
    }

    /// Objects of different owners have the same paths. As long as an application in a sandbox is a client, the signals
    /// of the programs outside go to these alone: a sandbox lets all signals of a service in, and a library would take
    /// them for those of its own objects.
    private func noteAudience() { outside.isHeardByAll = inside.allSatisfy(\.callers.isEmpty) }

    /// Notes which client has a name on the bus now; empty for none.
    func named(_ name: String, _ owner: String) {
        guard name.hasPrefix(":") else { return clients.note(owner, of: name) }
        guard owner.isEmpty else { return clients.arrived(name) }
        clients.forget(name)
        owners[name] = nil
        for bridge in [outside] + inside { bridge.forget(name) }
        noteAudience()
    }

    // MARK: - Questions

    /// Asks for the first prompt that waits. Programs outside of sandboxes come first, then the application that has
    /// asked longest ago: none is behind all prompts of another one.
    func proceed() {
        for bridge in [outside] + inside.sorted(by: { $0.prompts.last < $1.prompts.last }) { bridge.prompts.proceed() }
    }

    /// Takes the outcome of a question.
    func end(_ number: Int, _ outcome: SecretPrompts.Outcome) {
        for bridge in [outside] + inside { bridge.prompts.end(number, outcome) }
    }
}
