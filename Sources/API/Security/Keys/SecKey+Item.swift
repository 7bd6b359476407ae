internal import KeychainCrypto
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// Keys as items: they are added and found by reference, and narrow a query (rules keys.item.free,
/// keys.item.reference).
extension SecKey: ReferencedItem {
    static var itemClass: ItemClass { .key }

    /// The key of an item: a handle if the enclave holds the key, otherwise the key itself; nil for an item without
    /// half of a pair.
    static func object(for item: ItemResponse.Item, _ use: AuthenticationUse) -> (any ReferencedItem)? {
        do throws(Refusal) {
            if let key = try item.attributes.sealedKey() { return SecKey(try SealedKeyMaterial(key, use)) }
        } catch { return nil }
        guard let number = item.attributes[.type]?.number.flatMap(UInt8.init(exactly:)),
            let type = KeyType(number: number), let half = item.attributes[.keyClass]?.number,
            let value = item.attributes.secret(.valueData)
        else { return nil }
        return value.withSpan { key(of: $0, type, isPrivate: half == 1, isPublic: half == 0) }
    }

    private static func key(
        of bytes: Span<UInt8>, _ type: KeyType, isPrivate: Bool, isPublic: Bool
    ) -> SecKey? {
        if isPrivate { return (try? PrivateKey(external: bytes, type: type)).map { SecKey($0) } }
        return isPublic ? (try? PublicKey.read(bytes, type)).map { SecKey($0) } : nil
    }

    /// The attributes that follow from the key, and its bytes or the sealed form of the enclave.
    func itemToAdd() throws(Refusal) -> ReferencedContent {
        let described = try itemAttributes()
        guard let sealed = material as? SealedKeyMaterial else {
            return ReferencedContent(attributes: described, value: try material.externalRepresentation())
        }
        return ReferencedContent(attributes: described + [(.sealedKey, .data(sealed.key.bytes))], value: nil)
    }

    /// Half, type, size and the digest of the public key, which no other pair has.
    func itemToFind() throws(Refusal) -> ReferencedContent {
        let identifying: [AttributeID] = [.keyClass, .type, .keySizeInBits, .applicationLabel]
        return ReferencedContent(
            attributes: try itemAttributes().filter { identifying.contains($0.id) }, value: nil)
    }

    /// The attributes of the key's item (rule keys.attributes.copy). The sealed key contains the access control.
    private func itemAttributes() throws(Refusal) -> [(id: AttributeID, value: AttributeValue)] {
        var attributes: [(id: AttributeID, value: AttributeValue)] = []
        try NSDictionary(dictionary: material.attributes()).forEachEntry { (key, value) throws(Refusal) in
            guard let attribute = key.attribute, attribute.id != .accessControl else { return }
            attributes.append((attribute.id, try attribute.accept(Self.rawValue(value))))
        }
        return attributes
    }

    private static func rawValue(_ object: AnyObject) -> RawValue {
        guard let data = object as? NSData else { return RawValue(object) }
        return data.withSpan { .data($0.array(0, $0.count)) }
    }
}
