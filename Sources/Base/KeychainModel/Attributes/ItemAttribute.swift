/// One row of the attribute table.
package final class ItemAttribute: Sendable {
    /// The attribute of items of app clips, which Apple's systems refuse in another way than their own programs'.
    package static let ofAppClips = "clip"

    /// Its number in frames and sealed rows.
    package let id: AttributeID
    /// The key in a program's dictionary.
    package let code: String
    /// The names of the constants for the key; explanations use the first one.
    package var constants: [String] { [constant] + (otherConstant.map { [$0] } ?? []) }
    package let kind: Kind
    /// The classes that have the attribute.
    package let classes: [ItemClass]
    /// The classes whose primary key contains it.
    package let keyIn: [ItemClass]
    package let search: Search
    package let setBy: Setter
    /// The value of an item that was added without it.
    package let missing: Missing
    package let returned: Returned
    /// One sentence for the reference page.
    package let meaning: String
    private let constant: String
    private let otherConstant: String?

    /// The types that the attribute accepts and their conversion (rule items.attributes.kinds).
    package enum Kind: Sendable {
        /// A string, data or number, kept as given.
        case blob
        /// A string, or data or a UUID converted to one.
        case string
        /// Data, or a string's UTF-8, or a number's four bytes.
        case data
        /// A number, boolean or decimal string; another string is kept as it is.
        case number
        case date
        /// Only a `SecAccessControl`.
        case accessControl
    }

    /// How a query finds items by the attribute.
    package enum Search: Sendable {
        /// By its value: through a column with a keyed digest where an index of the class has it
        /// (``ItemClass/indexes``), and by the decrypted value everywhere else.
        case compared
        /// By a column with the small number itself.
        case plain
        /// Never.
        case none
    }

    package enum Setter: Sendable {
        case program
        /// The engine sets it and ignores the program's value.
        case engine
        /// A program that names it is refused (`errSecMissingEntitlement`).
        case nobody
    }

    package enum Missing: Sendable { case absent, emptyString, zero }

    package enum Returned: Sendable { case always, whenNotEmpty, never }

    /// The attribute's name in explanations, such as `kSecAttrAccount ("acct")`.
    package var displayName: String { "\(constant) (\"\(code)\")" }

    init(
        _ id: AttributeID, _ code: String, _ constant: String, _ otherConstant: String? = nil, kind: Kind,
        in classes: [ItemClass], keyIn: [ItemClass] = [], search: Search = .compared, setBy: Setter = .program,
        missing: Missing = .absent, returned: Returned = .always, _ meaning: String
    ) {
        self.id = id
        self.code = code
        self.constant = constant
        self.otherConstant = otherConstant
        self.kind = kind
        self.classes = classes
        self.keyIn = keyIn
        self.search = search
        self.setBy = setBy
        self.missing = missing
        self.returned = returned
        self.meaning = meaning
    }
}

extension ItemAttribute {
    /// The value of an item that was added without it; nil when the item then has none.
    package var defaultValue: AttributeValue? {
        switch (missing, kind) {
        case (.absent, _): nil
        case (.emptyString, .data): .data([])
        case (.emptyString, _): .string("")
        case (.zero, .date): .date(0)
        case (.zero, _): .number(0)
        }
    }

    /// As ``defaultValue``, for an item of a class. An attribute that only another class has in its primary key has no
    /// default: a password's creator of 0 was given explicitly.
    package func defaultValue(in itemClass: ItemClass) -> AttributeValue? {
        keyIn.isEmpty || keyIn.contains(itemClass) ? defaultValue : nil
    }
}
