package import KeychainModel

/// The attributes of an item that follow from what it holds.
package typealias ItemAttributes = [(id: AttributeID, value: AttributeValue)]

extension Certificate {
    /// The attributes by which a certificate's item is found (rule certificates.item.reference).
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func identifyingAttributes() throws(CryptoError) -> ItemAttributes {
        [
            (.certificateType, .number(Int64(version))), (.subject, .data(subject.normalized)),
            (.issuer, .data(issuer.normalized)), (.serialNumber, .data(serialNumber)),
            (.publicKeyHash, .data(try publicKeyHash())),
        ]
    }

    /// All attributes of a certificate's item.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func itemAttributes() throws(CryptoError) -> ItemAttributes {
        var attributes = try identifyingAttributes()
        attributes.append((.certificateEncoding, .number(3)))
        if let identifier = extensions.subjectKeyIdentifier { attributes.append((.subjectKeyID, .data(identifier))) }
        if !subjectSummary.isEmpty { attributes.append((.label, .string(subjectSummary))) }
        return attributes
    }
}

extension PublicKey {
    /// The attributes of the item of one half of the pair (rule keys.attributes.copy).
    ///
    /// - Parameter half: `.public` or `.private`.
    /// - Throws: `CryptoError.libraryFailure`.
    package func itemAttributes(of half: KeyClass) throws(CryptoError) -> ItemAttributes {
        let numbers: [(AttributeID, Int64)] = [
            (.keyClass, half == .private ? 1 : 0), (.type, Int64(type.number)), (.keySizeInBits, Int64(bits)),
            (.effectiveKeySize, Int64(bits)), (.isPermanent, 1), (.isPrivate, 1), (.isModifiable, 1),
            (.isSensitive, 0), (.wasAlwaysSensitive, 0), (.isExtractable, 1), (.wasNeverExtractable, 0),
        ]
        let granted = KeyUsage.granted(type, half)
        let uses = KeyUsage.allCases.map { ($0.attribute, granted.contains($0) ? 1 : 0) as (AttributeID, Int64) }
        return [(.applicationLabel, .data(try applicationLabel()))]
            + (numbers + uses).map { ($0.0, AttributeValue.number($0.1)) }
    }
}

extension KeyUsage {
    fileprivate var attribute: AttributeID {
        switch self {
        case .encrypt: .canEncrypt
        case .decrypt: .canDecrypt
        case .derive: .canDerive
        case .sign: .canSign
        case .verify: .canVerify
        case .signRecover: .canSignRecover
        case .verifyRecover: .canVerifyRecover
        case .wrap: .canWrap
        case .unwrap: .canUnwrap
        }
    }
}
