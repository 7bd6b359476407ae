import CSystemd
import Glibc
package import LinuxSystem

/// A connection to the system bus, or a session's (D-Bus, through libsystemd's sd-bus). Belongs to one thread.
///
/// The address is the system's, or that in `DBUS_SYSTEM_BUS_ADDRESS`; the starter of the agent controls its
/// environment.
package final class SystemBus {
    private let connection: BusConnection
    /// Readable when a message has come. Signals that came during a call wait in ``nextSignal()``.
    package var descriptor: FileDescriptor { connection.descriptor }

    /// The time limit of a call in milliseconds.
    private static let timeout = 5_000

    /// Connects.
    ///
    /// - Throws: ``BusError`` when there is no bus, or it refuses this process.
    package init() throws(BusError) {
        var bus: OpaquePointer?
        try check(unsafe sd_bus_open_system(&bus))
        guard let bus = unsafe bus else { throw BusError(code: ENOTCONN) }
        connection = try unsafe BusConnection(owning: bus)
    }

    /// Connects to a session's bus.
    ///
    /// - Parameter address: as in `DBUS_SESSION_BUS_ADDRESS`.
    /// - Throws: as ``init()``.
    package init(session address: String) throws(BusError) {
        connection = try unsafe BusConnection(owning: connectBus(at: address))
    }

    /// Calls a method and waits a few seconds at most for its answer, which counts from the called service alone.
    ///
    /// - Throws: ``BusError`` with the name of the error from the service, or of the transport.
    @discardableResult
    package func call(
        _ object: BusObject, _ method: String, _ arguments: [BusValue] = []
    ) throws(BusError) -> BusMessage {
        try connection.call(object, method, arguments, until: .after(milliseconds: Self.timeout))
    }

    /// Calls a method, and gives its whole answer. The values may be secrets, so the library wipes the messages.
    ///
    /// - Parameter patience: the time for the answer, in milliseconds; nil for the usual one, of which no user knows.
    /// - Throws: ``BusError`` as ``call(_:_:_:)``.
    package func ask(
        _ object: BusObject, _ method: String, _ values: [BusValue] = [], within patience: Int? = nil
    ) throws(BusError) -> [BusValue] {
        let deadline = Deadline.after(milliseconds: patience ?? Self.timeout)
        return try connection.call(object, method, values, until: deadline, isSensitive: true).readAll()
    }

    /// Reads a property; the message is inside of its value.
    ///
    /// - Parameter type: the signature of the value.
    /// - Throws: ``BusError`` as ``call(_:_:_:)``.
    package func property(_ object: BusObject, _ name: String, _ type: String) throws(BusError) -> BusMessage {
        // The library's own function refuses names such as `scan-type`.
        let properties = BusObject(object.service, object.path, "org.freedesktop.DBus.Properties")
        let reply = try call(properties, "Get", [.text(object.interface), .text(name)])
        try reply.enterVariant(type)
        return reply
    }

    /// Subscribes to the signals of a service, which ``nextSignal()`` returns.
    ///
    /// - Parameter rule: further conditions, as in `AddMatch`.
    /// - Throws: ``BusError``.
    package func watch(_ service: String, _ rule: String = "") throws(BusError) {
        try connection.watch(service, rule, until: .after(milliseconds: Self.timeout))
    }

    /// The next received signal of a watched service; nil when there is none yet.
    ///
    /// - Throws: ``BusError`` when the bus has closed the connection.
    package func nextSignal() throws(BusError) -> BusMessage? {
        while true {
            switch try connection.next() {
            case .message(let message) where message.sender != BusConnection.driver.service: return message
            case .message, .handled: break
            case .nothing: return nil
            }
        }
    }
}
