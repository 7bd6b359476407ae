import Foundation
import Security

/// Passwords by service and account, with the four verbs and nothing else: the wrapper most programs begin with.
///
/// An empty password deletes; an empty service or account is refused (rule items.life.replace).
public class PasswordKeychain {
    class func passwordQuery(service: String, account: String) -> [String: Any] {
        let query =
            [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccount as String: account,
                // For access in the background: kSecAttrAccessibleAfterFirstUnlock.
                kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlocked,
            ] as [String: Any]
        return query
    }

    /// Stores a password in place of the one there was.
    @discardableResult
    public class func setPassword(_ password: String, service: String, account: String) -> Bool {
        guard !service.isEmpty, !account.isEmpty else { return false }
        deletePassword(service: service, account: account)
        guard !password.isEmpty else { return true }
        var item = passwordQuery(service: service, account: account)
        item[kSecValueData as String] = password.data(using: .utf8)
        return SecItemAdd(item as CFDictionary, nil) == errSecSuccess
    }

    /// Deletes a password; false when there was none.
    @discardableResult
    public class func deletePassword(service: String, account: String) -> Bool {
        guard !service.isEmpty, !account.isEmpty else { return false }
        return SecItemDelete(passwordQuery(service: service, account: account) as CFDictionary) == errSecSuccess
    }

    /// The password, or an empty string when there is none.
    public class func password(service: String, account: String) -> String {
        guard !service.isEmpty, !account.isEmpty else { return "" }
        var query = passwordQuery(service: service, account: account)
        query[kSecReturnData as String] = kCFBooleanTrue
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: AnyObject?
        guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return "" }
        guard let data = found as? Data else { return "" }
        return String(data: data, encoding: .utf8) ?? ""
    }
}
