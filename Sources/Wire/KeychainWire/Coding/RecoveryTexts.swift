package import KeychainModel
package import LinuxSystem

/// Recovery recipients as texts (`age1…`); whether they are any, the enclave says:
///
///     recovery = count:u8 *text
package struct RecoveryTexts: Hashable, Sendable {
    package let texts: [String]

    /// The most that a file can have.
    package static let most = 7
    /// More than a recipient has.
    private static let textBytes = 128
    package static let none = RecoveryTexts([])

    package init(_ texts: [String]) { self.texts = texts }

    package func append(to buffer: SecretBuffer) {
        buffer.append(UInt8(clamping: texts.count))
        for text in texts { buffer.append(text: text) }
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        let count = try reader.integer(UInt8.self)
        guard count <= Self.most else { throw .malformed("the number of recovery recipients") }
        var texts: [String] = []
        for _ in 0..<count {
            let text = try reader.text()
            guard text.utf8.count <= Self.textBytes else { throw .malformed("a recovery recipient") }
            texts.append(text)
        }
        self.texts = texts
    }
}
