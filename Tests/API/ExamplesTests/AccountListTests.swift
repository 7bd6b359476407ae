import Foundation
import KeychainExamples
import KeychainTesting
import Security
import TestSupport
import Testing

@Suite("A list of accounts that follows changes")
struct AccountListTests {
    private static func add(_ account: String) {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecAttrAccessGroup: "shared",
        ]
        #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    }

    @Test("it shows what another program of the group adds, without being asked", .rule("access-groups.changes.notice"))
    func follows() async throws {
        let keychain = try TestKeychain(accessGroups: ["shared"])
        let other = keychain.program(named: "another", accessGroups: ["shared"])
        try await keychain.run {
            var shown: [[String]] = []
            try await AccountList(group: "shared").follow { accounts in
                // Several changes may be one notice, and one change two looks.
                guard shown.last != accounts else { return true }
                shown.append(accounts)
                if let next = ["anna", "berta"].dropFirst(accounts.count).first { other.run { Self.add(next) } }
                return accounts.count < 2
            }
            #expect(shown == [[], ["anna"], ["anna", "berta"]])
        }
    }
}
