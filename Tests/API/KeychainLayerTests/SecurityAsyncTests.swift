import Foundation
import KeychainTesting
import Security
import SecurityAsync
import Testing

/// The four verbs for tasks.
@Suite("Verbs for tasks")
struct SecurityAsyncTests {
    private var item: [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: "service", kSecAttrAccount: "account"]
    }

    @Test("They do what the functions of the same names do")
    func verbs() async throws {
        try await TestKeychain().run {
            let value: [CFString: Any] = [kSecValueData: Data("1".utf8)]
            #expect(try await SecItemAdd(item.merging(value) { $1 } as CFDictionary) == nil)
            try await SecItemUpdate(matching: item as CFDictionary, to: [kSecValueData: Data("2".utf8)] as CFDictionary)
            let query = item.merging([kSecReturnData: true]) { $1 }
            #expect(try await SecItemCopyMatching(query as CFDictionary) as? Data == Data("2".utf8))
            try await SecItemDelete(matching: item as CFDictionary)
            let error = await #expect(throws: SecItemError.self) {
                _ = try await SecItemCopyMatching(query as CFDictionary)
            }
            #expect(error?.status == errSecItemNotFound)
        }
    }

    @Test("A refusal comes with its explanation")
    func explanation() async throws {
        try await TestKeychain().run {
            let wrong = item.merging(["kSecAttrLabel": "label"]) { $1 }
            let error = await #expect(throws: SecItemError.self) { _ = try await SecItemAdd(wrong as CFDictionary) }
            #expect(error?.status == errSecParam && error?.rule == "query.constant-name-as-key")
        }
    }

    @Test("In an async function the functions themselves can still be called")
    func functions() async throws {
        try await TestKeychain().run {
            await Task.yield()
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            #expect(SecItemUpdate(item as CFDictionary, [kSecAttrLabel: "l"] as CFDictionary) == errSecSuccess)
            #expect(SecItemDelete(item as CFDictionary) == errSecSuccess)
        }
    }

    @Test("Many tasks wait at once without taking the threads of the others")
    func many() async throws {
        try await TestKeychain().run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        let item: [CFString: Any] = [
                            kSecClass: kSecClassGenericPassword, kSecAttrService: "many", kSecAttrAccount: "\(number)",
                        ]
                        try await SecItemAdd(item as CFDictionary)
                    }
                }
                try await group.waitForAll()
            }
            let all: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
            ]
            #expect(try await (SecItemCopyMatching(all as CFDictionary) as? [Any])?.count == 64)
        }
    }
}
