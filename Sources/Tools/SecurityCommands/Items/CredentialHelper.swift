import KeychainModel
import KeychainWire

/// A program that keeps its logins in the keychain through a helper of ours.
///
/// Each helper's logins are in a security domain of their own. The domain is part of the
/// primary key. So a helper's login, one of the other helper's and one of the user's own are separate items, even where
/// server and account are the same. Scripts hardly ever name this attribute: a search for a password by its server
/// finds the helpers' logins too.
struct CredentialHelper {
    /// The domain of its logins, and the command's name.
    let domain: String
    /// The kind of item its logins are (kSecAttrDescription). Before helpers had a domain, this was all that told them
    /// apart.
    let kind: String

    static let git = CredentialHelper(domain: "git-credential", kind: "git credential")
    static let docker = CredentialHelper(domain: "docker-credential", kind: "docker credential")

    /// Whether an item is the login of any helper.
    static func owns(_ item: ItemResponse.Item) -> Bool { git.has(item) || docker.has(item) }

    /// The domain of what was in a domain before helpers had one: none, or a scheme.
    func domain(behind old: String) -> String { old.isEmpty ? domain : "\(domain) \(old)" }

    /// Whether an item is in a domain of the helper's.
    func has(_ item: ItemResponse.Item) -> Bool {
        let given = item.securityDomain
        return given == domain || given.hasPrefix("\(domain) ")
    }
}

extension ItemResponse.Item {
    var securityDomain: String { attributes[.securityDomain]?.string ?? "" }
}
