/// Where logins come from. Each has a kind of its own, by which its imports are taken back.
enum LoginSource: String {
    /// A table that most programs for passwords export.
    case table = "csv"
    /// pass(1).
    case store = "pass"
    /// Bitwarden's own format.
    case bitwarden
    /// 1Password's own format.
    case onePassword = "1password"
    /// The text of `security dump-keychain -d`.
    case dump = "macos"

    /// The kind (kSecAttrDescription) of the items.
    var kind: String {
        switch self {
        case .table: "imported password"
        case .store: "imported from pass"
        case .bitwarden: "imported from Bitwarden"
        case .onePassword: "imported from 1Password"
        case .dump: "imported from a dump of a keychain"
        }
    }
}
