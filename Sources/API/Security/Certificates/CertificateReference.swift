internal import KeychainCrypto
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// A certificate stands for its item (rules certificates.item.reference, queries.match.reference).
extension SecCertificate: ReferencedItem {
    static var itemClass: ItemClass { .certificate }

    static func object(for item: ItemResponse.Item, _ use: AuthenticationUse) -> (any ReferencedItem)? {
        Certificate(of: item).map { SecCertificate($0) }
    }

    func itemToAdd() throws(Refusal) -> ReferencedContent {
        var content = try itemToFind()
        content.attributes.append((.certificateEncoding, .number(3)))
        if let identifier = certificate.extensions.subjectKeyIdentifier {
            content.attributes.append((.subjectKeyID, .data(identifier)))
        }
        let summary = certificate.subjectSummary
        if !summary.isEmpty { content.attributes.append((.label, .string(summary))) }
        let encoded = certificate.encoded
        content.value = SecretBytes(copying: encoded.span)
        return content
    }

    func itemToFind() throws(Refusal) -> ReferencedContent {
        let hash: [UInt8]
        do throws(CryptoError) { hash = try certificate.publicKeyHash() } catch {
            throw error.refusal("pkhh")
        }
        return ReferencedContent(attributes: [
            (.certificateType, .number(Int64(certificate.version))), (.subject, .data(certificate.subject.normalized)),
            (.issuer, .data(certificate.issuer.normalized)), (.serialNumber, .data(certificate.serialNumber)),
            (.publicKeyHash, .data(hash)),
        ])
    }
}

extension Certificate {
    /// The certificate in a found item or identity; nil when its bytes are no certificate.
    init?(of item: ItemResponse.Item) {
        let id: AttributeID = item.itemClass == .identity ? .certificateData : .valueData
        guard let bytes = item.attributes.secret(id),
            let certificate = bytes.withSpan({ try? Certificate(parsing: $0) })
        else { return nil }
        self = certificate
    }
}
