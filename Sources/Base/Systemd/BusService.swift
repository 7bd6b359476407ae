import CSystemd
import Glibc
package import LinuxSystem

/// A program's end of a bus on which it offers objects (D-Bus, through libsystemd's sd-bus). Belongs to one thread.
package final class BusService {
    /// Answers a call, or throws what the caller is told.
    package typealias Handler = (BusCall) throws(BusFailure) -> BusAnswer

    private let connection: BusConnection
    private let handler: Handler
    private let named: (String, Bool) -> Void
    /// Readable when a message has come.
    package var descriptor: FileDescriptor { connection.descriptor }
    /// The process of a client, as limits count it.
    private let owner: (String) -> String
    private var calls = CallQueue<Work>()

    /// A call, and the rest of its work where that has begun.
    private struct Work {
        let message: BusMessage
        var step: BusAnswer.Step?
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - address: as in `DBUS_SESSION_BUS_ADDRESS`.
    ///   - named: called with the unique name of each client that comes to the bus, or leaves it; whether it is there.
    ///   - owner: the process of a client; those with the same one share the limits and the turns of one.
    ///   - handler: called with every method call, whatever its object.
    /// - Throws: ``BusError`` when there is no bus, or it refuses this process.
    package init(
        address: String, named: @escaping (String, Bool) -> Void, owner: @escaping (String) -> String,
        _ handler: @escaping Handler
    ) throws(BusError) {
        (self.handler, self.named, self.owner) = (handler, named, owner)
        connection = try unsafe BusConnection(owning: connectBus(at: address), takesCalls: true)
        try connection.watchOwners(until: .after(milliseconds: Self.timeout))
    }

    /// Takes a well-known name. Nobody is replaced, and nobody waits in a queue for it.
    ///
    /// - Throws: ``BusError`` with `EEXIST` when another program has it.
    package func takeName(_ name: String) throws(BusError) {
        let (doNotQueue, isOwner) = (UInt32(4), UInt32(1))
        if try ask("RequestName", [.text(name), .number(doNotQueue)]).readNumber() != isOwner {
            throw BusError(code: EEXIST)
        }
    }

    /// So many messages are taken from the bus before one is worked on: a client that never stops sending stops nobody.
    private static let mostReceived = 1024

    /// Takes the messages that have come, sends what is to be sent, and works on one call.
    ///
    /// - Throws: ``BusError`` when the bus has closed the connection.
    package func process() throws(BusError) {
        var received = 0
        while received < Self.mostReceived, let message = try connection.next() {
            received += 1
            if message.isCall { receive(message) } else { noteNames(message) }
        }
        let hasWorked = work()
        isBusy = hasWorked || received > 0
    }

    /// Whether there may be more to do: ``process()`` is to be called again without a message.
    package private(set) var isBusy = false

    private func receive(_ message: BusMessage) {
        // Values may be secrets, so the library wipes the messages.
        unsafe sd_bus_message_sensitive(message.message)
        unsafe settle(message.message) { () throws(BusFailure) in
            guard let bytes = message.weight(atMost: CallLimits.bytesOfCall) else {
                throw BusFailure(.limitsExceeded, "The call is too large. Ask for less at once.")
            }
            let client = message.sender
            guard calls.add(Work(message: message), of: client, by: owner(client), bytes: bytes) else {
                throw BusFailure(.limitsExceeded, "The program has too many calls open. Wait for answers.")
            }
            return nil
        }
    }

    /// Does the next work; false when there is none.
    private func work() -> Bool {
        guard var next = calls.next() else { return false }
        let message = next.call.message
        unsafe settle(message.message) { () throws(BusFailure) in
            if let step = next.call.step {
                if let values = try step() { return values }
                calls.goOn(next)
                return nil
            }
            switch try handler(BusCall(message)) {
            case .values(let values): return values
            case .steps(let step):
                next.call.step = step
                guard calls.start(next) else {
                    throw BusFailure(
                        .limitsExceeded, "\(CallLimits.started) calls wait for answers. Wait for one of them.")
                }
                return nil
            }
        }
        return true
    }

    /// Whether something could not be sent yet.
    package var isWaitingToSend: Bool { (unsafe sd_bus_get_events(connection.bus)) & CInt(POLLOUT) != 0 }

    /// Sends a signal to everybody, or to one client.
    ///
    /// - Throws: ``BusError`` when the connection is lost.
    package func emit(
        _ member: String, of interface: String, from path: String, to client: String? = nil, _ values: [BusValue]
    ) throws(BusError) {
        var message: OpaquePointer?
        try check(unsafe sd_bus_message_new_signal(connection.bus, &message, path, interface, member))
        defer { unsafe sd_bus_message_unref(message) }
        if let client { try check(unsafe sd_bus_message_set_destination(message, client)) }
        for value in values { try unsafe value.append(to: message) }
        try check(unsafe sd_bus_send(connection.bus, message, nil))
    }

    /// The process that connected as a client, as the bus knows it: its number, and the process itself where the bus
    /// holds it (`ProcessFD`: dbus 1.15.8, dbus-broker 36).
    ///
    /// - Throws: ``BusError`` when the client has gone, or the bus does not say.
    package func process(of client: String) throws(BusError) -> BusProcess {
        try BusProcess(credentials: ask("GetConnectionCredentials", [.text(client)]))
    }

    /// The unique name of the client that has a name.
    ///
    /// - Throws: ``BusError`` when nobody has it.
    package func owner(of name: String) throws(BusError) -> String {
        try ask("GetNameOwner", [.text(name)]).readText()
    }

    /// Asks the bus itself.
    private func ask(_ method: String, _ arguments: [BusValue]) throws(BusError) -> BusMessage {
        try connection.call(BusConnection.driver, method, arguments, until: .after(milliseconds: Self.timeout))
    }

    /// The time limit of a call to the bus itself, in milliseconds.
    private static let timeout = 2_000

    /// Answers with what `body` gives, the error that it throws among it; nil answers later.
    private func settle(_ message: OpaquePointer, _ body: () throws(BusFailure) -> [BusValue]?) {
        do throws(BusFailure) {
            if let values = try body() { try unsafe reply(to: message, values) }
        } catch { unsafe fail(message, error) }
    }

    /// A bus ends the connection of a program that sends more than 32 MiB, where its configuration does not say
    /// otherwise; D-Bus itself has at most 64 MiB in a list.
    private static let mostBytes = 24 << 20

    private func reply(to message: OpaquePointer, _ values: [BusValue]) throws(BusFailure) {
        guard values.reduce(0, { $0 + $1.byteCount }) <= Self.mostBytes else {
            throw BusFailure(.limitsExceeded, "The answer is too large for the bus. Ask for less at once.")
        }
        do throws(BusError) {
            var reply: OpaquePointer?
            try check(unsafe sd_bus_message_new_method_return(message, &reply))
            defer { unsafe sd_bus_message_unref(reply) }
            unsafe sd_bus_message_sensitive(reply)
            for value in values { try unsafe value.append(to: reply) }
            try check(unsafe sd_bus_send(connection.bus, reply, nil))
        } catch { throw BusFailure(.failed, "The answer cannot be sent (error \(error.code)).") }
    }

    /// The client has no use for an answer that cannot be sent; the loop hears of a lost connection.
    private func fail(_ message: OpaquePointer, _ failure: BusFailure) {
        unsafe failure.name.rawValue.withCString { name in
            unsafe failure.description.withCString { text in
                var error = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
                var reply: OpaquePointer?
                guard unsafe sd_bus_message_new_method_error(message, &reply, &error) >= 0 else { return }
                _ = unsafe sd_bus_send(connection.bus, reply, nil)
                unsafe sd_bus_message_unref(reply)
            }
        }
    }

    private func noteNames(_ message: BusMessage) {
        guard let (name, owner) = message.ownerChange, name.hasPrefix(":") else { return }
        if owner.isEmpty { calls.forget(name) }
        named(name, !owner.isEmpty)
    }
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
