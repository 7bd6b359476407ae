package import DER
internal import KeychainModel

/// An X.509 certificate (RFC 5280): its bytes and its fields.
///
/// Reading it proves nothing about it: ``ChainVerifier`` decides whether its signature holds and whether to trust it.
package struct Certificate: Hashable, Sendable {
    /// The whole certificate.
    package let encoded: [UInt8]
    /// The version: 1, 2 or 3.
    package let version: Int
    /// The content of the serial number: big-endian, with a zero before a high first bit.
    package let serialNumber: [UInt8]
    package let issuer: DistinguishedName
    package let subject: DistinguishedName
    /// Seconds since 2001-01-01 00:00 UTC.
    package let notBefore: Double
    package let notAfter: Double
    /// The subject's public key with its algorithm.
    package let subjectPublicKeyInfo: [UInt8]
    /// The key alone: the bytes of the bit string.
    package let publicKey: [UInt8]
    package let extensions: CertificateExtensions

    /// Reads bytes that must be exactly one certificate.
    ///
    /// - Throws: `DERError`.
    package init(parsing bytes: Span<UInt8>) throws(DERError) {
        let whole = try DERElement(parsing: bytes)
        encoded = try whole.encodedBytes(in: bytes)
        var parts = try whole.children(of: .sequence)
        var fields = try parts.next().children(of: .sequence)
        let (algorithm, signature) = (try parts.next(.sequence), try parts.next(.bitString))
        try parts.finish()
        _ = try signature.wholeBytes(in: bytes)

        version = try Self.version(fields.optional(.explicit(0)), in: bytes)
        serialNumber = try fields.next(.integer).contentBytes(in: bytes)
        let signedAlgorithm = try fields.next(.sequence)
        // The algorithm outside of the signed part must be the one inside (RFC 5280 section 4.1.1.2). Some issuers
        // write NULL parameters in one and none in the other. Such a certificate is read, but its signature is never
        // verified.
        guard try Self.algorithmName(algorithm, in: bytes) == Self.algorithmName(signedAlgorithm, in: bytes) else {
            throw algorithm.unexpected
        }
        issuer = try DistinguishedName(try fields.next(), in: bytes)
        var validity = try fields.next().children(of: .sequence)
        (notBefore, notAfter) = (try validity.next().time(in: bytes), try validity.next().time(in: bytes))
        try validity.finish()
        subject = try DistinguishedName(try fields.next(), in: bytes)
        let key = try fields.next(.sequence)
        subjectPublicKeyInfo = try key.encodedBytes(in: bytes)
        publicKey = try Self.publicKey(key, in: bytes)
        // These are the unique identifiers, which nobody uses.
        for number: UInt32 in 1...2 { _ = fields.optional(.implicit(number)) }
        extensions = try CertificateExtensions(fields.optional(.explicit(3)), version: version, in: bytes)
        try fields.finish()
    }

    /// The encoded identifier at the start of an AlgorithmIdentifier.
    private static func algorithmName(_ element: DERElement, in bytes: Span<UInt8>) throws(DERError) -> [UInt8] {
        var content = try element.children(of: .sequence)
        return try content.next(.objectIdentifier).encodedBytes(in: bytes)
    }

    private static func version(_ element: DERElement?, in bytes: Span<UInt8>) throws(DERError) -> Int {
        guard let element else { return 1 }
        var content = try element.children(of: .explicit(0))
        let number = try content.next()
        try content.finish()
        let version = try number.smallInteger(in: bytes)
        guard version <= 2 else { throw number.unexpected }
        return version + 1
    }

    private static func publicKey(_ info: DERElement, in bytes: Span<UInt8>) throws(DERError) -> [UInt8] {
        var parts = try info.children(of: .sequence)
        _ = try parts.next(.sequence)
        let key = try parts.next(.bitString)
        try parts.finish()
        return try key.wholeBytes(in: bytes)
    }

    /// Two certificates are equal when their bytes are.
    package static func == (left: Self, right: Self) -> Bool { left.encoded == right.encoded }

    package func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

extension Certificate {
    /// Whether the subject is its own issuer, as in a root certificate.
    package var isSelfIssued: Bool { subject.normalized == issuer.normalized }

    /// The last common name of the subject, which is its most specific one.
    package var commonName: String? { subject.texts(of: .commonName).last }

    /// The name of the subject for people: its common name, otherwise its unit, organisation or address, otherwise the
    /// first alternative name or any text of the name. Empty when there is none of these.
    package var subjectSummary: String {
        let alternative = extensions.emailAddresses.first ?? extensions.dnsNames.first
        return subject.knownName ?? alternative ?? subject.summary ?? ""
    }

    /// The email addresses in the certificate: those among the alternative names, then those of the subject, each once.
    package var emailAddresses: [String] {
        var seen: Set<String> = []
        return (extensions.emailAddresses + subject.texts(of: .emailAddress)).filter { seen.insert($0).inserted }
    }

    /// SHA-1 of the public key's bytes, by which an identity finds its private key.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func publicKeyHash() throws(CryptoError) -> [UInt8] {
        try Digest.of(publicKey.span, .sha1)
    }

    /// The subject's key, for verifying and encrypting.
    ///
    /// - Throws: `CryptoError.malformedKey` for keys of other types and malformed keys; `.unsupportedKeySize`,
    ///   `.libraryFailure`.
    package func subjectPublicKey() throws(CryptoError) -> PublicKey {
        try PublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo.span)
    }
}
