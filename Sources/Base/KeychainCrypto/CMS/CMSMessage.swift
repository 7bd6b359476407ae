import COpenSSL
package import DER
import KeychainModel
import LinuxSystem

/// A cryptographic message (RFC 5652) after reading: decrypted where it was encrypted, with its signatures verified.
package struct CMSMessage: Sendable {
    package struct Signer: Sendable {
        /// The signer's certificate, if the message has it.
        package let certificate: Certificate?
        /// The time of signing, as the signer states it: seconds since 2001.
        package let signingTime: Double?
        /// Whether the signature holds; nil when the content is not in the message and was not given.
        package let holds: Bool?
    }

    package internal(set) var isEncrypted = false
    /// Whether the message contains signed data, with signatures or without.
    package internal(set) var isSigned = false
    /// The type of the signed content.
    package internal(set) var contentType: DERObjectIdentifier?
    /// The content; nil when it is not in the message.
    package internal(set) var content: [UInt8]?
    package internal(set) var certificates: [Certificate] = []
    package internal(set) var signers: [Signer] = []

    /// More than any mail. Larger data is encrypted as a file, and its key goes by mail.
    package static let mostBytes = 256 << 20
    /// The limit exists because verifying a signature takes time.
    static let mostSigners = 64
    static let mostCertificates = 256
    /// A message may be encrypted and signed inside, each up to twice.
    static let mostLevels = 4

    /// Finds the private key for one of the certificates that a message is encrypted for.
    package typealias KeySearch = ((Certificate) -> Bool) throws(CMSError) -> CMSWriter.Signer?

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - content: the signed content, if it is not in the message.
    ///   - key: called when the message is encrypted, with a function that says whether a certificate is a recipient.
    /// - Throws: `CMSError`.
    package init(_ bytes: [UInt8], content: [UInt8]?, key: KeySearch) throws(CMSError) {
        defer { ERR_clear_error() }
        var (bytes, levels) = (bytes, 0)
        while true {
            guard bytes.count <= Self.mostBytes, levels < Self.mostLevels else { throw .tooLarge }
            levels += 1
            let message = try CMSHandle(reading: bytes)
            switch message.kind {
            case NID_pkcs7_signed:
                try readSigned(message, content)
                return
            case NID_pkcs7_enveloped:
                isEncrypted = true
                let (opened, type) = try message.opened(key)
                guard type == .cmsSignedData else {
                    self.content = opened
                    return
                }
                bytes = Self.contentInfo(ofSigned: opened)
            default: throw .unknownKind
            }
        }
    }

    private static func contentInfo(ofSigned content: [UInt8]) -> [UInt8] {
        var writer = DERWriter()
        writer.element(.sequence) { (writer) in
            writer.objectIdentifier(.cmsSignedData)
            writer.element(.explicit(0)) { (writer) in writer.encoded(content) }
        }
        return writer.bytes
    }

    private mutating func readSigned(_ message: CMSHandle, _ given: [UInt8]?) throws(CMSError) {
        isSigned = true
        contentType = message.contentType
        let handles = try message.certificates()
        certificates = handles.map(\.certificate)
        let isInside = message.hasContent
        let read = try message.verifySignatures(handles, isInside ? nil : given, isInside || given != nil)
        signers = read.signers
        if isInside { content = read.content }
    }
}
