import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// Private keys that only the enclave sees (rules keys.enclave.inside, keys.enclave.token, keys.enclave.reference):
/// made inside, or kept from leaving.
///
/// Such an item keeps a ``SealedKey`` in place of a value. Key and item agree at all times. The key determines the
/// attributes that describe it. The item determines which programs the key serves, and when. The same write binds the
/// key to the item's new attributes.
extension WriteCommand {
    /// Makes what an item is to keep agree with its attributes, or says why it cannot.
    ///
    /// - Parameter isNew: whether the key comes from a program, and may thus be anybody's.
    /// - Throws: `errSecParam` for what contradicts itself, `errSecInteractionNotAllowed` when the key's class is
    ///   closed, what the enclave says of a key that is none of its own.
    func settleKey(of item: inout PlainItem, isNew: Bool) throws(Refusal) {
        if item.accessFlags ?? 0 != 0, item.isSynchronizable { throw ItemRequest.guardedAndSynchronized }
        guard item.itemClass == .key else { return }
        do throws(Refusal) {
            if let value = item.value, item.isKeptFromLeaving { try takeIn(value, &item) }
            if let key = item.sealedKey { return try bind(key, to: &item, isNew) }
        } catch {
            guard error.status == .authNeeded else { throw error }
            try gate.addMissing(error, item.guardOfKey, ui) { item.displayName }
            throw error
        }
        if item.isOfTheEnclave { throw .importIntoEnclave }
    }

    private func takeIn(_ value: SecretBytes, _ item: inout PlainItem) throws(Refusal) {
        if item.isOfTheEnclave { throw .importIntoEnclave }
        guard let type = item.attributes[.type]?.number.flatMap(UInt8.init(exactly:)) else { throw .keyWithoutType }
        item.sealedKey = try sealer.enclave.importKey(value, type: type, item.keyBinding, in: gate.context)
        item.value = nil
        // A guard that could be walked around with the key's bytes would be none, whatever a reference says of its own
        // key.
        item.attributes[.isExtractable] = .number(0)
    }

    private func bind(_ key: SealedKey, to item: inout PlainItem, _ isNew: Bool) throws(Refusal) {
        item.inheritControl(of: key)
        try item.describe(key)
        let binding = item.keyBinding
        // A caller that may not use the key must not turn it into one that it may use.
        guard isAnchored || !key.binding.needsAnchor || binding.needsAnchor else { throw .notAnchored }
        if key.binding != binding {
            item.sealedKey = try sealer.enclave.rebindKey(key, to: binding, in: gate.context)
        } else if isNew {
            try sealer.enclave.checkKey(key)
        }
    }
}

// MARK: - What the attributes say

extension PlainItem {
    /// The guard that the user has to meet before the key is bound to something else: the present one, and the password
    /// that the key is to get.
    fileprivate var guardOfKey: ItemGuard {
        let password = (accessFlags ?? 0) & AccessConstraint.applicationPassword
        guard let sealedKey else { return ItemGuard(identifier: uuid, flags: password) }
        return ItemGuard(identifier: sealedKey.guardIdentifier, flags: sealedKey.binding.control | password)
    }

    fileprivate var keyBinding: KeyBinding {
        KeyBinding(
            group: attributes[.accessGroup]?.string ?? "", accessibility: accessibility, control: accessFlags ?? 0)
    }

    /// An item that says no more than its protection class keeps the control its key has.
    fileprivate mutating func inheritControl(of key: SealedKey) {
        guard accessFlags == nil, key.binding.control != 0 else { return }
        let control = AccessControl(accessibility, flags: key.binding.control)
        attributes[.accessControl] = .data(control.bytes)
    }

    /// Sets the attributes that follow from the key.
    ///
    /// - Throws: `errSecParam` when the item says something else.
    fileprivate mutating func describe(_ key: SealedKey) throws(Refusal) {
        let bits = AttributeValue.number(Int64(key.bits))
        let facts: [(AttributeID, AttributeValue)] = [
            (.keyClass, .number(1)), (.type, .number(Int64(key.keyType))), (.keySizeInBits, bits),
            (.effectiveKeySize, bits), (.synchronizable, .number(0)),
            (.tokenID, key.origin == .madeInside ? Self.enclaveToken : .string("")),
        ]
        for (id, value) in facts {
            guard let attribute = AttributeTable.attribute(id: id) else { continue }
            if let said = attributes[id], said != value, said != attribute.defaultValue {
                throw .contradictsKey(attribute)
            }
            attributes[id] = value
        }
        if let attribute = AttributeTable.attribute(id: .isExtractable), attributes[.isExtractable]?.number ?? 0 != 0 {
            throw .contradictsKey(attribute)
        }
        attributes[.isExtractable] = .number(0)
    }
}

extension KeyBinding {
    fileprivate var needsAnchor: Bool { AccessConstraint(flags: control).needsAnchor }
}

extension Refusal {
    fileprivate static let importIntoEnclave = Refusal(
        .param, .contradiction, "tkid",
        "Keys of the Secure Enclave are made inside it; the bytes of a key cannot become one.",
        do: "Make the key with SecKeyCreateRandomKey and kSecAttrTokenIDSecureEnclave, or leave kSecAttrTokenID out.")

    fileprivate static let keyWithoutType = Refusal(
        .param, .wrongValue, "type", "A private key that must not leave the keychain has no key type.",
        do: "Give kSecAttrKeyType, so that the enclave can use the key.")

    fileprivate static func contradictsKey(_ attribute: ItemAttribute) -> Refusal {
        Refusal(
            .param, .contradiction, attribute.code,
            "\(attribute.displayName) says something else than the key, which only the enclave can use.",
            do: "Leave it out; it follows from the key.")
    }
}
