import CSystemd
import Glibc
import LinuxSystem

/// An object of a service with one of its interfaces.
package struct BusObject: Hashable, Sendable {
    package var service: String
    package var path: String
    package var interface: String

    package init(_ service: String, _ path: String, _ interface: String) {
        (self.service, self.path, self.interface) = (service, path, interface)
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

    /// There is no answer in time.
    package static let timedOut = BusError(code: ETIMEDOUT)

    /// The bus names no process for a client.
    package static let noProcess = BusError(code: ENODATA)

    /// An error that a service, or the bus, has answered with.
    package init(name: String, code: CInt) { (self.name, self.code) = (name, code) }
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
