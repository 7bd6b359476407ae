import CertificateWire
import DER
import KeychainCrypto
import KeychainModel

extension Certificate {
    /// The whole names, the key and the uses, as people read them.
    var details: CertificateFacts.Details {
        .init(subject: subject.line, issuer: issuer.line, key: keyLine, uses: usageNames)
    }

    /// The type and the size of the key; empty for one that is not known here.
    private var keyLine: String {
        guard let key = try? subjectPublicKey() else { return "" }
        return switch key.type {
        case .rsa: "RSA, \(key.bits) bits"
        case .ecSECPrimeRandom: "P-\(key.bits)"
        case .ed25519: "Ed25519"
        case .x25519: "X25519"
        }
    }

    private static let usages: [(CertificateKeyUsage, String)] = [
        (.digitalSignature, "digital signature"), (.nonRepudiation, "non-repudiation"),
        (.keyEncipherment, "key encipherment"), (.dataEncipherment, "data encipherment"),
        (.keyAgreement, "key agreement"), (.keyCertSign, "certificate signing"), (.crlSign, "CRL signing"),
        (.encipherOnly, "encipher only"), (.decipherOnly, "decipher only"),
    ]

    /// RFC 5280 section 4.2.1.12.
    private static let purposes: [DERObjectIdentifier: String] = [
        DERObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 1): "TLS server",
        DERObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 2): "TLS client",
        DERObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 3): "code signing",
        DERObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 4): "email protection",
        DERObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 8): "time stamping",
        DERObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 9): "OCSP signing",
        DERObjectIdentifier(2, 5, 29, 37, 0): "any purpose",
    ]

    /// The names of the uses that the extensions have. More than a few are somebody's attempt.
    private var usageNames: [String] {
        let usage = extensions.keyUsage ?? []
        let purposes = (extensions.extendedKeyUsage ?? []).prefix(Self.mostPurposes)
        return Self.usages.filter { usage.contains($0.0) }.map(\.1)
            + purposes.map { Self.purposes[$0] ?? "another purpose" }
    }

    private static let mostPurposes = 16
}

extension DistinguishedName {
    /// The short names of RFC 4514 section 3, and of an address.
    private static let types: [DERObjectIdentifier: String] = [
        .commonName: "CN", .organization: "O", .organizationalUnit: "OU", .emailAddress: "emailAddress",
        DERObjectIdentifier(2, 5, 4, 6): "C", DERObjectIdentifier(2, 5, 4, 7): "L",
        DERObjectIdentifier(2, 5, 4, 8): "ST", DERObjectIdentifier(2, 5, 4, 9): "STREET",
        DERObjectIdentifier(0, 9, 2342, 19_200_300, 100, 1, 25): "DC",
        DERObjectIdentifier(0, 9, 2342, 19_200_300, 100, 1, 1): "UID",
    ]
    /// A screen has room for no more.
    private static let mostAttributes = 16

    /// The name in a line, the most specific part first. Parts of other types are left out.
    fileprivate var line: String {
        attributes.reversed().compactMap { attribute in
            guard let type = Self.types[attribute.type], let text = attribute.text else { return nil }
            return "\(type)=\(text)"
        }.prefix(Self.mostAttributes).joined(separator: ", ")
    }
}
