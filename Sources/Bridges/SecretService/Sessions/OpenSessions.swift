/// The sessions that clients have open, by their names in paths.
struct OpenSessions {
    private var sessions: [String: SecretSession] = [:]
    /// The names of each client's, the oldest first.
    private var names: [String: [String]] = [:]
    /// The clients of each process that have sessions.
    private var clients: [String: Set<String>] = [:]

    /// The most sessions of a process, and of all; of more, the oldest ends. A session is a key of 16 bytes, and
    /// Python's SecretStorage opens one for each item that it reads.
    static let mostOfProcess = 4096, most = 4 * mostOfProcess

    subscript(name: String) -> SecretSession? { sessions[name] }

    /// The names of a client's sessions.
    func names(of client: String) -> [String] { names[client] ?? [] }

    /// Opens a session of a process. Where there are too many, the oldest ends of the process that has the most.
    mutating func open(_ session: SecretSession, _ name: String, by owner: String) {
        if count(of: owner) >= Self.mostOfProcess {
            closeOldest(of: owner)
        } else if sessions.count >= Self.most, let most = clients.keys.max(by: { count(of: $0) < count(of: $1) }) {
            closeOldest(of: most)
        }
        clients[owner, default: []].insert(session.client)
        names[session.client, default: []].append(name)
        sessions[name] = session
    }

    private func count(of owner: String) -> Int {
        (clients[owner] ?? []).reduce(0) { $0 + (names[$1]?.count ?? 0) }
    }

    /// Of several connections, that with the most sessions loses its oldest.
    private mutating func closeOldest(of owner: String) {
        let client = clients[owner]?.max { names(of: $0).count < names(of: $1).count }
        if let name = client.flatMap({ names[$0]?.first }) { close(name) }
    }

    mutating func close(_ name: String) {
        guard let client = sessions.removeValue(forKey: name)?.client else { return }
        if let index = names[client]?.firstIndex(of: name) { names[client]?.remove(at: index) }
        if names(of: client).isEmpty { leave(client) }
    }

    mutating func closeAll(of client: String) {
        for name in names(of: client) { sessions[name] = nil }
        leave(client)
    }

    private mutating func leave(_ client: String) {
        guard names.removeValue(forKey: client) != nil else { return }
        for owner in clients.keys { clients[owner]?.remove(client) }
        clients = clients.filter { !$0.value.isEmpty }
    }
}
