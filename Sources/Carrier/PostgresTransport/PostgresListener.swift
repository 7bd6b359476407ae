import LinuxSystem
import SyncFormat
import SyncTransports

/// A connection that is told of changes. A pooler keeps notifications to itself, and lets every session listen. So the
/// machine notifies itself, by another connection: what it is told then shows that it is told of others' changes too.
final class PostgresListener {
    private let connection: PostgresConnection
    private let statement: String
    private let own: String
    private var isTold = false

    /// Milliseconds after which the server is asked whether the connection lasts.
    private static let checkMilliseconds: UInt64 = 900_000
    private var nextCheck: UInt64

    /// - Parameter now: milliseconds of a clock that does not go back.
    init(
        _ address: PostgresAddress, _ circle: CircleID, _ device: MemberID, now: UInt64, until deadline: Deadline
    ) throws(TransportProblem) {
        own = Self.channel(of: device)
        statement = "LISTEN keychain_sync_\(circle.text); LISTEN \(own)"
        nextCheck = now + Self.checkMilliseconds
        connection = try .open(address, until: deadline)
        try connection.run(statement, until: deadline)
    }

    /// The channel on which a machine notifies itself.
    static func channel(of device: MemberID) -> String { "keychain_sync_\(device.text)" }

    /// When ``work(_:until:)`` has something to do.
    func due(_ looks: Looks) -> UInt64 { min(nextCheck, isTold ? .max : looks.next ?? .max) }

    /// Waits for a change of the circle.
    func wait(until deadline: Deadline) throws(TransportProblem) -> Bool {
        let heard = try connection.notifications(own: own, until: deadline)
        // A server that repeats it is no reason to wait less than for others.
        let isRepeated = isTold && heard.own
        isTold = isTold || heard.own
        return heard.others || isRepeated
    }

    /// Asks the server whether the connection lasts, from time to time.
    ///
    /// - Returns: whether to look, because nothing is told.
    /// - Throws: where the server does not answer by this connection any more.
    func work(_ looks: Looks, until deadline: Deadline) throws(TransportProblem) -> Bool {
        if looks.now >= nextCheck {
            nextCheck = looks.now + Self.checkMilliseconds
            // To listen once more changes nothing.
            try connection.run(statement, until: deadline)
        }
        return !isTold && looks.take()
    }
}
