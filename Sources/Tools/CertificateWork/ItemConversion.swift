import CertificateWire
import DER
import KeychainCrypto
import KeychainModel
import LinuxSystem

extension ExternalItem {
    /// The keychain's items for what a file holds.
    ///
    /// - Parameter name: the file's name for it.
    func items(named name: String?) throws(CryptoError) -> [CertificateItem] {
        switch self {
        case .certificate(let certificate): [try CertificateItem(certificate)]
        case .privateKey(let key): [try CertificateItem(key, named: name)]
        case .publicKey(let key): [try CertificateItem(key, named: name)]
        case .identity(let key, let certificate):
            [try CertificateItem(key, named: name), try CertificateItem(certificate)]
        }
    }
}

extension CertificateItem {
    init(_ certificate: Certificate) throws(CryptoError) {
        let encoded = certificate.encoded
        try self.init(.certificate, try certificate.itemAttributes(), SecretBytes(copying: encoded.span))
    }

    /// Scripts for macOS find imported keys by the labels that its command gives those without a name.
    init(_ key: PrivateKey, named name: String?) throws(CryptoError) {
        let label: ItemAttributes = [(.label, .string(name ?? "Imported Private Key"))]
        try self.init(.key, try key.publicKey.itemAttributes(of: .private) + label, try key.external())
    }

    init(_ key: PublicKey, named name: String?) throws(CryptoError) {
        let external = key.external()
        let label: ItemAttributes = [(.label, .string(name ?? "Imported Public Key"))]
        try self.init(.key, try key.itemAttributes(of: .public) + label, SecretBytes(copying: external.span))
    }

    private init(
        _ itemClass: ItemClass, _ attributes: ItemAttributes, _ value: SecretBytes
    ) throws(CryptoError) {
        let buffer = SecretBuffer()
        for (id, value) in attributes { buffer.append(id, value) }
        value.withSpan { buffer.append(.valueData, .data, $0) }
        do throws(AttributeList.Malformed) { self.init(itemClass, try AttributeList(parsing: buffer.finish())) } catch {
            throw .libraryFailure
        }
    }

    /// The certificate or key that the item's bytes are.
    func external() throws(Refusal) -> ExternalItem {
        try value.withSpan { (bytes) throws(Refusal) in
            guard itemClass == .key else { return .certificate(try Certificate(reading: bytes)) }
            guard let type = attributes[.type]?.number.flatMap(UInt8.init(exactly:)).flatMap(KeyType.init(number:))
            else { throw CryptoError.malformedKey.refusal(label) }
            do throws(CryptoError) {
                return isPrivateKey
                    ? .privateKey(try PrivateKey(external: bytes, type: type))
                    : .publicKey(try PublicKey(external: bytes, type: type))
            } catch { throw error.refusal(label) }
        }
    }
}

extension Certificate {
    /// Reads bytes that must be exactly one certificate.
    init(reading bytes: Span<UInt8>) throws(Refusal) {
        do throws(DERError) { try self.init(parsing: bytes) } catch {
            throw CryptoError.malformedCertificate.refusal("certificate")
        }
    }
}
