import Glibc
package import LinuxSystem

/// One word of a command line. It may be a password, so it lives in locked memory and has no `description`.
package struct Argument: Sendable {
    package let bytes: SecretBytes

    /// Takes over the bytes as they came, in whatever encoding.
    package init(_ bytes: SecretBytes) { self.bytes = bytes }

    package init(_ text: String) { bytes = SecretBytes(copying: Array(text.utf8).span) }

    /// Copies a word of the process's own command line, which ends with a zero byte.
    package init(cString word: UnsafePointer<CChar>) {
        let bytes = unsafe UnsafeRawBufferPointer(start: word, count: strlen(word))
        unsafe self.bytes = SecretBytes(copying: bytes.assumingMemoryBound(to: UInt8.self).span)
    }

    /// The word as text for what is no secret; bytes that are not UTF-8 are replaced.
    package var text: String { String(decoding: array, as: UTF8.self) }

    /// Whether the word is UTF-8.
    package var isText: Bool { bytes.withSpan { $0.text(0, $0.count) != nil } }

    /// Whether the word is exactly this text.
    package func matches(_ text: String) -> Bool { bytes.count == text.utf8.count && self.text == text }

    /// The word without its first bytes.
    package func dropping(_ count: Int) -> Argument {
        Argument(bytes.withSpan { SecretBytes(copying: $0.extracting(count...)) })
    }

    /// The word's bytes in ordinary memory; not for secrets.
    package var array: [UInt8] { bytes.withSpan { $0.array(0, $0.count) } }
}
