package import KeychainModel
import KeychainWire
package import LinuxSystem

/// A certificate or half of a key pair, as the keychain stores it: its attributes, and its bytes as the value.
package struct CertificateItem: Sendable {
    package let itemClass: ItemClass
    package let attributes: AttributeList

    package init(_ itemClass: ItemClass, _ attributes: AttributeList) {
        (self.itemClass, self.attributes) = (itemClass, attributes)
    }

    /// An item that the keychain has given, with its value; nil for one that is not such an item, or has no value, as a
    /// key in the enclave.
    package init?(stored itemClass: ItemClass, _ attributes: AttributeList) {
        let allowed = itemClass == .key ? Self.ofKeys : Self.ofCertificates
        let buffer = SecretBuffer()
        for entry in attributes where allowed.contains(entry.id) { buffer.append(entry, of: attributes) }
        guard let list = try? AttributeList(parsing: buffer.finish()) else { return nil }
        self.init(itemClass, list)
        guard isSound else { return nil }
    }

    package var value: SecretBytes { attributes.secret(.valueData) ?? SecretBytes(count: 0) }
    package var label: String { attributes[.label]?.string ?? "" }
    package var isPrivateKey: Bool { itemClass == .key && attributes[.keyClass]?.number == 1 }

    /// The digest of the public key, by which a certificate finds its private key.
    package var keyHash: [UInt8] { attributes[itemClass == .key ? .applicationLabel : .publicKeyHash]?.bytes ?? [] }

    /// The attributes that follow from a certificate or a key. Others, such as the access group, are none of a file's
    /// business.
    private static let certificateAttributes: [AttributeID] = [
        .certificateType, .certificateEncoding, .subject, .issuer, .serialNumber, .subjectKeyID, .publicKeyHash,
        .label, .valueData,
    ]
    private static let keyAttributes: [AttributeID] = [
        .keyClass, .type, .keySizeInBits, .effectiveKeySize, .applicationLabel, .label, .isPermanent, .isPrivate,
        .isModifiable, .isSensitive, .wasAlwaysSensitive, .isExtractable, .wasNeverExtractable, .canEncrypt,
        .canDecrypt, .canDerive, .canSign, .canVerify, .canSignRecover, .canVerifyRecover, .canWrap, .canUnwrap,
        .valueData,
    ]

    private static let ofCertificates = Set(certificateAttributes)
    private static let ofKeys = Set(keyAttributes)

    /// Whether it has the attributes of its class, each once, and no others.
    private var isSound: Bool {
        let ids = attributes.entries.map(\.id)
        guard Set(ids).isSubset(of: itemClass == .key ? Self.ofKeys : Self.ofCertificates),
            Set(ids).count == ids.count, attributes.secret(.valueData)?.count ?? 0 > 0
        else { return false }
        guard itemClass == .key else { return keyHash.count == 20 }
        return keyHash.count == 20 && [0, 1].contains(attributes[.keyClass]?.number)
    }
}

/// Items on the wire: `class:u8 list`.
extension CertificateItem {
    init(reading reader: inout WireReader) throws(Refusal) {
        guard let itemClass = ItemClass(rawValue: try reader.integer(UInt8.self)),
            [.certificate, .key].contains(itemClass)
        else { throw .malformed("a class") }
        let bytes = try reader.secret(atMost: CertificateLimits.fileBytes)
        do throws(AttributeList.Malformed) { self.init(itemClass, try AttributeList(parsing: bytes)) } catch {
            throw .malformed("a list of attributes")
        }
        guard isSound else { throw .malformed("an item") }
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(itemClass.rawValue)
        attributes.withEncoded { buffer.append(bytes: $0) }
    }
}

extension WireReader {
    mutating func certificateItems() throws(Refusal) -> [CertificateItem] {
        var items: [CertificateItem] = []
        for _ in 0..<(try count()) { items.append(try CertificateItem(reading: &self)) }
        return items
    }
}

extension SecretBuffer {
    func append(items: [CertificateItem]) {
        append(count: items.count)
        for item in items { item.append(to: self) }
    }
}
