/// The sessions that clients have open, by their names in paths.
struct OpenSessions {
    private var sessions: [String: SecretSession] = [:]
    /// The names of each client's, the oldest first.
    private var names: [String: [String]] = [:]

    /// The most sessions of a client; of more, the oldest ends. A session is a key of 16 bytes, and Python's
    /// SecretStorage opens one for each item that it reads.
    static let mostOfClient = 4096

    subscript(name: String) -> SecretSession? { sessions[name] }

    /// The names of a client's sessions.
    func names(of client: String) -> [String] { names[client] ?? [] }

    mutating func open(_ session: SecretSession, _ name: String) {
        var own = names[session.client] ?? []
        if own.count >= Self.mostOfClient { sessions[own.removeFirst()] = nil }
        names[session.client] = own + [name]
        sessions[name] = session
    }

    mutating func close(_ name: String) {
        guard let session = sessions.removeValue(forKey: name) else { return }
        names[session.client]?.removeAll { $0 == name }
    }

    mutating func closeAll(of client: String) {
        for name in names.removeValue(forKey: client) ?? [] { sessions[name] = nil }
    }
}
