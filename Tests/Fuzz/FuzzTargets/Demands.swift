import KeychainModel
import KeychainWire
import LinuxSystem

/// Ends the process with the sentence that turned out wrong; unlike a precondition also says it in a release build.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) {
    if !condition { fatalError(sentence()) }
}

/// The result of a body that may not fail.
func must<Result, Failure: Error>(_ sentence: String, _ body: () throws(Failure) -> Result) -> Result {
    do throws(Failure) { return try body() } catch { fatalError("\(sentence): \(error)") }
}

/// Takes an input apart, from its beginning; behind its end there are zeros.
struct InputReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: Span<UInt8>) { self.bytes = bytes.array(0, bytes.count) }

    var isAtEnd: Bool { offset >= bytes.count }

    mutating func byte() -> UInt8 {
        defer { offset += 1 }
        return isAtEnd ? 0 : bytes[offset]
    }

    mutating func number() -> UInt32 { (0..<4).reduce(0) { number, place in number | UInt32(byte()) << (8 * place) } }

    /// So many bytes, or as many as there are.
    mutating func take(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, offset + count)
        defer { offset = max(offset, end) }
        return offset < end ? Array(bytes[offset..<end]) : []
    }

    /// Bytes with their number before them, as one byte.
    mutating func run() -> [UInt8] { take(Int(byte())) }

    /// Bytes with their number before them, as two bytes.
    mutating func longRun() -> [UInt8] { take(Int(byte()) | Int(byte()) << 8) }

    mutating func rest() -> [UInt8] { take(bytes.count) }
}

extension SecretBytes {
    convenience init(_ bytes: [UInt8]) { self.init(copying: bytes.span) }

    var array: [UInt8] { withSpan { $0.array(0, $0.count) } }
}

/// The bytes that `append` writes.
func written(_ append: (SecretBuffer) -> Void) -> [UInt8] {
    let buffer = SecretBuffer(capacity: 256)
    append(buffer)
    return buffer.withSpan { $0.array(0, $0.count) }
}

/// A message in both directions.
struct Format<Message> {
    let read: (inout WireReader) throws(Refusal) -> Message
    let write: (Message, SecretBuffer) -> Void

    init(
        _ read: @escaping (inout WireReader) throws(Refusal) -> Message,
        _ write: @escaping (Message, SecretBuffer) -> Void
    ) { (self.read, self.write) = (read, write) }

    /// Reads the input, which must be the whole of a message.
    ///
    /// A refusal is for malformed input alone. A message that was read is written, and read and written as before.
    ///
    /// - Returns: the message, and the same from its own encoding; nil for a refusal.
    @discardableResult
    func settle(_ input: [UInt8]) -> (first: Message, again: Message)? {
        guard let first = whole(input) else { return nil }
        let encoding = written { write(first, $0) }
        guard let again = whole(encoding) else { fatalError("what was written cannot be read: \(first)") }
        require(written { write(again, $0) } == encoding, "what was read again is written in another way: \(first)")
        return (first, again)
    }

    private func whole(_ input: [UInt8]) -> Message? {
        do throws(Refusal) {
            var reader = WireReader(SecretBytes(input))
            let message = try read(&reader)
            return reader.isAtEnd ? message : nil
        } catch {
            require(error.rule == .malformedFrame && error.status == .param, "a refusal of another kind: \(error)")
            return nil
        }
    }
}

extension Format where Message: Equatable {
    /// As the other one; what is read again is also equal.
    func settleEqually(_ input: [UInt8]) {
        guard let (first, again) = settle(input) else { return }
        require(first == again, "what was read again is another message: \(first) and \(again)")
    }
}

/// The whole of a body that its own reader takes.
func settle<Message>(
    _ input: [UInt8], _ read: @escaping (SecretBytes) throws(Refusal) -> Message,
    _ write: @escaping (Message, SecretBuffer) -> Void
) -> (first: Message, again: Message)? {
    let format = Format<Message>(
        { reader throws(Refusal) in try read(try reader.everything()) }, { message, buffer in write(message, buffer) })
    return format.settle(input)
}

extension WireReader {
    /// All that is left.
    fileprivate mutating func everything() throws(Refusal) -> SecretBytes {
        let buffer = SecretBuffer(capacity: 64)
        while !isAtEnd { buffer.append(try integer(UInt8.self)) }
        return buffer.finish()
    }
}
