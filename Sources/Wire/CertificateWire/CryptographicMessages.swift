package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Makes a cryptographic message (RFC 5652).
package struct WriteMessage: CertificateTask {
    package static let kind = CertificateTaskKind.writeMessage
    package let content: SecretBytes
    /// A certificate and its private key; empty for a message without a signature.
    package var signer: [CertificateItem] = []
    /// The certificates whose keys decrypt it, in DER.
    package var recipients: [[UInt8]] = []
    /// Certificates to include, in DER.
    package var certificates: [[UInt8]] = []
    /// The digest of the content, by its size in bits; 1 for SHA-1.
    package var digestBits: UInt16 = 256
    package var isDetached = false
    package var namesTime = false

    package init(_ content: SecretBytes) { self.content = content }

    package init(reading reader: inout WireReader) throws(Refusal) {
        content = try reader.secret(atMost: CertificateLimits.fileBytes)
        signer = try reader.certificateItems()
        (recipients, certificates) = (try reader.certificates(), try reader.certificates())
        digestBits = try reader.integer(UInt16.self)
        (isDetached, namesTime) = (try reader.flag(), try reader.flag())
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(secret: content)
        buffer.append(items: signer)
        buffer.append(certificates: recipients)
        buffer.append(certificates: certificates)
        buffer.append(littleEndian: digestBits)
        buffer.append(flag: isDetached)
        buffer.append(flag: namesTime)
    }

    /// The message in DER.
    package typealias Answer = WriteFile.Answer
}

/// Reads a cryptographic message: decrypts it, and verifies its signatures.
package struct ReadMessage: CertificateTask {
    package static let kind = CertificateTaskKind.readMessage
    package let message: SecretBytes
    /// The signed content, where it is not in the message.
    package var content: SecretBytes?
    /// Certificates and private keys, among which are those of a recipient.
    package var keys: [CertificateItem] = []

    package init(_ message: SecretBytes) { self.message = message }

    package init(reading reader: inout WireReader) throws(Refusal) {
        message = try reader.secret(atMost: CertificateLimits.fileBytes)
        content = try reader.flag() ? try reader.secret(atMost: CertificateLimits.fileBytes) : nil
        keys = try reader.certificateItems()
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(secret: message)
        buffer.append(flag: content != nil)
        if let content { buffer.append(secret: content) }
        buffer.append(items: keys)
    }

    package struct Answer: CertificateAnswer {
        package let content: SecretBytes
        package let isEncrypted: Bool
        package let signers: [MessageSigner]

        package init(_ content: SecretBytes, isEncrypted: Bool, _ signers: [MessageSigner]) {
            (self.content, self.isEncrypted, self.signers) = (content, isEncrypted, signers)
        }

        package init(reading reader: inout WireReader) throws(Refusal) {
            content = try reader.secret(atMost: CertificateLimits.fileBytes)
            isEncrypted = try reader.flag()
            var signers: [MessageSigner] = []
            for _ in 0..<(try reader.count(atMost: 256)) { signers.append(try MessageSigner(reading: &reader)) }
            self.signers = signers
        }

        package func append(to buffer: SecretBuffer) {
            buffer.append(secret: content)
            buffer.append(flag: isEncrypted)
            buffer.append(count: signers.count)
            for signer in signers { signer.append(to: buffer) }
        }
    }
}

/// A signature of a message.
package struct MessageSigner: Sendable {
    /// In DER; empty when the message does not have it.
    package let certificate: [UInt8]
    /// Whether the signature holds.
    package let holds: Bool

    package init(_ certificate: [UInt8], holds: Bool) { (self.certificate, self.holds) = (certificate, holds) }

    init(reading reader: inout WireReader) throws(Refusal) {
        certificate = try reader.bytes(atMost: CertificateLimits.certificateBytes)
        holds = try reader.flag()
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(bytes: certificate.span)
        buffer.append(flag: holds)
    }
}
