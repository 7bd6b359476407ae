import LinuxSystem

/// Questions to the bus itself, over a connection of their own: an answer waits for nothing that programs send to a
/// service. Messages to this connection are dropped. Where there are many, a new connection takes its place.
final class BusInquiries {
    private let address: String
    private var connection: BusConnection?

    /// The time limit of a question, in milliseconds.
    static let timeout = 2_000

    /// So many messages are dropped before the connection itself is.
    private static let mostDropped = 1024

    init(address: String) { self.address = address }

    /// Calls a method of the bus.
    ///
    /// - Throws: ``BusError`` with the name of the bus's error, or of the transport: `ETIMEDOUT` without an answer.
    func ask(_ method: String, _ arguments: [BusValue]) throws(BusError) -> BusMessage {
        let deadline = Deadline.after(milliseconds: Self.timeout)
        return try quietOne().call(BusConnection.driver, method, arguments, until: deadline)
    }

    /// Drops what has come meanwhile, so that the bus does not keep it.
    func rest() {
        guard let connection, (try? connection.drop(atMost: Self.mostDropped)) != true else { return }
        self.connection = nil
    }

    private func quietOne() throws(BusError) -> BusConnection {
        rest()
        if let connection { return connection }
        let made = try unsafe BusConnection(owning: connectBus(at: address))
        connection = made
        return made
    }
}
