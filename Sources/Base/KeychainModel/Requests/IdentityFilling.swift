package import LinuxSystem

/// The attributes and the value of an object: an item, or one half of an identity.
package struct ItemContent {
    package var attributes: [(id: AttributeID, value: AttributeValue)]
    package var value: SecretBytes?

    package init(attributes: [(id: AttributeID, value: AttributeValue)], value: SecretBytes?) {
        self.attributes = attributes
        self.value = value
    }
}

extension ItemRequestBuilder {
    /// Turns the request into the addition of an identity given by reference: see ``ItemRequest/identityParts``.
    ///
    /// Attributes of the dictionary go to each half that has them, and override the object's.
    ///
    /// - Throws: `errSecParam` when the dictionary has a value, which could be that of either half; for a certificate
    ///   or key that is too large.
    package mutating func fillIdentity(certificate: ItemContent, key: ItemContent) throws(Refusal) {
        guard present & AttributeID.valueData.bit == 0 else {
            throw Refusal(
                .param, .contradiction, "v_Data", "An identity has two values, and kSecValueRef names both.",
                do: "Leave kSecValueData out.")
        }
        let given: AttributeList
        do throws(AttributeList.Malformed) { given = try AttributeList(parsing: query.copy()) } catch {
            throw .tooManyKeys
        }
        query.removeAll()
        let changes = listOfChanges()
        for entry in given {
            let isKeys = AttributeTable.attribute(id: entry.id)?.belongs(to: .key) == true
            let isCertificates = AttributeTable.attribute(id: entry.id)?.belongs(to: .certificate) == true
            if isKeys { changes.append(entry, of: given) }
            // An attribute of neither half is refused as one of the certificate.
            if isCertificates || !isKeys { query.append(entry, of: given) }
        }
        try Self.appendMissing(of: certificate, to: query, unless: given)
        try Self.appendMissing(of: key, to: changes, unless: given)
    }

    private static func appendMissing(
        of content: ItemContent, to list: SecretBuffer, unless given: AttributeList
    ) throws(Refusal) {
        for (id, value) in content.attributes where given.entry(id) == nil { list.append(id, value) }
        guard let value = content.value else { return }
        guard value.count <= ItemLimits.valueBytes else { throw .valueTooLarge(value.count) }
        value.withSpan { list.append(.valueData, .data, $0) }
    }
}

extension SecretBuffer {
    /// Appends an entry of a list unchanged.
    package func append(_ entry: AttributeList.Entry, of list: AttributeList) {
        list.storage.withSpan {
            append(entry.id, entry.kind, $0.extracting(entry.offset..<entry.offset + entry.length))
        }
    }
}
