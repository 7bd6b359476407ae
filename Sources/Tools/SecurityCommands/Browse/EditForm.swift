import TerminalScreen

/// The fields of an item that is changed or added. The password is asked for at the terminal's own prompt when the form
/// is saved, so that it is never in a field.
struct EditForm: Equatable {
    enum Password: CaseIterable { case unchanged, typed, generated }

    struct Field: Equatable {
        let label: Words
        /// The code of the attribute.
        let code: String
        var text: TextField
        let before: String
    }

    /// The item that is changed; nil for a new one.
    let item: ItemMark?
    private(set) var fields: [Field]
    private(set) var password: Password
    /// The field with the cursor; the last one is the password.
    private(set) var place = 0

    /// - Parameter values: the attributes by their codes.
    init(_ item: ListedItem?, values: [String: String] = [:]) {
        self.item = item.map(ItemMark.init)
        let isInternet = item?.kind == .internet
        let rows: [(Words, String)] =
            [
                (isInternet ? Words("Server") : Words("Service"), isInternet ? "srvr" : "svce"),
                (Words("Account"), "acct"), (Words("Label"), "labl"), (Words("Comment"), "icmt"),
            ] + (item == nil ? [] : [(Words("Group"), "agrp")])
        fields = rows.map { label, code in
            Field(label: label, code: code, text: TextField(values[code] ?? ""), before: values[code] ?? "")
        }
        password = item == nil ? .typed : .unchanged
    }

    /// The attributes that were changed.
    var changes: [(code: String, text: String)] {
        fields.filter { $0.text.text != $0.before }.map { ($0.code, $0.text.text) }
    }

    var isChanged: Bool { !changes.isEmpty || password != (item == nil ? .typed : .unchanged) }
    var isInPassword: Bool { place == fields.count }

    /// Does what a key means in a form.
    mutating func take(event: InputEvent) {
        switch event {
        case .key(.tab), .key(.down), .key(.enter): place = (place + 1) % (fields.count + 1)
        case .key(.backTab), .key(.up): place = (place + fields.count) % (fields.count + 1)
        case .key(.character(" ")) where isInPassword: nextPassword()
        default: if !isInPassword { _ = fields[place].text.take(event: event) }
        }
    }

    private mutating func nextPassword() {
        let ways = item == nil ? [.typed, .generated] : Password.allCases
        password = ways[((ways.firstIndex(of: password) ?? 0) + 1) % ways.count]
    }
}
