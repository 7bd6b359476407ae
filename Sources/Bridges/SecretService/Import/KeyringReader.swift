import LinuxSystem

/// Reads numbers and texts of gnome-keyring's files one after another. Numbers have their highest byte first.
struct KeyringReader {
    private let bytes: SecretBytes
    private var offset = 0

    /// The file ends where a value should be.
    struct Cut: Error {}

    /// The length of a text that is none.
    private static let none = UInt32.max

    init(_ bytes: SecretBytes) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func number() throws(Cut) -> UInt32 {
        let start = try advance(4)
        return bytes.withSpan { bytes in (start..<start + 4).reduce(0) { $0 << 8 | UInt32(bytes[$1]) } }
    }

    mutating func skip(numbers count: Int) throws(Cut) { _ = try advance(4 * count) }

    mutating func bytes(_ count: Int) throws(Cut) -> SecretBytes {
        let start = try advance(count)
        return bytes.withSpan { SecretBytes(copying: $0.extracting(start..<start + count)) }
    }

    /// Bytes behind their length; empty for none.
    mutating func secret() throws(Cut) -> SecretBytes {
        let count = try number()
        return try bytes(count == Self.none ? 0 : Int(count))
    }

    /// A text behind its length; nil for bytes that are none.
    mutating func text() throws(Cut) -> String? {
        let secret = try secret()
        return secret.withSpan { $0.text(0, $0.count) }
    }

    private mutating func advance(_ count: Int) throws(Cut) -> Int {
        guard count <= bytes.count - offset else { throw Cut() }
        defer { offset += count }
        return offset
    }
}
