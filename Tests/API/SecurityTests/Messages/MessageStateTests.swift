import Security
import TestSupport
import Testing

@Suite("encoders and decoders refuse what comes too late, too early or is none", .rule("certificates.message.state"))
struct MessageStateTests {
    private func encoder() throws -> CMSEncoder {
        var encoder: CMSEncoder?
        #expect(unsafe CMSEncoderCreate(&encoder) == errSecSuccess)
        return try #require(encoder)
    }

    private func update(_ encoder: CMSEncoder, _ text: String = "content") -> OSStatus {
        unsafe Array(text.utf8).withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return errSecParam }
            return unsafe CMSEncoderUpdateContent(encoder, start, bytes.count)
        }
    }

    private func finish(_ encoder: CMSEncoder) -> (status: OSStatus, message: Data?) {
        var made: CFData?
        return (unsafe CMSEncoderCopyEncodedContent(encoder, &made), made as Data?)
    }

    @Test("What a message is to be is said before its content, and it is made once")
    func order() throws {
        let encoder = try encoder()
        #expect(update(encoder) == errSecParam)
        #expect(CMSEncoderAddSigners(encoder, try importedIdentity()) == errSecSuccess)
        #expect(finish(encoder).status == errSecParam)
        #expect(update(encoder) == errSecSuccess && update(encoder) == errSecSuccess)
        #expect(CMSEncoderAddRecipients(encoder, try secCertificate("key-rsa")) == errSecParam)
        #expect(CMSEncoderSetHasDetachedContent(encoder, true) == errSecParam)
        let made = try #require(finish(encoder).message)
        #expect(finish(encoder).status == errSecParam && update(encoder) == errSecParam)
        #expect(content(try decoder(made).decoder) == Data("contentcontent"))
    }

    @Test("What was said is returned: signers, recipients, certificates, kind, chain, digest")
    func settings() throws {
        let (encoder, identity) = (try encoder(), try importedIdentity())
        var list: CFArray?
        #expect(unsafe CMSEncoderCopySigners(encoder, &list) == errSecSuccess && list == nil)
        #expect(CMSEncoderAddSigners(encoder, [identity] as CFArray) == errSecSuccess)
        #expect(unsafe CMSEncoderCopySigners(encoder, &list) == errSecSuccess && list as? [SecIdentity] == [identity])
        #expect(CMSEncoderAddSigners(encoder, "no identity" as CFString) == errSecParam)
        #expect(CMSEncoderSetSignerAlgorithm(encoder, kCMSEncoderDigestAlgorithmSHA1) == errSecSuccess)
        #expect(CMSEncoderSetSignerAlgorithm(encoder, "md5" as CFString) == errSecParam)
        #expect(CMSEncoderAddSignedAttributes(encoder, .attrAppleExpirationTime) == errSecUnimplemented)
        #expect(CMSEncoderSetCertificateChainMode(encoder, .none) == errSecSuccess)
        var mode = CMSCertificateChainMode.chain
        #expect(unsafe CMSEncoderGetCertificateChainMode(encoder, &mode) == errSecSuccess && mode == .none)
        #expect(
            CMSEncoderSetEncapsulatedContentTypeOID(encoder, "1.2.840.113549.1.9.16.1.4" as CFString) == errSecSuccess)
        #expect(CMSEncoderSetEncapsulatedContentTypeOID(encoder, "1.2." as CFString) == errSecParam)
        #expect(update(encoder) == errSecSuccess)
        let decoder = try decoder(try #require(finish(encoder).message)).decoder
        var (type, certificates): (CFData?, CFArray?)
        #expect(unsafe CMSDecoderCopyEncapsulatedContentType(decoder, &type) == errSecSuccess)
        #expect(type as Data? == Data(hexadecimal: "2A864886F70D0109100104"))
        #expect(unsafe CMSDecoderCopyAllCerts(decoder, &certificates) == errSecSuccess && certificates == nil)
        // Without its certificate a signature cannot be verified.
        #expect(signerStatus(decoder) == .invalidSignature)
    }

    @Test("Certificates alone are a message; nothing that is encrypted stays outside")
    func certificatesAlone() throws {
        let encoder = try encoder()
        #expect(CMSEncoderAddSupportingCerts(encoder, [try secCertificate("server")] as CFArray) == errSecSuccess)
        let decoder = try decoder(try #require(finish(encoder).message)).decoder
        var certificates: CFArray?
        unsafe CMSDecoderCopyAllCerts(decoder, &certificates)
        #expect(certificates as? [SecCertificate] == [try secCertificate("server")])
        let carrier = try self.encoder()
        CMSEncoderAddSupportingCerts(carrier, try secCertificate("server"))
        #expect(update(carrier) == errSecSuccess)
        let carried = try SecurityTests.decoder(try #require(finish(carrier).message)).decoder
        #expect(content(carried) == Data("content") && signerStatus(carried) == .invalidIndex)
        let other = try self.encoder()
        CMSEncoderAddRecipients(other, try secCertificate("key-rsa"))
        CMSEncoderSetHasDetachedContent(other, true)
        #expect(update(other) == errSecParam)
    }

    @Test("A chain that is to end with a root and has none makes no message")
    func rootOrFail() throws {
        let encoder = try encoder()
        CMSEncoderAddSigners(encoder, try importedIdentity("aes"))
        CMSEncoderSetCertificateChainMode(encoder, .chainWithRootOrFail)
        #expect(update(encoder) == errSecSuccess)
        #expect(finish(encoder).status == errSecCreateChainFailed)
    }

    @Test("A decoder says nothing before its message is read, and is made for one message")
    func decoding() throws {
        var made: CMSDecoder?
        unsafe CMSDecoderCreate(&made)
        let empty = try #require(made)
        var count = 7
        #expect(unsafe CMSDecoderGetNumSigners(empty, &count) == errSecParam && count == 7)
        #expect(CMSDecoderFinalizeMessage(empty) == errSecParam)
        let (decoder, status) = try decoder(Data("no message at all"))
        #expect(status == errSecUnknownFormat)
        #expect(CMSDecoderFinalizeMessage(decoder) == errSecParam)
        #expect(unsafe CMSDecoderGetNumSigners(decoder, &count) == errSecParam)
        #expect(unsafe CMSDecoderUpdateMessage(decoder, "x", 1) == errSecParam)
    }

    @Test(
        "A damaged message is read or refused, and never has other content under a signature that holds"
    )
    func damaged() throws {
        let text = Data("content")
        let made = try message(text, signers: [importedIdentity("aes")], .attrSigningTime)
        for index in stride(from: 0, to: made.count, by: 3) {
            var changed = made
            changed[index] ^= 0x41
            for damaged in [changed, made.prefix(index)] where !damaged.isEmpty {
                let (decoder, status) = try decoder(Data(damaged))
                guard status == errSecSuccess else { continue }
                if signerStatus(decoder) == .valid { #expect(content(decoder) == text) }
            }
        }
    }
}
