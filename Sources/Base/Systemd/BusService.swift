import CSystemd
import Glibc
package import LinuxSystem

/// A program's end of a bus on which it offers objects (D-Bus, through libsystemd's sd-bus). Belongs to one thread.
@safe package final class BusService {
    /// Answers a call, or throws what the caller is told.
    package typealias Handler = (BusCall) throws(BusFailure) -> BusAnswer

    private let bus: OpaquePointer
    private let handler: Handler
    private let named: (String, Bool) -> Void
    /// Readable when a message has come.
    package let descriptor: FileDescriptor
    /// Calls that are answered in steps, in turn.
    private var started: [(message: BusMessage, step: BusAnswer.Step)] = []

    /// Connects.
    ///
    /// - Parameters:
    ///   - address: as in `DBUS_SESSION_BUS_ADDRESS`.
    ///   - prefix: the path below which all objects are.
    ///   - named: called with the unique name of each client that comes to the bus, or leaves it; whether it is there.
    ///   - handler: called with every method call to one of the objects.
    /// - Throws: ``BusError`` when there is no bus, or it refuses this process.
    package init(
        address: String, below prefix: String, named: @escaping (String, Bool) -> Void, _ handler: @escaping Handler
    ) throws(BusError) {
        (self.handler, self.named) = (handler, named)
        unsafe bus = try connectBus(at: address)
        descriptor = try duplicate(unsafe sd_bus_get_fd(bus))
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        try check(
            unsafe sd_bus_add_fallback(
                bus, nil, prefix, { message, service, _ in unsafe answer(message, service) }, me))
        let names =
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged'"
        try check(
            unsafe sd_bus_add_match(bus, nil, names, { message, service, _ in unsafe note(message, service) }, me))
    }

    deinit { unsafe sd_bus_flush_close_unref(bus) }

    /// Takes a well-known name. Nobody is replaced, and nobody waits in a queue for it.
    ///
    /// - Throws: ``BusError`` with `EEXIST` when another program has it.
    package func takeName(_ name: String) throws(BusError) { try check(unsafe sd_bus_request_name(bus, name, 0)) }

    /// The most calls that are answered in steps at once; before more are taken, others go on.
    private static let mostStarted = 256

    /// Handles the messages that have come, sends what is to be sent, and takes one step of the calls that are answered
    /// in steps.
    ///
    /// - Throws: ``BusError`` when the bus has closed the connection.
    package func process() throws(BusError) {
        while started.count < Self.mostStarted {
            let result = unsafe sd_bus_process(bus, nil)
            try check(result)
            if result == 0 { break }
        }
        goOn()
    }

    /// Whether there are calls that are answered in steps: ``process()`` is to be called again without a message.
    package var isBusy: Bool { !started.isEmpty }

    private func goOn() {
        guard !started.isEmpty else { return }
        let (message, step) = started.removeFirst()
        unsafe settle(message.message) { () throws(BusFailure) in
            if let values = try step() { return values }
            started.append((message, step))
            return nil
        }
    }

    /// Whether something could not be sent yet.
    package var isWaitingToSend: Bool { (unsafe sd_bus_get_events(bus)) & CInt(POLLOUT) != 0 }

    /// Sends a signal to everybody, or to one client.
    ///
    /// - Throws: ``BusError`` when the connection is lost.
    package func emit(
        _ member: String, of interface: String, from path: String, to client: String? = nil, _ values: [BusValue]
    ) throws(BusError) {
        var message: OpaquePointer?
        try check(unsafe sd_bus_message_new_signal(bus, &message, path, interface, member))
        defer { unsafe sd_bus_message_unref(message) }
        if let client { try check(unsafe sd_bus_message_set_destination(message, client)) }
        for value in values { try unsafe value.append(to: message) }
        try check(unsafe sd_bus_send(bus, message, nil))
    }

    /// The process that connected as a client, as the bus knows it: its number, and the process itself where the bus
    /// holds it (`ProcessFD`: dbus 1.15.8, dbus-broker 36).
    ///
    /// - Throws: ``BusError`` when the client has gone, or the bus does not say.
    package func process(of client: String) throws(BusError) -> BusProcess {
        let daemon = "org.freedesktop.DBus"
        let reply = try call(daemon, "/org/freedesktop/DBus", daemon, "GetConnectionCredentials", client)
        return try BusProcess(credentials: reply)
    }

    /// Calls a method that takes a text, and waits a few seconds at most for its answer.
    private func call(
        _ service: String, _ path: String, _ interface: String, _ method: String, _ argument: String
    ) throws(BusError) -> BusMessage {
        var message: OpaquePointer?
        try check(unsafe sd_bus_message_new_method_call(bus, &message, service, path, interface, method))
        defer { unsafe sd_bus_message_unref(message) }
        try unsafe BusValue.text(argument).append(to: message)
        var reply: OpaquePointer?
        try check(unsafe sd_bus_call(bus, message, Self.timeout, nil, &reply))
        guard let reply = unsafe reply else { throw BusError.gone }
        return unsafe BusMessage(owning: reply)
    }

    /// The time limit of a call to the bus itself, in microseconds.
    private static let timeout: UInt64 = 2_000_000

    func handle(_ message: OpaquePointer) {
        let call = unsafe BusCall(BusMessage(owning: sd_bus_message_ref(message)))
        // Values may be secrets, so the library wipes the messages.
        unsafe sd_bus_message_sensitive(message)
        unsafe settle(message) { () throws(BusFailure) in
            switch try handler(call) {
            case .values(let values): return values
            case .steps(let step):
                started.append((unsafe BusMessage(owning: sd_bus_message_ref(message)), step))
                return nil
            }
        }
    }

    /// Answers with what `body` gives, the error that it throws among it; nil answers later.
    private func settle(_ message: OpaquePointer, _ body: () throws(BusFailure) -> [BusValue]?) {
        do throws(BusFailure) {
            if let values = try body() { try unsafe reply(to: message, values) }
        } catch { unsafe fail(message, error) }
    }

    private func reply(to message: OpaquePointer, _ values: [BusValue]) throws(BusFailure) {
        do throws(BusError) {
            var reply: OpaquePointer?
            try check(unsafe sd_bus_message_new_method_return(message, &reply))
            defer { unsafe sd_bus_message_unref(reply) }
            unsafe sd_bus_message_sensitive(reply)
            for value in values { try unsafe value.append(to: reply) }
            try check(unsafe sd_bus_send(bus, reply, nil))
        } catch { throw BusFailure(.failed, "The answer cannot be sent (error \(error.code)).") }
    }

    /// The client has no use for an answer that cannot be sent; the loop hears of a lost connection.
    private func fail(_ message: OpaquePointer, _ failure: BusFailure) {
        unsafe failure.name.rawValue.withCString { name in
            unsafe failure.description.withCString { text in
                var error = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
                var reply: OpaquePointer?
                guard unsafe sd_bus_message_new_method_error(message, &reply, &error) >= 0 else { return }
                _ = unsafe sd_bus_send(bus, reply, nil)
                unsafe sd_bus_message_unref(reply)
            }
        }
    }

    func noteNames(_ message: OpaquePointer) {
        let message = unsafe BusMessage(owning: sd_bus_message_ref(message))
        guard let words = try? message.readAll(), words.count == 3, let name = words[0].string,
            name.hasPrefix(":"), let owner = words[2].string
        else { return }
        if owner.isEmpty { started.removeAll { $0.message.sender == name } }
        named(name, !owner.isEmpty)
    }
}

private func answer(_ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?) -> CInt {
    guard let message = unsafe message, let service = unsafe service else { return 0 }
    unsafe Unmanaged<BusService>.fromOpaque(service).takeUnretainedValue().handle(message)
    return 1
}

private func note(_ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?) -> CInt {
    guard let message = unsafe message, let service = unsafe service else { return 0 }
    unsafe Unmanaged<BusService>.fromOpaque(service).takeUnretainedValue().noteNames(message)
    return 0
}

/// The answer to a call.
package enum BusAnswer {
    case values([BusValue])
    /// Other clients are served between the steps.
    case steps(Step)

    /// Goes on with the work, and gives the answer with its end.
    package typealias Step = () throws(BusFailure) -> [BusValue]?
}

/// A call to one of the objects that a program offers.
package struct BusCall {
    /// The unique name of the client.
    package let client: String
    package let path: String
    package let interface: String
    package let member: String
    private let message: BusMessage

    init(_ message: BusMessage) {
        self.message = message
        (client, path) = (message.sender, message.path)
        (interface, member) = (message.interface, message.member)
    }

    /// The arguments, which must have these types.
    ///
    /// - Throws: ``BusFailure`` for others.
    package func arguments(_ signature: String) throws(BusFailure) -> [BusValue] {
        do throws(BusError) {
            if message.signature == signature { return try message.readAll() }
        } catch {}
        throw BusFailure(.invalidArguments, "\(member) takes arguments of the types \"\(signature)\".")
    }
}

/// The error that a caller is told.
package struct BusFailure: Error, Hashable, Sendable {
    /// The name of an error.
    package struct Name: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        package static let failed = Name(rawValue: "org.freedesktop.DBus.Error.Failed")
        package static let invalidArguments = Name(rawValue: "org.freedesktop.DBus.Error.InvalidArgs")
        package static let notSupported = Name(rawValue: "org.freedesktop.DBus.Error.NotSupported")
        package static let unknownMethod = Name(rawValue: "org.freedesktop.DBus.Error.UnknownMethod")
        package static let accessDenied = Name(rawValue: "org.freedesktop.DBus.Error.AccessDenied")
        package static let limitsExceeded = Name(rawValue: "org.freedesktop.DBus.Error.LimitsExceeded")
    }

    package let name: Name
    package let description: String

    package init(_ name: Name, _ description: String) { (self.name, self.description) = (name, description) }
}
