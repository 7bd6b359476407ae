package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The body of a request or of an answer. Both ends use the same two functions.
package protocol EnclaveMessage: SendableMetatype {
    func append(to buffer: SecretBuffer)

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    init(from reader: inout WireReader) throws(Refusal)
}

extension EnclaveMessage {
    /// Reads a whole body.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read, or when bytes are left over.
    init(decoding body: SecretBytes, _ name: String) throws(Refusal) {
        var reader = WireReader(body)
        self = try Self(from: &reader)
        guard reader.isAtEnd else { throw .malformed("the end of \(name)") }
    }
}
