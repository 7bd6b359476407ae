import Foundation
import KeychainTesting
import Security
import Testing

@Suite("The four verbs")
struct FourVerbTests {
    @Test("S-07, S-10: an item that was added is found with its value")
    func addAndFind() throws {
        let keychain = try TestKeychain()
        keychain.run {
            let item: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "service",
                kSecAttrAccount as String: "account", kSecValueData as String: Data("secret".utf8),
            ]
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            #expect(SecCopyLastItemError() == nil)
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "service",
                kSecReturnData as String: true,
            ]
            var found: CFTypeRef?
            #expect(unsafe SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess)
            print(SecCopyLastItemError() as Any)
            #expect(found as? Data == Data("secret".utf8))
        }
    }
}
