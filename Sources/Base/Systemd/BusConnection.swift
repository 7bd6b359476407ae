import CSystemd
import Glibc
import LinuxSystem

/// A connection to a bus (D-Bus, through libsystemd's sd-bus) that believes the bus alone about who has sent a message.
///
/// The stock configuration of a bus lets any client send an answer that nobody has asked it for, and a signal in
/// another's name. But the bus itself writes the sender's unique name into each message. So an answer counts from the
/// one that was asked, and a signal from the owner of a name that is watched. Everything else is dropped, and nothing
/// of it ends the wait for an answer.
@safe final class BusConnection {
    let bus: OpaquePointer
    /// Readable when a message has come.
    let descriptor: FileDescriptor
    /// Takes the calls and signals that come while an answer is waited for. Nil for a program that answers no calls:
    /// then calls are dropped, and such signals are kept for ``next()``.
    var taker: ((BusMessage) -> Void)?
    private var kept: ArraySlice<BusMessage> = []
    /// The owners of the names that are watched; empty for a name without one.
    private var owners: [String: String] = [:]

    /// The bus itself, whose name no client can have.
    static let driver = BusObject("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")

    init(owning bus: OpaquePointer) throws(BusError) {
        unsafe self.bus = bus
        do throws(BusError) { descriptor = try duplicate(unsafe sd_bus_get_fd(bus)) } catch {
            unsafe sd_bus_unref(bus)
            throw error
        }
    }

    deinit { unsafe sd_bus_flush_close_unref(bus) }

    // MARK: - Calls

    /// Calls a method, and waits for its answer.
    ///
    /// - Parameter isSensitive: whether the library wipes the messages.
    /// - Throws: ``BusError`` with the name of the error from the service, or of the transport.
    func call(
        _ object: BusObject, _ method: String, _ arguments: [BusValue], until deadline: Deadline,
        isSensitive: Bool = false
    ) throws(BusError) -> BusMessage {
        let owner = try owner(of: object.service, until: deadline)
        var message: OpaquePointer?
        try check(
            unsafe sd_bus_message_new_method_call(bus, &message, owner, object.path, object.interface, method))
        defer { unsafe sd_bus_message_unref(message) }
        if isSensitive { unsafe sd_bus_message_sensitive(message) }
        for argument in arguments { try unsafe argument.append(to: message) }
        var cookie: UInt64 = 0
        try check(unsafe sd_bus_send(bus, message, &cookie))
        let answer = try answer(to: cookie, from: owner, until: deadline)
        if isSensitive { unsafe sd_bus_message_sensitive(answer.message) }
        if let error = answer.error { throw error }
        return answer
    }

    /// The unique name of the service, which the bus starts if it is not there.
    private func owner(of service: String, until deadline: Deadline) throws(BusError) -> String {
        if service == Self.driver.service || service.hasPrefix(":") { return service }
        if let owner = owners[service], !owner.isEmpty { return owner }
        do throws(BusError) { return try ask("GetNameOwner", service, until: deadline).readText() } catch {
            guard error.name == "org.freedesktop.DBus.Error.NameHasNoOwner" else { throw error }
        }
        let start = [BusValue.text(service), .number(0)]
        _ = try call(Self.driver, "StartServiceByName", start, until: deadline)
        return try ask("GetNameOwner", service, until: deadline).readText()
    }

    private func ask(_ method: String, _ text: String, until deadline: Deadline) throws(BusError) -> BusMessage {
        try call(Self.driver, method, [.text(text)], until: deadline)
    }

    /// The bus itself may say that the one that was asked gives no answer.
    private func answer(
        to cookie: UInt64, from owner: String, until deadline: Deadline
    ) throws(BusError) -> BusMessage {
        while !deadline.hasPassed {
            switch try receive() {
            case .nothing: try wait(until: deadline)
            case .handled: break
            case .message(let message) where message.answered == cookie:
                let isBusError = message.sender == Self.driver.service && message.error != nil
                if message.sender == owner || isBusError { return message }
            case .message(let message): keep(message)
            }
        }
        throw .timedOut
    }

    private func wait(until deadline: Deadline) throws(BusError) {
        let limit = deadline.remainingNanoseconds.map { $0 / 1000 } ?? .max
        let result = unsafe sd_bus_wait(bus, limit)
        if result != -EINTR { try check(result) }
    }

    private func keep(_ message: BusMessage) {
        guard counts(message) else { return }
        if let taker { taker(message) } else { kept.append(message) }
    }

    // MARK: - Calls and signals of others

    /// A step of receiving.
    enum Received {
        case message(BusMessage)
        /// Something that the library has answered or sent itself, or that counts for nothing: more may have come.
        case handled
        case nothing
    }

    /// The next call or signal. A step takes one message at most, so that a caller can count what it takes.
    ///
    /// - Throws: ``BusError`` when the bus has closed the connection.
    func next() throws(BusError) -> Received {
        if let message = kept.popFirst() { return .message(message) }
        let received = try receive()
        if case .message(let message) = received, !counts(message) { return .handled }
        return received
    }

    /// Drops what has come, so many messages at most.
    ///
    /// - Returns: whether nothing is left.
    func drop(atMost count: Int) throws(BusError) -> Bool {
        for _ in 0..<count { if case .nothing = try next() { return true } }
        return false
    }

    private func receive() throws(BusError) -> Received {
        var message: OpaquePointer?
        let result = unsafe sd_bus_process(bus, &message)
        try check(result)
        if let message = unsafe message { return .message(unsafe BusMessage(owning: message)) }
        return result == 0 ? .nothing : .handled
    }

    private func counts(_ message: BusMessage) -> Bool {
        if message.isCall { return taker != nil }
        guard message.isSignal else { return false }
        if let change = message.ownerChange, owners[change.name] != nil { owners[change.name] = change.owner }
        return message.sender == Self.driver.service || owners.values.contains(message.sender)
    }

    /// Subscribes to the signals of a service.
    ///
    /// - Parameter rule: further conditions, as in `AddMatch`.
    func watch(_ service: String, _ rule: String, until deadline: Deadline) throws(BusError) {
        if owners[service] == nil {
            owners[service] = ""
            try watchOwners("arg0='\(service)'", until: deadline)
            // Also of one that is not there yet.
            let owner = try? ask("GetNameOwner", service, until: deadline).readText()
            if let owner, owners[service] == "" { owners[service] = owner }
        }
        try match("type='signal',sender='\(service)'", rule, until: deadline)
    }

    /// Has the bus tell who comes to names, and leaves them.
    func watchOwners(_ rule: String = "", until deadline: Deadline) throws(BusError) {
        let driver = Self.driver
        try match(
            "type='signal',sender='\(driver.service)',path='\(driver.path)',interface='\(driver.interface)',"
                + "member='\(BusMessage.ownerChanged)'", rule, until: deadline)
    }

    private func match(_ rule: String, _ more: String, until deadline: Deadline) throws(BusError) {
        _ = try ask("AddMatch", more.isEmpty ? rule : rule + "," + more, until: deadline)
    }
}

extension BusMessage {
    fileprivate static let ownerChanged = "NameOwnerChanged"

    /// The change of a name's owner that the bus itself reports; the owner is empty where there is none any more.
    var ownerChange: (name: String, owner: String)? {
        let driver = BusConnection.driver
        guard isSignal, sender == driver.service, path == driver.path, interface == driver.interface,
            member == Self.ownerChanged, let words = try? readAll(), words.count == 3
        else { return nil }
        // Others read it from its beginning.
        _ = unsafe sd_bus_message_rewind(message, 1)
        guard let name = words[0].string, let owner = words[2].string else { return nil }
        return (name, owner)
    }

    var isCall: Bool { unsafe sd_bus_message_is_method_call(message, nil, nil) > 0 }

    /// The number of the call that it answers; nil for any other message.
    fileprivate var answered: UInt64? {
        var cookie: UInt64 = 0
        guard !isCall, !isSignal, unsafe sd_bus_message_get_reply_cookie(message, &cookie) >= 0 else { return nil }
        return cookie
    }

    /// The error that it is; nil for any other message.
    fileprivate var error: BusError? {
        guard let error = unsafe sd_bus_message_get_error(message) else { return nil }
        return BusError(name: unsafe text(error.pointee.name), code: unsafe sd_bus_message_get_errno(message))
    }
}
