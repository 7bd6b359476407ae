import CSystemd
import Glibc
package import LinuxSystem

/// A value of D-Bus with its type, as far as services here have them.
package indirect enum BusValue: Hashable, Sendable {
    case text(String)
    /// The path of an object.
    case object(String)
    case flag(Bool)
    case byte(UInt8)
    case number(UInt32)
    case long(UInt64)
    case signed(Int32)
    case signedLong(Int64)
    case bytes([UInt8])
    /// Bytes that are nowhere but in locked memory and in a message, which the library wipes.
    case secret(BusSecret)
    /// An open file.
    case file(BusFile)
    case variant(BusValue)
    case structure([BusValue])
    /// A list, whose elements have this signature.
    case list(String, [BusValue])
    /// A dictionary, whose keys and values have these signatures. Its entries stand as they came: two keys that Swift
    /// takes for the same text may be two.
    case dictionary(String, String, [Entry])

    /// A key and its value.
    package struct Entry: Hashable, Sendable {
        package let key, value: BusValue

        package init(_ key: BusValue, _ value: BusValue) { (self.key, self.value) = (key, value) }
    }

    /// The signature of its type.
    package var signature: String {
        switch self {
        case .text: "s"
        case .object: "o"
        case .flag: "b"
        case .byte: "y"
        case .number: "u"
        case .long: "t"
        case .signed: "i"
        case .signedLong: "x"
        case .bytes, .secret: "ay"
        case .file: "h"
        case .variant: "v"
        case .structure(let parts): "(" + parts.map(\.signature).joined() + ")"
        case .list(let element, _): "a" + element
        case .dictionary(let key, let value, _): "a{\(key)\(value)}"
        }
    }

    /// A list of objects.
    package static func objects(_ paths: [String]) -> BusValue { .list("o", paths.map { .object($0) }) }

    /// A dictionary of texts.
    package static func texts(_ texts: [(name: String, value: String)]) -> BusValue {
        .dictionary("s", "s", texts.map { Entry(.text($0.name), .text($0.value)) })
    }

    /// A dictionary of values of any type.
    package static func properties(_ values: [String: BusValue]) -> BusValue {
        .dictionary("s", "v", values.map { Entry(.text($0.key), .variant($0.value)) })
    }
}

/// An open file as a value, which is equal to itself alone.
package struct BusFile: Hashable, Sendable {
    package let descriptor: FileDescriptor

    package static func == (one: BusFile, other: BusFile) -> Bool { one.descriptor === other.descriptor }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(descriptor)) }
}

/// Secret bytes as a value.
package struct BusSecret: Hashable, Sendable {
    package let bytes: SecretBytes

    package init(_ bytes: SecretBytes) { self.bytes = bytes }

    package static func == (one: BusSecret, other: BusSecret) -> Bool { one.bytes.isEqual(to: other.bytes) }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes.count) }
}

extension BusValue {
    /// The bytes that it takes in a message, within a few.
    var byteCount: Int {
        switch self {
        case .text(let text), .object(let text): text.utf8.count + 8
        case .flag, .byte, .number, .long, .signed, .signedLong, .file: 8
        case .bytes(let bytes): bytes.count + 8
        case .secret(let secret): secret.bytes.count + 8
        case .variant(let content): content.byteCount + 8
        case .structure(let values), .list(_, let values): values.reduce(8) { $0 + $1.byteCount }
        case .dictionary(_, _, let entries): entries.reduce(8) { $0 + $1.key.byteCount + $1.value.byteCount }
        }
    }
}

/// Looking at what was read from a message.
extension BusValue {
    /// The text, or the path of an object.
    package var string: String? {
        switch self {
        case .text(let text), .object(let text): text
        default: nil
        }
    }

    package var bool: Bool? { if case .flag(let flag) = self { flag } else { nil } }

    package var integer: Int32? { if case .signed(let number) = self { number } else { nil } }

    package var data: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    package var secret: SecretBytes? { if case .secret(let secret) = self { secret.bytes } else { nil } }

    package var file: FileDescriptor? { if case .file(let file) = self { file.descriptor } else { nil } }

    /// The value inside a variant.
    package var content: BusValue? { if case .variant(let content) = self { content } else { nil } }

    /// The parts of a structure.
    package var parts: [BusValue]? { if case .structure(let parts) = self { parts } else { nil } }

    /// The elements of a list.
    package var elements: [BusValue]? { if case .list(_, let elements) = self { elements } else { nil } }

    /// A dictionary of properties, whose names are texts.
    package var entries: [String: BusValue]? {
        guard case .dictionary("s", _, let entries) = self else { return nil }
        var found: [String: BusValue] = [:]
        for entry in entries { if let key = entry.key.string { found[key] = entry.value } }
        return found
    }

    /// A dictionary of texts, entry by entry.
    package var textEntries: [(name: String, value: String)]? {
        guard case .dictionary("s", "s", let entries) = self else { return nil }
        return entries.map { ($0.key.string ?? "", $0.value.string ?? "") }
    }
}

// MARK: - Writing

extension BusValue {
    func append(to message: OpaquePointer?) throws(BusError) {
        switch self {
        case .text(let text): try check(unsafe sd_bus_message_append_basic(message, typeCode("s"), text))
        case .object(let path): try check(unsafe sd_bus_message_append_basic(message, typeCode("o"), path))
        case .flag(let flag):
            var number: CInt = flag ? 1 : 0
            try check(unsafe sd_bus_message_append_basic(message, typeCode("b"), &number))
        case .byte(var byte): try check(unsafe sd_bus_message_append_basic(message, typeCode("y"), &byte))
        case .number(var number): try check(unsafe sd_bus_message_append_basic(message, typeCode("u"), &number))
        case .long(var number): try check(unsafe sd_bus_message_append_basic(message, typeCode("t"), &number))
        case .signed(var number): try check(unsafe sd_bus_message_append_basic(message, typeCode("i"), &number))
        case .signedLong(var number): try check(unsafe sd_bus_message_append_basic(message, typeCode("x"), &number))
        case .bytes(let bytes):
            try check(unsafe sd_bus_message_append_array(message, typeCode("y"), bytes, bytes.count))
        case .secret(let secret): try unsafe append(secret: secret, to: message)
        case .file(let file):
            var number = file.descriptor.number
            try check(unsafe sd_bus_message_append_basic(message, typeCode("h"), &number))
        case .variant(let value): try unsafe append([value], in: "v", value.signature, to: message)
        case .structure(let parts): try unsafe append(parts, in: "r", parts.map(\.signature).joined(), to: message)
        case .list(let element, let values): try unsafe append(values, in: "a", element, to: message)
        case .dictionary(let key, let value, let entries): try unsafe append(entries, key, value, to: message)
        }
    }

    private func append(secret: BusSecret, to message: OpaquePointer?) throws(BusError) {
        let result = secret.bytes.withSpan { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe sd_bus_message_append_array(message, typeCode("y"), bytes.baseAddress, bytes.count)
            }
        }
        try check(result)
    }

    private func append(
        _ values: [BusValue], in type: Unicode.Scalar, _ contents: String, to message: OpaquePointer?
    ) throws(BusError) {
        try check(unsafe sd_bus_message_open_container(message, typeCode(type), contents))
        for value in values { try unsafe value.append(to: message) }
        try check(unsafe sd_bus_message_close_container(message))
    }

    private func append(
        _ entries: [Entry], _ key: String, _ value: String, to message: OpaquePointer?
    ) throws(BusError) {
        try check(unsafe sd_bus_message_open_container(message, typeCode("a"), "{\(key)\(value)}"))
        for entry in entries { try unsafe append([entry.key, entry.value], in: "e", key + value, to: message) }
        try check(unsafe sd_bus_message_close_container(message))
    }
}

// MARK: - Reading

extension BusMessage {
    /// Reads everything that the message has.
    ///
    /// - Throws: ``BusError`` with `ENOTSUP` for a type that ``BusValue`` has not.
    package func readAll() throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try readValue() { values.append(value) }
        return values
    }

    /// Reads the next value; nil at the end of the message, or of what was entered. D-Bus itself bounds the depth.
    func readValue() throws(BusError) -> BusValue? {
        guard let (type, contents) = try peekType() else { return nil }
        switch type {
        case "s": return .text(try readText())
        case "o": return .object(try readText())
        case "b": return .flag(try readFlag())
        case "u": return .number(try readNumber())
        case "y": return .byte(try readBasic(type, 0))
        case "t": return .long(try readBasic(type, 0))
        case "i": return .signed(try readBasic(type, 0))
        case "x": return .signedLong(try readBasic(type, 0))
        case "h": return .file(BusFile(descriptor: try readDescriptor()))
        case "v": return try .variant(inside(type, contents).first ?? .text(""))
        case "r": return .structure(try inside(type, contents))
        case "a" where contents == "y": return hasSecrets ? .secret(try readSecret()) : .bytes(try readBytes())
        case "a" where contents.hasPrefix("{"): return try readDictionary(contents)
        case "a": return .list(contents, try inside(type, contents))
        default: throw BusError(code: ENOTSUP)
        }
    }

    private func readDictionary(_ contents: String) throws(BusError) -> BusValue {
        var entries: [BusValue.Entry] = []
        try enter("a", contents)
        while let (_, pair) = try peekType() {
            let parts = try inside("e", pair)
            if parts.count == 2 { entries.append(BusValue.Entry(parts[0], parts[1])) }
        }
        try leave()
        let types = contents.dropFirst().dropLast()
        return .dictionary(String(types.prefix(1)), String(types.dropFirst()), entries)
    }

    private func inside(_ type: Unicode.Scalar, _ contents: String) throws(BusError) -> [BusValue] {
        try enter(type, contents)
        let values = try readAll()
        try leave()
        return values
    }

    private func readBasic<Number: FixedWidthInteger>(
        _ type: Unicode.Scalar, _ zero: Number
    ) throws(BusError) -> Number {
        var value = zero
        try check(unsafe sd_bus_message_read_basic(message, typeCode(type), &value))
        return value
    }

    private func readBytes() throws(BusError) -> [UInt8] {
        var (start, count) = (unsafe UnsafeRawPointer?.none, 0)
        try check(unsafe sd_bus_message_read_array(message, typeCode("y"), &start, &count))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Whether it has secrets as the Secret Service sends them, session, parameters, value and media type, or KWallet:
    /// bytes alone.
    private var hasSecrets: Bool { signature.contains("(oayays)") || signature == "ay" }

    private func readSecret() throws(BusError) -> BusSecret {
        var (start, count) = (unsafe UnsafeRawPointer?.none, 0)
        try check(unsafe sd_bus_message_read_array(message, typeCode("y"), &start, &count))
        let bytes = unsafe UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count)
        return BusSecret(SecretBytes(copying: unsafe bytes.span))
    }

    func peekType() throws(BusError) -> (type: Unicode.Scalar, contents: String)? {
        var (type, contents) = unsafe (CChar(0), UnsafePointer<CChar>?.none)
        let result = unsafe sd_bus_message_peek_type(message, &type, &contents)
        try check(result)
        guard result > 0 else { return nil }
        return (Unicode.Scalar(UInt8(bitPattern: type)), unsafe text(contents))
    }
}
