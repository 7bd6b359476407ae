import KeychainCrypto

/// Certificates of any kind are read or refused, here and by OpenSSL's verifier.
func fuzzCertificate(_ bytes: Span<UInt8>) {
    _ = try? DistinguishedName(parsing: bytes)
    guard let certificate = try? Certificate(parsing: bytes) else { return }
    let count = bytes.count
    precondition(certificate.encoded.count == count)
    _ = (certificate.subjectSummary, certificate.emailAddresses, try? certificate.publicKeyHash())
    _ = try? certificate.subjectPublicKey()
    var verifier = ChainVerifier()
    verifier.purpose = .tlsServer
    verifier.name = .host("www.example.org")
    verifier.others = [certificate]
    let finding = try? verifier.verify(certificate)
    // Without anchors nothing can be believed.
    precondition(finding?.problems.isEmpty != true)
}
