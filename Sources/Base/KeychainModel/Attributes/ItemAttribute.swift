/// One row of the table that everything about attributes is derived from.
package final class ItemAttribute: Sendable {
    /// Its number in frames and sealed rows.
    package let id: AttributeID
    /// The key in a program's dictionary.
    package let code: String
    /// The names of the constants for the key; the first is the one explanations use.
    package var constants: [String] { [constant] + (otherConstant.map { [$0] } ?? []) }
    package let kind: Kind
    /// The classes that have the attribute.
    package let classes: [ItemClass]
    /// The classes whose primary key contains it.
    package let keyIn: [ItemClass]
    package let search: Search
    package let setBy: Setter
    /// What an item gets that was added without it.
    package let missing: Missing
    package let returned: Returned
    /// One sentence for the reference documentation.
    package let meaning: String
    private let constant: String
    private let otherConstant: String?

    /// Which values it accepts and what becomes of them (semantics A.4).
    package enum Kind: Sendable {
        /// String, data or number, kept as given.
        case blob
        /// String, or data or a UUID turned into one.
        case string
        /// Data, or a string's UTF-8, or a number's four bytes.
        case data
        /// Number, boolean or decimal string; another string is kept as it is.
        case number
        case date
        /// Nothing but a `SecAccessControl`.
        case accessControl
    }

    /// How a query finds items by it.
    package enum Search: Sendable {
        /// By its value: through a column with a keyed digest where an index of the class has it
        /// (``ItemClass/indexes``), and by what was opened everywhere else.
        case compared
        /// By a column with the small number itself.
        case plain
        /// Not at all.
        case none
    }

    package enum Setter: Sendable {
        case program
        /// The engine decides; what a program says is ignored.
        case engine
        /// Programs may not name it at all (`errSecMissingEntitlement`).
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
    /// The value an item gets that was added without it; nil when it then has none.
    package var defaultValue: AttributeValue? {
        switch (missing, kind) {
        case (.absent, _): nil
        case (.emptyString, .data): .data([])
        case (.emptyString, _): .string("")
        case (.zero, .date): .date(0)
        case (.zero, _): .number(0)
        }
    }

    /// As ``defaultValue``, for an item of a class. What is part of another class's primary key alone is simply
    /// missing: a password's
    /// creator of 0 is one that was given.
    package func defaultValue(in itemClass: ItemClass) -> AttributeValue? {
        keyIn.isEmpty || keyIn.contains(itemClass) ? defaultValue : nil
    }
}
