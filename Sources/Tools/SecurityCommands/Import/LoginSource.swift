/// Where logins come from. Each has a kind of its own, by which its imports are taken back.
enum LoginSource: String {
    /// A table that most programs for passwords export.
    case table = "csv"
    /// pass(1).
    case store = "pass"

    /// The kind (kSecAttrDescription) of the items.
    var kind: String { self == .table ? "imported password" : "imported from pass" }
}
