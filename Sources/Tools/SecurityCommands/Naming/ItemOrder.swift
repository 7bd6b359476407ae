/// The order of a list of items.
enum ItemOrder: String, CaseIterable {
    case name, kind, account, group, changed, created

    init(_ word: String) throws(CommandFailure) {
        guard let order = Self(rawValue: word) else {
            throw .usage("\"\(word)\" is none of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = order
    }
}
