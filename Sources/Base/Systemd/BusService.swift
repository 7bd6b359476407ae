import CSystemd
import Glibc
package import LinuxSystem

/// A program's end of a bus on which it offers objects (D-Bus, through libsystemd's sd-bus). Belongs to one thread.
package final class BusService {
    /// Answers a call, or throws what the caller is told.
    package typealias Handler = (BusCall) throws(BusFailure) -> BusAnswer

    private let connection: BusConnection
    private let inquiries: BusInquiries
    private let handler: Handler
    private let takesFiles: (BusCall) throws(BusFailure) -> Void
    private let named: (_ name: String, _ owner: String) -> Void
    /// Readable when a message has come.
    package var descriptor: FileDescriptor { connection.descriptor }
    /// The process of a client, as limits count it.
    private let owner: (String) -> String
    private var calls = CallQueue<Work>()

    /// A call, and the rest of its work where that has begun.
    private struct Work {
        let call: BusCall
        /// The call without its content, to be answered.
        let envelope: BusMessage
        var step: BusAnswer.Step?
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - address: as in `DBUS_SESSION_BUS_ADDRESS`.
    ///   - named: called with each name that comes to a client or leaves it, unique names among them, and with the
    ///     client that has it now; empty for none.
    ///   - owner: the process of a client; those with the same one share the limits and the turns of one.
    ///   - takesFiles: called with each call that passes open files, before it waits; throws where they are not taken.
    ///     Its content is not read then.
    ///   - handler: called with every method call, whatever its object.
    /// - Throws: ``BusError`` when there is no bus, or it refuses this process.
    package init(
        address: String, named: @escaping (_ name: String, _ owner: String) -> Void,
        owner: @escaping (String) -> String, takesFiles: @escaping (BusCall) throws(BusFailure) -> Void,
        _ handler: @escaping Handler
    ) throws(BusError) {
        (self.handler, self.named, self.owner, self.takesFiles) = (handler, named, owner, takesFiles)
        inquiries = BusInquiries(address: address)
        connection = try unsafe BusConnection(owning: connectBus(at: address))
        connection.taker = { [unowned self] in _ = take($0) }
        try connection.watchOwners(until: .after(milliseconds: BusInquiries.timeout))
    }

    /// Takes a well-known name. Nobody is replaced, and nobody waits in a queue for it.
    ///
    /// - Throws: ``BusError`` with `EEXIST` when another program has it.
    package func takeName(_ name: String) throws(BusError) {
        let (doNotQueue, isOwner) = (UInt32(4), UInt32(1))
        let deadline = Deadline.after(milliseconds: BusInquiries.timeout)
        let arguments: [BusValue] = [.text(name), .number(doNotQueue)]
        let answer = try connection.call(BusConnection.driver, "RequestName", arguments, until: deadline)
        if try answer.readNumber() != isOwner {
            throw BusError(code: EEXIST)
        }
    }

    /// So many messages are taken from the bus before one is worked on: a client that never stops sending stops nobody.
    /// All clients' messages come in one line. So those are taken, and refused, for which a process has no room left:
    /// others stand behind them.
    private static let mostReceived = 1024

    /// The bytes that count as one message more: the values of a large one take as long as many small ones.
    private static let bytesOfMessage = 4096

    /// Takes the messages that have come, sends what is to be sent, and works on one call.
    ///
    /// - Throws: ``BusError`` when the bus has closed the connection.
    package func process() throws(BusError) {
        var received = 0
        receiving: while received < Self.mostReceived {
            switch try connection.next() {
            case .message(let message): received += 1 + take(message) / Self.bytesOfMessage
            case .handled: received += 1
            case .nothing: break receiving
            }
        }
        let hasWorked = work()
        inquiries.rest()
        isBusy = hasWorked || received > 0
    }

    /// Whether there may be more to do: ``process()`` is to be called again without a message.
    package private(set) var isBusy = false

    /// Takes a message: a call gets a place in the line of its process, if there is room, or an error.
    ///
    /// - Returns: the memory of what was looked at.
    private func take(_ message: BusMessage) -> Int {
        guard message.isCall else {
            noteNames(message)
            return 0
        }
        // Values may be secrets, so the library wipes the messages.
        unsafe sd_bus_message_sensitive(message.message)
        var bytes = 0
        unsafe settle(message.message) { () throws(BusFailure) in
            let owner = owner(message.sender), room = calls.room(of: owner)
            bytes = min(room, CallLimits.bytesOfCall)
            guard room > 0, let weight = message.weight(atMost: bytes) else {
                throw room < CallLimits.bytesOfCall ? .tooManyCalls : .tooLarge
            }
            bytes = weight.bytes
            if weight.files > 0 { try takesFiles(BusCall(message, [])) }
            calls.add(try Self.work(message), of: message.sender, by: owner, bytes: bytes)
            return nil
        }
        return bytes
    }

    /// The work that waits in place of a call.
    private static func work(_ message: BusMessage) throws(BusFailure) -> Work {
        do throws(BusError) {
            return Work(call: BusCall(message, try? message.readAll()), envelope: try message.envelope())
        } catch { throw BusFailure(.failed, "The call cannot be kept (error \(error.code)).") }
    }

    /// Does the next work; false when there is none.
    private func work() -> Bool {
        guard var next = calls.next() else { return false }
        let message = next.call.envelope
        unsafe settle(message.message) { () throws(BusFailure) in
            if let step = next.call.step {
                if let values = try step() { return values }
                calls.goOn(next)
                return nil
            }
            switch try handler(next.call.call) {
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
        try BusProcess(credentials: inquiries.ask("GetConnectionCredentials", [.text(client)]))
    }

    /// The unique name of the client that has a name.
    ///
    /// - Throws: ``BusError`` when nobody has it.
    package func owner(of name: String) throws(BusError) -> String {
        try inquiries.ask("GetNameOwner", [.text(name)]).readText()
    }

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
        guard unsafe sd_bus_message_get_expect_reply(message) > 0 else { return }
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
        guard let (name, owner) = message.ownerChange else { return }
        if owner.isEmpty { calls.forget(name) }
        named(name, owner)
    }
}
