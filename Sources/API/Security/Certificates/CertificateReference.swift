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
        let encoded = certificate.encoded
        return ReferencedContent(
            attributes: try described { () throws(CryptoError) in try certificate.itemAttributes() },
            value: SecretBytes(copying: encoded.span))
    }

    func itemToFind() throws(Refusal) -> ReferencedContent {
        ReferencedContent(
            attributes: try described { () throws(CryptoError) in try certificate.identifyingAttributes() })
    }

    private func described<Result>(_ body: () throws(CryptoError) -> Result) throws(Refusal) -> Result {
        do throws(CryptoError) { return try body() } catch { throw error.refusal("pkhh") }
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
