import LinuxSystem

/// A stream that is written to. Its buffer may hold secrets, so it is in locked memory.
package final class Output {
    let descriptor: FileDescriptor
    private(set) lazy var isTerminal = descriptor.isTerminal
    /// Why something could not be written; everything after that is dropped.
    private(set) var failure: SystemError?
    private let pending = SecretBuffer(capacity: 0)
    /// Enough that a long list costs few system calls.
    private static let fullBytes = 64 << 10

    init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    /// Writes lines. Whatever is in them that is no part of a line for people is not written as it is
    /// (``ForeignText``).
    package func write(_ text: String) { write { $0.append(utf8: ForeignText.lines(text)) } }

    package func write(_ bytes: Span<UInt8>) {
        guard bytes.count < Self.fullBytes else {
            flush()
            return hand(bytes)
        }
        pending.append(bytes)
        if pending.count >= Self.fullBytes { flush() }
    }

    /// Writes what `body` appends.
    func write(_ body: (SecretBuffer) -> Void) {
        body(pending)
        if pending.count >= Self.fullBytes { flush() }
    }

    /// Writes a JSON value and ends the line.
    package func write(_ json: JSONValue) {
        write { buffer in
            json.append(to: buffer)
            buffer.append(utf8: "\n")
        }
    }

    /// Writes names and what belongs to them in two columns.
    func write(table lines: [(String, String)]) {
        for (name, text) in lines {
            let padding = String(repeating: " ", count: max(0, 13 - name.utf8.count))
            write("\(name)\(padding)\(text.printable)\n")
        }
    }

    /// Hands everything to the system.
    func flush() {
        guard pending.count > 0 else { return }
        pending.withSpan(hand)
        pending.removeAll()
    }

    private func hand(_ bytes: Span<UInt8>) {
        guard failure == nil else { return }
        do throws(SystemError) { try descriptor.writeFully(bytes) } catch { failure = error }
    }
}

extension SecretBuffer {
    /// Appends a text as it is, without its length.
    func append(utf8 text: String) {
        var text = text
        text.withUTF8 { bytes in unsafe append(bytes.span) }
    }
}

extension String {
    /// The foreign text, made safe for a line on a terminal.
    package var printable: String { ForeignText.shown(self) }
    /// The same between our quotation marks.
    var quoted: String { "\"\(ForeignText.shown(self, inQuotes: true))\"" }
}
