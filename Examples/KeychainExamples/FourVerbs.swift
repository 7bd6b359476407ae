import Foundation
import Security

/// Add, find, update, find, delete: one item's life (rules items.add.result, results.reference.password). Each step
/// gives its status.
public struct FourVerbs {
    private let identity: [CFString: Any]

    /// An item of this service and account.
    public init(service: String, account: String) {
        identity = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
        ]
    }

    /// Adds the item with a password, readable while the device is unlocked.
    public func add(_ password: String) -> OSStatus {
        var item = identity
        item[kSecAttrAccessible] = kSecAttrAccessibleWhenUnlocked
        item[kSecValueData] = Data(password.utf8)
        return SecItemAdd(item as CFDictionary, nil)
    }

    /// Finds the password.
    public func find() -> (status: OSStatus, password: String?) {
        var query = identity
        query[kSecReturnData] = true
        query[kSecMatchLimit] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        return (status, (found as? Data).flatMap { String(data: $0, encoding: .utf8) })
    }

    /// Everything that is known of the item, its password included.
    public func describe() -> [String: Any]? {
        var query = identity
        query[kSecReturnRef] = true
        query[kSecReturnData] = true
        query[kSecMatchLimit] = kSecMatchLimitOne
        var found: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
        return found as? [String: Any]
    }

    /// Changes the password and nothing else.
    public func update(_ password: String) -> OSStatus {
        SecItemUpdate(identity as CFDictionary, [kSecValueData: Data(password.utf8)] as [CFString: Any] as CFDictionary)
    }

    /// Deletes the item.
    public func delete() -> OSStatus { SecItemDelete(identity as CFDictionary) }
}
