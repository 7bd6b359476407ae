import KeychainModel
import KeychainWire

extension PlainItem {
    /// The reason that keeps the item from going to other machines; nil when it may go. Items of this device alone,
    /// sealed keys, items of tokens, items that ask for their user, and items of units, whose name says nothing
    /// elsewhere, stay.
    var staying: ItemSync? {
        if !isSynchronizable { return .isNotMarked }
        if !hasTravellingClass { return .isOfThisDevice }
        if sealedKey != nil || isKeptFromLeaving { return .isSealed }
        if accessFlags ?? 0 != 0 { return .isGuarded }
        return isKnownElsewhere ? nil : .isOfThisMachine
    }

    private var isKnownElsewhere: Bool {
        let group = attributes[.accessGroup]?.string ?? ""
        guard AccessGroup.isKnownElsewhere(group) else { return false }
        if case .data(let user)? = attributes[.multiUser], !user.isEmpty { return false }
        guard case .date(let date)? = attributes[.modificationDate] else { return false }
        return date.isFinite
    }

    private var hasTravellingClass: Bool {
        guard let code = attributes[.accessible]?.string, let accessibility = Accessibility(code: code) else {
            return false
        }
        if case .data(let bytes)? = attributes[.accessControl] {
            guard AccessControl(bytes)?.accessibility == accessibility else { return false }
        }
        return !accessibility.isThisDeviceOnly
    }

    /// The token whose keys are made in the enclave.
    static let enclaveToken = AttributeValue.string("com.apple.setoken")

    /// Whether the item is a key that the enclave has made, or is to make.
    var isOfTheEnclave: Bool { attributes[.tokenID] == Self.enclaveToken }

    /// A private key whose bytes are not to come out again, by its own word or because its use is guarded.
    var isKeptFromLeaving: Bool {
        guard attributes[.keyClass]?.number == 1 else { return false }
        let usesAreGuarded = (accessFlags ?? 0) & AccessControl.privateKeyUsage != 0
        return isOfTheEnclave || usesAreGuarded || attributes[.isExtractable]?.number == 0
    }
}
