package import LinuxSystem
package import SyncFormat
package import SyncTransports

/// A circle on a PostgreSQL server (``ServerSchema``).
///
/// Each machine has a token of its own, which the server knows by its hash. A wrong one is an error, never an empty
/// answer. Batches and tokens are parameters, so that no query of them is in the server's log.
package final class PostgresTransport: SyncTransport {
    private let address: PostgresAddress
    private let circle: CircleID
    private let device: MemberID
    private let token: [UInt8]
    private let invitation: [UInt8]
    private let connection = Lock<PostgresConnection?>(nil)
    private let listener = Lock<PostgresListener?>(nil)
    private let dismissal = Lock<Dismissal?>(nil)
    private let unregistered = Lock<Set<MemberID>>([])

    /// All that the server was told last of removed machines.
    private struct Dismissal: Equatable {
        let gone: [MemberID]
        let cut: [MemberID]
        let members: [MemberID]
    }

    private let patience: Int
    private let looks: Looks

    /// - Parameters:
    ///   - token: 32 random bytes that this machine alone has.
    ///   - invitation: lets this machine make the circle on the server, or enter it; empty where the server knows it.
    ///   - patience: the time for one call, in milliseconds.
    ///   - looks: when the server is looked at where a pooler keeps its notifications.
    package init(
        _ address: PostgresAddress, circle: CircleID, device: MemberID, token: [UInt8], invitation: [UInt8] = [],
        patience: Int = 30_000, looks: Looks = Looks()
    ) {
        (self.address, self.circle, self.device) = (address, circle, device)
        (self.token, self.invitation) = (token, invitation)
        (self.patience, self.looks) = (patience, looks)
    }

    package func found() throws(TransportProblem) {
        _ = try call("found", [.bytes(invitation), .bytes(circle.bytes), .bytes(device.bytes), .bytes(token)])
    }

    /// A machine with an invitation into a circle, which reads the circle before it has keys there.
    package static func visitor(
        _ address: PostgresAddress, circle: CircleID, invitation: [UInt8]
    ) -> PostgresTransport {
        PostgresTransport(address, circle: circle, device: .none, token: invitation)
    }

    /// Whether the server is ready for this release, and takes the invitation for a new circle. Nothing is changed.
    ///
    /// - Throws: ``TransportProblem``.
    package func check() throws(TransportProblem) {
        try checkVersion()
        if !invitation.isEmpty { _ = try call("invited", [.bytes(invitation)]) }
    }

    /// The circle that the invitation lets a machine into. Nothing is changed.
    ///
    /// - Throws: ``TransportProblem``, also where the invitation is for a new circle.
    package func circleOfInvitation() throws(TransportProblem) -> CircleID {
        try checkVersion()
        guard let bytes = try call("invited_to", [.bytes(invitation)]).first?.first ?? nil, bytes.count == CircleID.size
        else { throw .refused("the server names no circle") }
        return CircleID(bytes)
    }

    private func checkVersion() throws(TransportProblem) {
        guard try version() >= ServerSchema.version else {
            throw .refused("the server is of an older release: its administrator has to install this one")
        }
    }

    private func version() throws(TransportProblem) -> Int {
        let version = (try call("version", []).first?.first ?? nil) ?? []
        return version.reduce(0) { $0 << 8 | Int($1) }
    }

    package func admit(_ newcomer: MemberID, tokenHash: [UInt8]) throws(TransportProblem) {
        _ = try call("register", own + [.bytes(newcomer.bytes), .bytes(tokenHash)])
    }

    /// Takes the tokens of other machines away, and those that these have registered: once for each connection, until
    /// there are others. A server that was restored from a backup has them again.
    ///
    /// A server of an older release ends the tokens of the known ones alone, and all of them for good. It ends the
    /// others too when it has this release.
    package func dismiss(
        _ gone: [MemberID], cut: [MemberID], keeping members: [MemberID]
    ) throws(TransportProblem) {
        let next = Dismissal(gone: gone, cut: cut, members: members)
        guard !gone.isEmpty, dismissal.withLock({ $0 != next }) else { return }
        guard try version() >= ServerSchema.dismissing else { return try unregister(gone + cut) }
        _ = try call("dismiss", own + [.list(gone), .list(cut), .list(members)])
        dismissal.withLock { $0 = next }
    }

    private func unregister(_ gone: [MemberID]) throws(TransportProblem) {
        for member in gone where !unregistered.withLock({ $0.contains(member) }) {
            _ = try call("unregister", own + [.bytes(member.bytes)])
            unregistered.withLock { _ = $0.insert(member) }
        }
    }

    package func commit(_ bytes: [UInt8], in slot: SyncSlot) throws(TransportProblem) -> Commitment {
        try slot.check(bytes, of: circle)
        guard slot.device == device else { throw .refused("a machine writes its own log") }
        let rows = try call("commit", own + [.seq(slot.seq), .part(slot.part), .bytes(bytes)])
        guard let there = rows.first?.first ?? nil else {
            looks.noteCommit(slot)
            return .done
        }
        return there == bytes ? .done : .occupied(there)
    }

    package func discard(_ slots: [SyncSlot]) throws(TransportProblem) {
        for (device, slots) in Dictionary(grouping: slots, by: \.device).sorted(by: { $0.key < $1.key }) {
            let places = slots.map { String($0.seq) }
            let parts = slots.map { $0.part.map(String.init) ?? "-1" }
            _ = try call("discard", own + [.bytes(device.bytes), .list(places), .list(parts)])
        }
    }

    package func read(_ slot: SyncSlot) throws(TransportProblem) -> [UInt8]? {
        guard slot.circle == circle else { return nil }
        let rows = try call("read", own + [.bytes(slot.device.bytes), .seq(slot.seq), .part(slot.part)])
        return rows.first?.first ?? nil
    }

    package func changes(
        after heads: [MemberID: UInt64], atMost most: Int
    ) throws(TransportProblem) -> TransportChanges {
        let ends = try call("ends", own)
        let known = heads.sorted { $0.key < $1.key }
        let logs = PostgresConnection.Value.list(known.map(\.key))
        let places = PostgresConnection.Value.list(known.map { String($0.value) })
        let rows = try call("changes", own + [logs, places, .text(String(max(most, 1)))])
        let changes = TransportChanges(of: circle, ends, rows, after: heads, atMost: most)
        looks.noteLook(changes.ends)
        return changes
    }

    package func wait(until deadline: Deadline) throws(TransportProblem) -> Bool {
        try listener.withLock { (listener) throws(TransportProblem) -> Bool in
            do throws(TransportProblem) {
                if let open = listener { return try wait(open, until: deadline) }
                listener = try listen(until: min(deadline, .after(milliseconds: patience)))
                // The server tells nothing of what came before.
                return true
            } catch {
                listener = nil
                if deadline.hasPassed { return false }
                throw error
            }
        }
    }

    private func listen(until deadline: Deadline) throws(TransportProblem) -> PostgresListener {
        let new = try PostgresListener(address, circle, device, now: looks.now, until: deadline)
        // Where this fails, nothing is told, and looks go on.
        _ = try? ask("SELECT pg_notify($1, '')", [.text(PostgresListener.channel(of: device))])
        return new
    }

    private func wait(_ open: PostgresListener, until deadline: Deadline) throws(TransportProblem) -> Bool {
        while true {
            let due = open.due(looks)
            if try open.wait(until: min(deadline, looks.deadline(of: due))) { return true }
            if looks.now >= due, try open.work(looks, until: .after(milliseconds: patience)) { return true }
            if deadline.hasPassed { return false }
        }
    }
}

// MARK: - Calls

extension PostgresTransport {
    private var own: [PostgresConnection.Value] { [.bytes(circle.bytes), .bytes(device.bytes), .bytes(token)] }

    /// Calls a function of the schema. A connection that is kept may have ended since, with its server or on the way:
    /// such a call is made once more over a new one. It may have been done already, and changes nothing then.
    private func call(
        _ function: String, _ values: [PostgresConnection.Value]
    ) throws(TransportProblem) -> [PostgresConnection.Row] {
        let places = values.enumerated().map { "$\($0 + 1)\($1.type)" }.joined(separator: ", ")
        return try ask("SELECT * FROM keychain_sync.\(function)(\(places))", values)
    }

    private func ask(
        _ query: String, _ values: [PostgresConnection.Value]
    ) throws(TransportProblem) -> [PostgresConnection.Row] {
        let deadline = Deadline.after(milliseconds: patience)
        return try connection.withLock { (open) throws(TransportProblem) -> [PostgresConnection.Row] in
            if let kept = open {
                do throws(TransportProblem) { return try kept.query(query, values, until: deadline) } catch {
                    guard kept.hasEnded else {
                        // One that has not answered in time may answer what was asked before.
                        if !error.isAnswer { open = nil }
                        throw error
                    }
                    open = nil
                }
            }
            let new = try PostgresConnection.open(address, until: deadline)
            dismissal.withLock { $0 = nil }
            unregistered.withLock { $0 = [] }
            do throws(TransportProblem) {
                let rows = try new.query(query, values, until: deadline)
                open = new
                return rows
            } catch {
                if error.isAnswer, !new.hasEnded { open = new }
                throw error
            }
        }
    }
}

extension TransportChanges {
    /// Takes what the rows of a server's answers say. A row that says nothing is none, and so is a batch that is not in
    /// order or that the reader has.
    init(
        of circle: CircleID, _ ends: [PostgresConnection.Row], _ rows: [PostgresConnection.Row],
        after heads: [MemberID: UInt64], atMost most: Int
    ) {
        self.init()
        for case let (device, seq)? in ends.map(Self.place) { self.ends[device] = max(self.ends[device] ?? 0, seq) }
        var (last, budget) = (heads, ByteBudget(atMost: most))
        for row in rows {
            guard let (device, seq) = Self.place(row), row.count > 2, let bytes = row[2], seq > last[device] ?? 0,
                budget.hasRoom
            else { continue }
            last[device] = seq
            budget.take(bytes)
            batches.append((SyncSlot(circle: circle, device: device, seq: seq), bytes))
        }
        isComplete = self.ends.allSatisfy { last[$0.key] ?? 0 >= $0.value }
    }

    private static func place(_ row: PostgresConnection.Row) -> (MemberID, UInt64)? {
        guard row.count > 1, let device = row[0], let seq = row[1], device.count == 16, seq.count == 8 else {
            return nil
        }
        return (MemberID(device), seq.reduce(0) { $0 << 8 | UInt64($1) })
    }
}

extension TransportProblem {
    /// Whether the server has answered: its connection is as good as before.
    fileprivate var isAnswer: Bool {
        switch self {
        case .refused, .noEntrance: true
        case .missing, .unreachable, .system: false
        }
    }
}

extension PostgresConnection.Value {
    fileprivate static func seq(_ seq: UInt64) -> Self { .text(String(seq)) }
    fileprivate static func part(_ part: UInt32?) -> Self { .text(part.map { String($0) } ?? "-1") }
    fileprivate static func list(_ values: [String]) -> Self { .text("{\(values.joined(separator: ","))}") }
    fileprivate static func list(_ members: [MemberID]) -> Self { list(members.map { "\"\\\\x\($0.text)\"" }) }

    /// Text has the type that the function takes.
    fileprivate var type: String {
        if case .bytes = self { "::bytea" } else { "" }
    }
}
