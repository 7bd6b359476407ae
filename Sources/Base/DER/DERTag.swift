/// The tag of a DER element (X.690 section 8.1.2): its class, whether it holds other elements, and its number.
package struct DERTag: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        case universal = 0
        case application = 1
        case context = 2
        case `private` = 3
    }

    package let kind: Kind
    package let isConstructed: Bool
    package let number: UInt32

    package init(_ kind: Kind, _ number: UInt32, isConstructed: Bool = false) {
        self.kind = kind
        self.number = number
        self.isConstructed = isConstructed
    }

    package static let boolean = Self(.universal, 1)
    package static let integer = Self(.universal, 2)
    package static let bitString = Self(.universal, 3)
    package static let octetString = Self(.universal, 4)
    package static let null = Self(.universal, 5)
    package static let objectIdentifier = Self(.universal, 6)
    package static let enumerated = Self(.universal, 10)
    package static let utf8String = Self(.universal, 12)
    package static let sequence = Self(.universal, 16, isConstructed: true)
    package static let set = Self(.universal, 17, isConstructed: true)
    package static let numericString = Self(.universal, 18)
    package static let printableString = Self(.universal, 19)
    package static let teletexString = Self(.universal, 20)
    package static let ia5String = Self(.universal, 22)
    package static let utcTime = Self(.universal, 23)
    package static let generalizedTime = Self(.universal, 24)
    package static let visibleString = Self(.universal, 26)
    package static let universalString = Self(.universal, 28)
    package static let bmpString = Self(.universal, 30)

    /// The tag `[number]` around an element, as EXPLICIT tagging makes it.
    package static func explicit(_ number: UInt32) -> Self { Self(.context, number, isConstructed: true) }

    /// The tag `[number]` in place of a primitive element's own, as IMPLICIT tagging makes it.
    package static func implicit(_ number: UInt32) -> Self { Self(.context, number) }

    /// Whether DER allows this form of the element: sequences and sets hold elements, all other universal types hold
    /// bytes.
    var hasRightForm: Bool {
        guard kind == .universal else { return true }
        // EXTERNAL and EMBEDDED PDV are sequences by another name.
        return isConstructed == [8, 11, 16, 17].contains(number)
    }
}
