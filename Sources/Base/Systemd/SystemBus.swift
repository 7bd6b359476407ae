import CSystemd
import Glibc
package import LinuxSystem

/// A connection to the system bus, or a session's (D-Bus, through libsystemd's sd-bus). Belongs to one thread.
///
/// The address is the system's, or that in `DBUS_SYSTEM_BUS_ADDRESS`; the starter of the agent controls its
/// environment.
@safe package final class SystemBus {
    private let bus: OpaquePointer
    /// Readable when a message has come.
    package let descriptor: FileDescriptor

    /// The time limit of a call in microseconds.
    private static let timeout: UInt64 = 5_000_000

    /// Connects.
    ///
    /// - Throws: ``BusError`` when there is no bus, or it refuses this process.
    package init() throws(BusError) {
        var bus: OpaquePointer?
        try check(unsafe sd_bus_open_system(&bus))
        guard let bus = unsafe bus else { throw BusError(code: ENOTCONN) }
        unsafe self.bus = bus
        descriptor = try duplicate(unsafe sd_bus_get_fd(bus))
    }

    /// Connects to a session's bus.
    ///
    /// - Parameter address: as in `DBUS_SESSION_BUS_ADDRESS`.
    /// - Throws: as ``init()``.
    package init(session address: String) throws(BusError) {
        unsafe bus = try connectBus(at: address)
        descriptor = try duplicate(unsafe sd_bus_get_fd(bus))
    }

    deinit { unsafe sd_bus_flush_close_unref(bus) }

    /// Calls a method and waits a few seconds at most for its answer.
    ///
    /// - Throws: ``BusError`` with the name of the error from the service, or of the transport.
    @discardableResult
    package func call(
        _ object: BusObject, _ method: String, _ arguments: [BusArgument] = [], timeout: UInt64 = timeout
    ) throws(BusError) -> BusMessage {
        var message: OpaquePointer?
        try check(
            unsafe sd_bus_message_new_method_call(
                bus, &message, object.service, object.path, object.interface, method))
        defer { unsafe sd_bus_message_unref(message) }
        for argument in arguments { try unsafe argument.append(to: message) }
        return try unsafe send(message, timeout)
    }

    /// Calls a method with values of any type, and gives its whole answer. The values may be secrets, so the library
    /// wipes the messages.
    ///
    /// - Throws: ``BusError`` as ``call(_:_:_:timeout:)``.
    package func ask(
        _ object: BusObject, _ method: String, _ values: [BusValue] = []
    ) throws(BusError) -> [BusValue] {
        var message: OpaquePointer?
        try check(
            unsafe sd_bus_message_new_method_call(
                bus, &message, object.service, object.path, object.interface, method))
        defer { unsafe sd_bus_message_unref(message) }
        unsafe sd_bus_message_sensitive(message)
        for value in values { try unsafe value.append(to: message) }
        let reply = try unsafe send(message, Self.timeout)
        unsafe sd_bus_message_sensitive(reply.message)
        return try reply.readAll()
    }

    private func send(_ message: OpaquePointer?, _ timeout: UInt64) throws(BusError) -> BusMessage {
        var (error, reply) = (unsafe sd_bus_error(), unsafe OpaquePointer?.none)
        defer { unsafe sd_bus_error_free(&error) }
        let result = unsafe sd_bus_call(bus, message, timeout, &error, &reply)
        guard result >= 0, let reply = unsafe reply else { throw unsafe BusError(error, result) }
        return unsafe BusMessage(owning: reply)
    }

    /// Reads a property; the message is inside of its value.
    ///
    /// - Parameter type: the signature of the value.
    /// - Throws: ``BusError`` as ``call(_:_:_:timeout:)``.
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
        let daemon = BusObject("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
        let whole = "type='signal',sender='\(service)'" + (rule.isEmpty ? "" : "," + rule)
        try call(daemon, "AddMatch", [.text(whole)])
    }

    /// The next received signal; nil when there is none yet.
    ///
    /// - Throws: ``BusError`` when the bus has closed the connection.
    package func nextSignal() throws(BusError) -> BusMessage? {
        while true {
            var message: OpaquePointer?
            let result = unsafe sd_bus_process(bus, &message)
            try check(result)
            if let message = unsafe message {
                let message = unsafe BusMessage(owning: message)
                if message.isSignal { return message }
            } else if result == 0 {
                return nil
            }
        }
    }
}

/// An object of a service with one of its interfaces.
package struct BusObject: Hashable, Sendable {
    package var service: String
    package var path: String
    package var interface: String

    package init(_ service: String, _ path: String, _ interface: String) {
        (self.service, self.path, self.interface) = (service, path, interface)
    }
}

/// An argument of a method.
package enum BusArgument: Sendable {
    case text(String)
    case number(UInt32)

    fileprivate func append(to message: OpaquePointer?) throws(BusError) {
        switch self {
        case .text(let text): try check(unsafe sd_bus_message_append_basic(message, typeCode("s"), text))
        case .number(var number): try check(unsafe sd_bus_message_append_basic(message, typeCode("u"), &number))
        }
    }
}

/// Why a bus operation failed.
package struct BusError: Error, Hashable, Sendable {
    /// The name of the error, `net.reactivated.Fprint.Error.NoSuchDevice` for example; empty when no service gave it.
    package let name: String
    /// The `errno` of the failure.
    package let code: CInt

    init(code: CInt) { (name, self.code) = ("", code) }

    /// The connection is not there any more.
    package static let gone = BusError(code: ENOTCONN)

    fileprivate init(_ error: sd_bus_error, _ result: CInt) {
        name = unsafe error.name.map { unsafe String(cString: $0) } ?? ""
        code = -min(result, 0)
    }
}

/// Connects to a bus at an address.
func connectBus(at address: String) throws(BusError) -> OpaquePointer {
    var bus: OpaquePointer?
    try check(unsafe sd_bus_new(&bus))
    guard let bus = unsafe bus else { throw BusError(code: ENOMEM) }
    do throws(BusError) {
        try check(unsafe sd_bus_set_address(bus, address))
        try check(unsafe sd_bus_set_bus_client(bus, 1))
        try check(unsafe sd_bus_start(bus))
    } catch {
        unsafe sd_bus_unref(bus)
        throw error
    }
    return unsafe bus
}

/// Turns a negative result of the library into an error.
func check(_ result: CInt) throws(BusError) {
    if result < 0 { throw BusError(code: -result) }
}

/// A duplicate of a descriptor that the library owns.
func duplicate(_ number: CInt) throws(BusError) -> FileDescriptor {
    do throws(SystemError) {
        return try FileDescriptor.duplicate(number)
    } catch { throw BusError(code: error.code) }
}

/// A type of the bus in the form that the library takes.
func typeCode(_ type: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: type.value) }
