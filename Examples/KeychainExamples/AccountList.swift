import Foundation
import Security

/// The accounts of an access group, shown as they are: also after another program, another machine or a restored backup
/// has changed them.
public struct AccountList: Sendable {
    let group: String

    /// - Parameter group: one of the program's access groups.
    public init(group: String) { self.group = group }

    /// The accounts that there are now, in order.
    public func load() throws -> [String] {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccessGroup: group, kSecReturnAttributes: true,
            kSecMatchLimit: kSecMatchLimitAll,
        ]
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        guard status != errSecItemNotFound else { return [] }
        guard status == errSecSuccess, let items = found as? [[String: Any]] else {
            throw SecCopyLastItemError() ?? URLError(.unknown)
        }
        return items.compactMap { $0[kSecAttrAccount as String] as? String }.sorted()
    }

    /// Shows the accounts now, and again after each change, until the task is cancelled or `show` says that it is
    /// enough.
    ///
    /// The watch begins before the first look, so that no change falls between the two.
    public func follow(_ show: ([String]) -> Bool) async throws {
        let changes = try KeychainChanges(in: [group])
        guard show(try load()) else { return }
        for try await _ in changes { guard show(try load()) else { return } }
    }
}
