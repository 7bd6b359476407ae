package import KeychainModel
import KeychainPolicy
import KeychainWire
package import LinuxSystem

/// A credential that the service manager fetches for a unit (`LoadCredential=` with the path of our socket,
/// systemd.exec(5)).
///
///     peer = random "/unit/" unit "/" credential     ; the abstract name that the service manager binds its end to
///
/// The answer is the item's value, and the end of the connection; nothing when there is none. The value is that of the
/// generic password whose service is the credential's name, in the unit's group of the system's keychain.
package struct UnitCredential: Equatable, Sendable {
    package let unit: String
    package let name: String

    private static let longestName = 255

    /// Reads the name of a peer; nil when it is none of a service manager's.
    package init?(peer: String) {
        let parts = peer.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[1] == "unit", !parts[0].isEmpty else { return nil }
        guard [parts[2], parts[3]].allSatisfy({ !$0.isEmpty && $0.utf8.count <= Self.longestName }) else { return nil }
        (unit, name) = (String(parts[2]), String(parts[3]))
    }

    /// Looks the value up, with the identity of the unit.
    ///
    /// - Throws: the engine's refusal; `errSecItemNotFound` when there is no such item.
    package func find(in handler: some RequestHandler, by deadline: Deadline) throws(Refusal) -> SecretBytes {
        let group = AccessGroup.unitPrefix + unit
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string(ItemClass.genericPassword.code))
        try builder.set("svce", .string(name))
        try builder.set("agrp", .string(group))
        try builder.set("m_Limit", .string("m_LimitOne"))
        try builder.set("r_Data", .boolean(true))
        let caller = CallerIdentity(user: 0, process: 0, program: unit, provenance: .unit(unit), groups: [group])
        let writer = ResponseWriter()
        try handler.makeItemReader().read(try builder.build(), from: caller, id: 0, by: deadline, into: writer)
        let answer = writer.complete()
        let response = try ItemResponse(status: answer.status, body: answer.body)
        return response.items.first?.attributes.secret(.valueData) ?? SecretBytes(count: 0)
    }
}

/// Answers the service manager. Each answer has a thread of its own for the moment it takes: the asking process is
/// root, and it starts units one by one.
package struct CredentialDesk: Sendable {
    private let handler: any RequestHandler
    private let log: ServerLog
    /// How often the log has lines that the asking process causes.
    private let rateLimits = Monitor(LogPaces())

    /// How long an answer may take, milliseconds: what starts a unit waits for it.
    private static let timeout = 10_000

    package init(_ handler: any RequestHandler, log: @escaping ServerLog) { (self.handler, self.log) = (handler, log) }

    /// Answers the service manager at the other end, and closes. Anybody but root gets nothing.
    @Sendable package func take(_ connection: UnixSocket) {
        do throws(SystemError) {
            _ = try Thread(named: "keychain-unit") { answer(connection) }
        } catch { note("a unit's credential was not answered: \(error)", of: 0) }
    }

    private func answer(_ connection: UnixSocket) {
        let deadline = Deadline.after(milliseconds: Self.timeout)
        let user = try? PeerNumbers(of: connection).user
        guard user == 0 else { return note("refused a credential to another user", of: user ?? .max) }
        let peer = try? connection.peerAbstractName()
        guard let credential = peer.flatMap(UnitCredential.init(peer:)) else {
            return note("refused a credential: the peer's name names no unit", of: 0)
        }
        do throws(Refusal) {
            let value = try credential.find(in: handler, by: deadline)
            guard value.count > 0 else { return }
            // A service manager that has gone needs no answer.
            value.withSpan { bytes in try? connection.sendFully(bytes, deadline: deadline) }
        } catch {
            note(
                "no credential \(credential.name) for \(credential.unit): \(error.rule.rawValue): \(error.problem)",
                of: 0)
        }
    }

    private func note(_ line: String, of user: UInt32) {
        if let line = rateLimits.update({ $0.admit(line, of: user) }) { log(line) }
    }
}
