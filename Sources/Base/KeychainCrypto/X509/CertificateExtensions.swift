package import DER

/// The certificate extensions that the keychain reads itself (RFC 5280 section 4.2).
package struct CertificateExtensions: Sendable {
    package private(set) var subjectKeyIdentifier: [UInt8]?
    /// Alternative names by their kind.
    package private(set) var emailAddresses: [String] = []
    package private(set) var dnsNames: [String] = []
    /// Four or sixteen bytes each.
    package private(set) var addresses: [[UInt8]] = []
    /// Whether the certificate may sign others; nil without the extension.
    package private(set) var isAuthority: Bool?
    /// The allowed uses of the key, by the bits of the extension; nil without the extension.
    package private(set) var keyUsage: CertificateKeyUsage?
    /// The purposes of the certificate; nil without the extension.
    package private(set) var extendedKeyUsage: [DERObjectIdentifier]?
    /// Whether it names a source of revocation data: a list (RFC 5280 section 4.2.1.13) or a responder (section
    /// 4.2.2.1).
    package private(set) var namesRevocation = false

    /// Reads `[3] EXPLICIT SEQUENCE OF Extension`; nil means no extensions.
    ///
    /// - Throws: `DERError`, also for extensions in a certificate of an old version, for a duplicate extension, and for
    ///   a known extension that is malformed.
    init(_ element: DERElement?, version: Int, in bytes: Span<UInt8>) throws(DERError) {
        guard let element else { return }
        guard version == 3 else { throw element.unexpected }
        var outer = try element.children(of: .explicit(3))
        var list = try outer.next().children(of: .sequence)
        try outer.finish()
        var seen: Set<DERObjectIdentifier> = []
        while !list.isAtEnd {
            let one = try list.next()
            var parts = try one.children(of: .sequence)
            let type = try parts.next().objectIdentifier(in: bytes)
            guard seen.insert(type).inserted else { throw one.unexpected }
            _ = parts.optional(.boolean)
            let value = try parts.next(.octetString)
            try parts.finish()
            let content = try value.contentBytes(in: bytes)
            try readExtension(type, content.span)
        }
    }

    private mutating func readExtension(_ type: DERObjectIdentifier, _ value: Span<UInt8>) throws(DERError) {
        switch type {
        case .subjectKeyIdentifier:
            let element = try DERElement(parsing: value)
            guard element.tag == .octetString else { throw element.unexpected }
            subjectKeyIdentifier = try element.contentBytes(in: value)
        case .subjectAlternativeName: try readNames(value)
        case .basicConstraints:
            var parts = try DERElement(parsing: value).children(of: .sequence)
            isAuthority = try parts.optional(.boolean)?.boolean(in: value) ?? false
        case .keyUsage: keyUsage = try CertificateKeyUsage(try DERElement(parsing: value), in: value)
        case .extendedKeyUsage:
            var (parts, found) = (try DERElement(parsing: value).children(of: .sequence), [DERObjectIdentifier]())
            while !parts.isAtEnd { found.append(try parts.next().objectIdentifier(in: value)) }
            extendedKeyUsage = found
        case .crlDistributionPoints: namesRevocation = true
        case .authorityInformationAccess where Self.namesResponder(value): namesRevocation = true
        default: break
        }
    }

    /// Whether the value of the authority information access extension names a responder. A malformed value names none.
    private static func namesResponder(_ value: Span<UInt8>) -> Bool {
        guard var list = try? DERElement(parsing: value).children(of: .sequence) else { return false }
        while !list.isAtEnd {
            guard var parts = try? list.next().children(of: .sequence),
                let method = try? parts.next().objectIdentifier(in: value)
            else { return false }
            if method == .ocsp { return true }
        }
        return false
    }

    /// Reads GeneralNames and ignores names of other kinds.
    private mutating func readNames(_ value: Span<UInt8>) throws(DERError) {
        var names = try DERElement(parsing: value).children(of: .sequence)
        while !names.isAtEnd {
            let name = try names.next()
            guard name.tag.kind == .context else { throw name.unexpected }
            switch name.tag {
            case .implicit(1): emailAddresses.append(try Self.ascii(name, in: value))
            case .implicit(2): dnsNames.append(try Self.ascii(name, in: value))
            case .implicit(7): addresses.append(try name.contentBytes(in: value))
            default: break
            }
        }
    }

    private static func ascii(_ name: DERElement, in bytes: Span<UInt8>) throws(DERError) -> String {
        let content = try name.contentBytes(in: bytes)
        // A zero byte would end the name for programs in C, and so turn it into another name.
        guard content.allSatisfy({ (0x01...0x7F).contains($0) }) else { throw name.unexpected }
        return String(decoding: content, as: UTF8.self)
    }
}

/// The bits of the extension keyUsage (RFC 5280 section 4.2.1.3), the first one lowest.
package struct CertificateKeyUsage: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let digitalSignature = Self(rawValue: 1 << 0)
    package static let nonRepudiation = Self(rawValue: 1 << 1)
    package static let keyEncipherment = Self(rawValue: 1 << 2)
    package static let dataEncipherment = Self(rawValue: 1 << 3)
    package static let keyAgreement = Self(rawValue: 1 << 4)
    package static let keyCertSign = Self(rawValue: 1 << 5)
    package static let crlSign = Self(rawValue: 1 << 6)
    package static let encipherOnly = Self(rawValue: 1 << 7)
    package static let decipherOnly = Self(rawValue: 1 << 8)

    init(_ element: DERElement, in bytes: Span<UInt8>) throws(DERError) {
        guard element.tag == .bitString else { throw element.unexpected }
        let content = try element.contentBytes(in: bytes).dropFirst()
        var bits: UInt16 = 0
        for (place, byte) in content.prefix(2).enumerated() {
            for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 { bits |= 1 << UInt16(place * 8 + bit) }
        }
        rawValue = bits
    }
}

extension DERObjectIdentifier {
    package static let subjectKeyIdentifier = Self(2, 5, 29, 14)
    package static let keyUsage = Self(2, 5, 29, 15)
    package static let subjectAlternativeName = Self(2, 5, 29, 17)
    package static let basicConstraints = Self(2, 5, 29, 19)
    package static let extendedKeyUsage = Self(2, 5, 29, 37)
    package static let crlDistributionPoints = Self(2, 5, 29, 31)
    package static let authorityInformationAccess = Self(1, 3, 6, 1, 5, 5, 7, 1, 1)
    package static let ocsp = Self(1, 3, 6, 1, 5, 5, 7, 48, 1)
}
