import Security
import TestSupport
import Testing

@Suite("cryptographic messages are made and read", .rule("certificates.message.signed"))
struct MessageTests {
    private let text = Data("The content of a message.\r\nIts second line.\n")

    /// Files for `openssl cms`, an independent implementation.
    private func pem(_ folder: TemporaryDirectory, _ name: String, isKey: Bool) throws -> String {
        let bytes = Data(try CertificateFixtures.bytes(name + (isKey ? ".key" : ".der")))
        let label = isKey ? "PRIVATE KEY" : "CERTIFICATE"
        let path = folder.path + "/\(name)-\(isKey).pem"
        let lines =
            "-----BEGIN \(label)-----\n"
            + bytes.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        try Data((lines + "\n-----END \(label)-----\n").utf8).write(to: URL(filePath: path))
        return path
    }

    private func openssl(_ arguments: [String], _ input: Data) throws -> Data {
        try OpenSSLCommand.convert(["cms", "-binary"] + arguments, input)
    }

    @Test(
        "A signed message is verified by openssl, with attributes and without, for RSA and a curve",
        arguments: ["rsa", "aes"],
        [[], .attrSigningTime, [.attrSigningTime, .attrSmimeCapabilities]] as [CMSSignedAttributes])
    func signed(file: String, attributes: CMSSignedAttributes) throws {
        let made = try message(text, signers: [importedIdentity(file)], attributes)
        #expect(try openssl(["-verify", "-noverify", "-inform", "DER"], made) == text)
    }

    @Test("What openssl has signed is read: content, signer, time and worth", arguments: ["key-rsa", "server"])
    func read(name: String) throws {
        let folder = try TemporaryDirectory()
        let (certificate, key) = try (pem(folder, name, isKey: false), pem(folder, name, isKey: true))
        let made = try openssl(["-sign", "-nodetach", "-signer", certificate, "-inkey", key, "-outform", "DER"], text)
        let (decoder, status) = try decoder(made)
        #expect(status == errSecSuccess && content(decoder) == text)
        var (count, isEncrypted, signer, time) = (0, DarwinBoolean(true), nil as SecCertificate?, 0.0)
        #expect(unsafe CMSDecoderGetNumSigners(decoder, &count) == errSecSuccess && count == 1)
        #expect(unsafe CMSDecoderIsContentEncrypted(decoder, &isEncrypted) == errSecSuccess && !isEncrypted.boolValue)
        #expect(unsafe CMSDecoderCopySignerCert(decoder, 0, &signer) == errSecSuccess)
        #expect(signer == (try secCertificate(name)))
        #expect(unsafe CMSDecoderCopySignerSigningTime(decoder, 0, &time) == errSecSuccess)
        #expect(abs(time - Date().timeIntervalSinceReferenceDate) < 600)
        #expect(signerStatus(decoder) == .valid)
        #expect(signerStatus(decoder, evaluating: true) == .invalidCert)
        #expect(signerStatus(decoder, 1) == .invalidIndex)
    }

    @Test("A signature over other content, and one by another key, does not hold")
    func tampered() throws {
        let made = try message(text, signers: [importedIdentity()], .attrSigningTime)
        let place = try #require(made.range(of: text))
        var other = made
        other[place.lowerBound] ^= 1
        #expect(try signerStatus(decoder(other).decoder) == .invalidSignature)
        var forged = made
        forged[made.count - 1] ^= 1
        #expect(try signerStatus(decoder(forged).decoder) == .invalidSignature)
    }

    @Test("Content that stays outside is asked for, and counts, before the message is read and after")
    func detached() throws {
        let made = try message(text, signers: [importedIdentity()], detached: true, .attrSigningTime)
        #expect(made.range(of: text) == nil)
        let without = try decoder(made).decoder
        #expect(content(without) == nil && signerStatus(without) == .needsDetachedContent)
        #expect(CMSDecoderSetDetachedContent(without, text as CFData) == errSecSuccess)
        #expect(signerStatus(without) == .valid)
        #expect(try signerStatus(decoder(made, detached: text).decoder) == .valid)
        #expect(try signerStatus(decoder(made, detached: Data("other")).decoder) == .invalidSignature)
    }

    @Test("A message for a certificate is opened by openssl, and one of openssl's with an identity of the keychain")
    func encrypted() throws {
        let folder = try TemporaryDirectory()
        let key = try pem(folder, "key-rsa", isKey: true)
        let made = try message(text, recipients: [secCertificate("key-rsa")])
        #expect(try openssl(["-decrypt", "-inform", "DER", "-inkey", key], made) == text)
        let certificate = try pem(folder, "key-rsa", isKey: false)
        let theirs = try openssl(["-encrypt", "-aes256", "-outform", "DER", "-recip", certificate], text)
        try withKeychain { _ in
            #expect(try decoder(theirs).status == errSecItemNotFound)
            #expect(add([kSecValueRef: try importedIdentity()]) == errSecSuccess)
            for message in [made, theirs] {
                let (decoder, status) = try decoder(message)
                #expect(status == errSecSuccess && content(decoder) == text)
                #expect(signerStatus(decoder) == .unsigned)
            }
        }
    }

    @Test("What is signed and then encrypted is both when it is read")
    func signedAndEncrypted() throws {
        let made = try message(
            text, signers: [importedIdentity()], recipients: [secCertificate("key-rsa")], .attrSigningTime)
        try withKeychain { _ in
            add([kSecValueRef: try importedIdentity()])
            let (decoder, status) = try decoder(made)
            var isEncrypted = DarwinBoolean(false)
            unsafe CMSDecoderIsContentEncrypted(decoder, &isEncrypted)
            #expect(status == errSecSuccess && isEncrypted.boolValue && content(decoder) == text)
            #expect(signerStatus(decoder) == .valid)
        }
    }

    @Test("A key that does not leave the enclave opens no message, and the refusal says so")
    func sealedKey() throws {
        let made = try message(text, recipients: [secCertificate("key-rsa")])
        try withKeychain { _ in
            add([kSecValueRef: try importedIdentity(), kSecAttrIsExtractable: false])
            #expect(try decoder(made).status == errSecUnimplemented)
            #expect(SecCopyLastItemError()?.problem.contains("enclave") == true)
        }
    }
}
