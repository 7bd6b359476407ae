import Glibc
import KeychainModel
package import LinuxSystem

/// A stream that is read from. Its bytes may be secret, so they are read into locked memory.
package final class Input {
    let descriptor: FileDescriptor
    private(set) lazy var isTerminal = descriptor.isTerminal
    private let pending = SecretBuffer(capacity: 0)
    private var start = 0
    private var isAtEnd = false
    /// A value at its largest, written twice or in hexadecimal, with a command around it.
    private static let limit = 2 * ItemLimits.valueBytes + (64 << 10)

    package init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    /// Reads a line, without its end; nil when the input has ended.
    ///
    /// - Throws: `SystemError` of `read`; `EFBIG` when the line is longer than any that makes sense.
    package func readLine() throws(SystemError) -> SecretBytes? {
        var searched = start
        while true {
            if let end = firstLineFeed(from: searched) { return take(until: end, dropping: 1) }
            searched = pending.count
            if isAtEnd { return start < pending.count ? take(until: pending.count, dropping: 0) : nil }
            try fill()
        }
    }

    /// Whether another line has come with those that were read.
    var hasLine: Bool { start < pending.count }

    /// Reads everything to the end of the input.
    ///
    /// - Throws: `SystemError` of `read`; `EFBIG` when there is more than any value can have.
    func readAll() throws(SystemError) -> SecretBytes {
        while !isAtEnd { try fill() }
        return take(until: pending.count, dropping: 0)
    }

    /// Forgets what was typed at a terminal before a question was seen.
    func discardTyped() {
        guard isTerminal else { return }
        descriptor.discardTyped()
        pending.removeAll()
        start = 0
    }

    private func firstLineFeed(from offset: Int) -> Int? {
        pending.withSpan { bytes in
            var offset = offset
            while offset < bytes.count {
                if bytes[offset] == UInt8(ascii: "\n") { return offset }
                offset += 1
            }
            return nil
        }
    }

    private func take(until end: Int, dropping separators: Int) -> SecretBytes {
        defer {
            start = end + separators
            if start == pending.count {
                pending.removeAll()
                start = 0
            }
        }
        return pending.withSpan { SecretBytes(copying: $0.extracting(start..<end)) }
    }

    private func fill() throws(SystemError) {
        guard pending.count - start <= Self.limit else {
            throw SystemError(code: EFBIG, call: "read", advice: "a value has at most \(ItemLimits.valueBytes) bytes")
        }
        let before = pending.count
        var filled = 0
        try pending.append(count: 4096) { (span) throws(SystemError) in
            filled = try descriptor.read(into: &span) ?? 0
        }
        pending.truncate(to: before + filled)
        isAtEnd = filled == 0
    }
}
