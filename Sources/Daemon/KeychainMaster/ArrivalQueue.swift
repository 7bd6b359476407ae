/// Connections that wait for a daemon, due in turn by the user that made them.
///
/// Any user may connect to the system's keychain, and a daemon takes time to start. Where too many connections wait,
/// the last one of the user that has most is closed, so that a crowd takes nobody's place but its own. Connections of
/// root come first, and stay.
struct ArrivalQueue {
    private var waiting: [UInt32: [UserDaemon.Arrival]] = [:]
    /// Whose turn it is, the next one in front.
    private var turns: [UInt32] = []
    private var count = 0

    private static let most = 64
    private static let blockBits = 16 as UInt32

    var isEmpty: Bool { turns.isEmpty }
    /// The next step.
    var next: UserDaemon.Arrival? { turns.first.flatMap { waiting[$0]?.first } }

    /// Adds a connection.
    ///
    /// - Returns: the one that has to go for it; nil where there is room.
    mutating func put(_ arrival: UserDaemon.Arrival) -> UserDaemon.Arrival? {
        let name = Self.name(of: arrival.user)
        if waiting[name] == nil { turns.insert(name, at: name == 0 ? 0 : turns.count) }
        waiting[name, default: []].append(arrival)
        count += 1
        return count > Self.most ? crowdedOut() : nil
    }

    /// Takes out what is due.
    mutating func take() -> UserDaemon.Arrival? {
        guard let name = turns.first, var own = waiting[name], !own.isEmpty else { return nil }
        turns.removeFirst()
        count -= 1
        let arrival = own.removeFirst()
        waiting[name] = own.isEmpty ? nil : own
        if !own.isEmpty { turns.append(name) }
        return arrival
    }

    private mutating func crowdedOut() -> UserDaemon.Arrival? {
        let others = turns.filter { $0 != 0 }
        guard let most = (others.isEmpty ? turns : others).max(by: { length(of: $0) < length(of: $1) }) else {
            return nil
        }
        count -= 1
        let arrival = waiting[most]?.popLast()
        if length(of: most) == 0 {
            waiting[most] = nil
            turns.removeAll { $0 == most }
        }
        return arrival
    }

    private func length(of name: UInt32) -> Int { waiting[name]?.count ?? 0 }

    /// The users that share a turn. A user's subordinate numbers lie next to each other, far from those of accounts,
    /// and are one user's.
    private static func name(of user: UInt32) -> UInt32 {
        user >> blockBits == 0 ? user : (user >> blockBits) << blockBits
    }
}
