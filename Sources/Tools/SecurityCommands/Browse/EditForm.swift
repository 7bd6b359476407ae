import KeychainClient
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
        fileprivate(set) var before: String
    }

    /// The item that is changed; nil for a new one.
    let item: ItemMark?
    /// The keychain that a new item goes into.
    private(set) var keychain: ChosenKeychain
    /// Those that it can go into.
    private let keychains: [ChosenKeychain]
    /// Whether the attributes were read. Before that, what is typed could replace something that nobody has seen.
    private(set) var isFilled: Bool
    private(set) var fields: [Field]
    private(set) var password: Password
    /// The field with the cursor; behind the fields are the password, and the keychain where there is a choice.
    private(set) var place = 0
    /// Whether Escape was pressed last: the next one gives up what was typed.
    var isLeaving = false

    /// - Parameters:
    ///   - values: the attributes by their codes.
    ///   - keychain: of a new item.
    ///   - keychains: those that a new item can go into.
    init(
        _ item: ListedItem?, values: [String: String] = [:], in keychain: ChosenKeychain = .login,
        of keychains: [ChosenKeychain] = []
    ) {
        self.item = item.map(ItemMark.init)
        self.keychains = item == nil && keychains.contains(keychain) ? keychains : []
        self.keychain = item?.keychain ?? keychain
        isFilled = item == nil
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

    /// Puts the attributes in that were read meanwhile. The cursor stays in its field.
    mutating func fill(_ values: [String: String]) {
        for index in fields.indices {
            let value = values[fields[index].code] ?? ""
            (fields[index].text, fields[index].before) = (TextField(value), value)
        }
        isFilled = true
    }

    /// Whether an item has the names that were typed.
    func isAbout(_ item: ListedItem) -> Bool {
        let texts = Dictionary(uniqueKeysWithValues: fields.map { ($0.code, $0.text.text) })
        return (texts["svce"] ?? texts["srvr"] ?? "") == item.name && texts["acct"] ?? "" == item.account
    }

    /// The item in a sentence, as it will be named.
    var title: String {
        let name = fields[0].text.text.isEmpty ? "an item without a name" : DisplayName.shown(fields[0].text.text)
        let account = fields[1].text.text
        return account.isEmpty ? name : "\(name) (\(DisplayName.shown(account)))"
    }

    /// The attributes that were changed.
    var changes: [(code: String, text: String)] {
        fields.filter { $0.text.text != $0.before }.map { ($0.code, $0.text.text) }
    }

    var isChanged: Bool { !changes.isEmpty || password != (item == nil ? .typed : .unchanged) }
    var isInPassword: Bool { place == fields.count }
    var isInKeychain: Bool { place > fields.count }
    var hasKeychainChoice: Bool { keychains.count > 1 }
    private var placeCount: Int { fields.count + (hasKeychainChoice ? 2 : 1) }

    /// Does what a key means in a form.
    mutating func take(event: InputEvent) {
        switch event {
        case .key(.tab), .key(.down), .key(.enter): place = (place + 1) % placeCount
        case .key(.backTab), .key(.up): place = (place + placeCount - 1) % placeCount
        case .key(.character(" ")) where isInPassword: nextPassword()
        case .key(.character(" ")) where isInKeychain: nextKeychain()
        default: if fields.indices.contains(place) { _ = fields[place].text.take(event: event) }
        }
    }

    private mutating func nextKeychain() {
        keychain = keychains[((keychains.firstIndex(of: keychain) ?? 0) + 1) % keychains.count]
    }

    private mutating func nextPassword() {
        let ways = item == nil ? [.typed, .generated] : Password.allCases
        password = ways[((ways.firstIndex(of: password) ?? 0) + 1) % ways.count]
    }
}
