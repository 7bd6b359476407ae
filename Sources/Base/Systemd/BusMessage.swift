import CSystemd
import Glibc
package import LinuxSystem

/// A message from the bus. Its content is read in order; a missing or unexpected part is an error.
@safe package final class BusMessage {
    let message: OpaquePointer

    init(owning message: OpaquePointer) { unsafe self.message = message }

    deinit { unsafe sd_bus_message_unref(message) }

    /// The object it comes from.
    package var path: String { unsafe text(sd_bus_message_get_path(message)) }
    /// The name of the signal.
    package var member: String { unsafe text(sd_bus_message_get_member(message)) }

    /// The unique name of the program that has sent it.
    var sender: String { unsafe text(sd_bus_message_get_sender(message)) }
    var interface: String { unsafe text(sd_bus_message_get_interface(message)) }
    /// The types of its content.
    var signature: String { unsafe text(sd_bus_message_get_signature(message, 1)) }

    var isSignal: Bool { unsafe sd_bus_message_is_signal(message, nil, nil) > 0 }

    func text(_ text: UnsafePointer<CChar>?) -> String {
        unsafe text.map { unsafe String(cString: $0) } ?? ""
    }
}

// MARK: - Reading

extension BusMessage {
    /// Reads a text, or the path of an object.
    ///
    /// - Throws: ``BusError`` when there is none.
    package func readText() throws(BusError) -> String {
        var value: UnsafePointer<CChar>?
        let type = try peek() == typeCode("o") ? typeCode("o") : typeCode("s")
        try expect(unsafe sd_bus_message_read_basic(message, type, &value))
        return unsafe text(value)
    }

    /// Reads a truth value.
    ///
    /// - Throws: ``BusError`` when there is none.
    package func readFlag() throws(BusError) -> Bool {
        var value: CInt = 0
        try expect(unsafe sd_bus_message_read_basic(message, typeCode("b"), &value))
        return value != 0
    }

    /// Reads a number of 32 bits.
    ///
    /// - Throws: ``BusError`` when there is none.
    package func readNumber() throws(BusError) -> UInt32 {
        var value: UInt32 = 0
        try expect(unsafe sd_bus_message_read_basic(message, typeCode("u"), &value))
        return value
    }

    /// Reads a descriptor, which stays open after the message.
    ///
    /// - Throws: ``BusError`` when there is none, or this process has too many open files.
    package func readDescriptor() throws(BusError) -> FileDescriptor {
        var value: CInt = -1
        try expect(unsafe sd_bus_message_read_basic(message, typeCode("h"), &value))
        return try duplicate(value)
    }

    /// Reads a list by calling `body` inside of it until everything is read.
    ///
    /// - Parameter contents: the signature of the list's elements.
    /// - Throws: ``BusError`` when it is another list; the errors of `body`.
    package func readList(_ contents: String, _ body: () throws(BusError) -> Void) throws(BusError) {
        try enter("a", contents)
        while unsafe sd_bus_message_at_end(message, 0) == 0 { try body() }
        try leave()
    }

    /// Reads a structure.
    package func readStructure(_ contents: String, _ body: () throws(BusError) -> Void) throws(BusError) {
        try enter("r", contents)
        try body()
        try leave()
    }

    /// Reads a dictionary of values of any type: `body` is called with each key, and reads the value or skips it.
    ///
    /// - Throws: ``BusError`` when there is none; the errors of `body`.
    package func readProperties(_ body: (String) throws(BusError) -> Void) throws(BusError) {
        try readList("{sv}") { () throws(BusError) in
            try enter("e", "sv")
            try body(try readText())
            // The end was reached if `body` has read the value.
            if unsafe sd_bus_message_at_end(message, 0) == 0 { try check(unsafe sd_bus_message_skip(message, "v")) }
            try leave()
        }
    }

    /// Reads a truth value that is the value of a property.
    package func readFlagVariant() throws(BusError) -> Bool {
        try enter("v", "b")
        let flag = try readFlag()
        try leave()
        return flag
    }

    /// Enters a value of any type, without leaving it.
    func enterVariant(_ type: String) throws(BusError) { try enter("v", type) }

    /// Skips the next value.
    package func skip(_ type: String) throws(BusError) { try check(unsafe sd_bus_message_skip(message, type)) }

    func enter(_ type: Unicode.Scalar, _ contents: String) throws(BusError) {
        try expect(unsafe sd_bus_message_enter_container(message, typeCode(type), contents))
    }

    func leave() throws(BusError) { try check(unsafe sd_bus_message_exit_container(message)) }

    private func peek() throws(BusError) -> CChar {
        var type: CChar = 0
        try check(unsafe sd_bus_message_peek_type(message, &type, nil))
        return type
    }

    /// The library returns 0 at the end of the content.
    private func expect(_ result: CInt) throws(BusError) {
        try check(result)
        if result == 0 { throw BusError(code: ENODATA) }
    }
}

// MARK: - Weighing

extension BusMessage {
    struct Weight {
        var bytes = 0
        /// The values that are open files.
        var files = 0
    }

    /// The memory that its values will take, before anything is read; nil when it is more than `limit`, or cannot be
    /// read. A message of many small values takes far more than its own bytes.
    func weight(atMost limit: Int) -> Weight? {
        var total = Weight()
        do throws(BusError) { try weigh(&total, limit) } catch { return nil }
        _ = unsafe sd_bus_message_rewind(message, 1)
        return total.bytes <= limit ? total : nil
    }

    /// The least memory of a value.
    private static let weightOfValue = 32

    /// A process has few open files.
    private static let weightOfFile = 1 << 20

    private func weigh(_ total: inout Weight, _ limit: Int) throws(BusError) {
        while total.bytes <= limit, let (type, contents) = try peekType() {
            total.bytes += Self.weightOfValue
            switch type {
            case "s", "o": total.bytes += try lengthOfText(type)
            case "h":
                (total.bytes, total.files) = (total.bytes + Self.weightOfFile, total.files + 1)
                try skip(String(type))
            case "a" where contents == "y": total.bytes += try lengthOfBytes()
            case "a", "v", "r", "e":
                try enter(type, contents)
                try weigh(&total, limit)
                if total.bytes <= limit { try leave() }
            default: try skip(String(type))
            }
        }
    }

    private func lengthOfText(_ type: Unicode.Scalar) throws(BusError) -> Int {
        var value: UnsafePointer<CChar>?
        try expect(unsafe sd_bus_message_read_basic(message, typeCode(type), &value))
        return unsafe value.map { unsafe strlen($0) } ?? 0
    }

    private func lengthOfBytes() throws(BusError) -> Int {
        var (start, count) = (unsafe UnsafeRawPointer?.none, 0)
        try check(unsafe sd_bus_message_read_array(message, typeCode("y"), &start, &count))
        return count
    }
}

// MARK: - Answering later

extension BusMessage {
    /// Whether its sender waits for an answer.
    var wantsAnswer: Bool { unsafe sd_bus_message_get_expect_reply(message) > 0 }

    /// A call without its content, which is enough to answer it. The library closes the descriptors of a message with
    /// the message, also those that its content does not name and nobody can count. So no call is kept itself.
    func envelope() throws(BusError) -> BusMessage {
        var copy: OpaquePointer?
        let (bus, interface) = unsafe (sd_bus_message_get_bus(message), sd_bus_message_get_interface(message))
        try check(unsafe sd_bus_message_new_method_call(bus, &copy, nil, path, interface, member))
        guard let copy = unsafe copy else { throw BusError(code: ENOMEM) }
        let envelope = unsafe BusMessage(owning: copy)
        var cookie: UInt64 = 0
        try check(unsafe sd_bus_message_get_cookie(message, &cookie))
        try check(unsafe sd_bus_message_set_sender(copy, sender))
        try check(unsafe sd_bus_message_set_expect_reply(copy, wantsAnswer ? 1 : 0))
        // So is its answer then.
        try check(unsafe sd_bus_message_sensitive(copy))
        try check(unsafe sd_bus_message_seal(copy, cookie, 0))
        return envelope
    }
}
