import KeychainExamples
import KeychainTesting
import Security
import TestSupport
import Testing

/// The wrappers of the examples, step by step.
@Suite("Examples")
struct ExampleTests {
    @Test(
        "add, find, describe, update, delete: one item's life",
        .rule(
            "items.add.result", "items.delete.all", "items.update.untouched", "queries.limit.default",
            "results.shape.limit", "results.reference.password", "items.life.credentials"))
    func fourVerbs() throws {
        try withKeychain { _ in
            let item = FourVerbs(service: "org.example.mail", account: "alice")
            #expect(item.find().status == errSecItemNotFound)
            #expect(item.add("first") == errSecSuccess)
            #expect(item.add("again") == errSecDuplicateItem)
            #expect(item.find() == (errSecSuccess, "first"))
            let description = item.describe()
            #expect(description?[kSecAttrAccount as String] as? String == "alice")
            #expect(description?[kSecAttrService as String] as? String == "org.example.mail")
            #expect(description?[kSecAttrAccessible as String] as? String == kSecAttrAccessibleWhenUnlocked as String)
            #expect(description?[kSecValueData as String] as? Data == Data("first"))
            #expect(item.update("second") == errSecSuccess)
            #expect(item.find() == (errSecSuccess, "second"))
            #expect(item.delete() == errSecSuccess)
            #expect(item.delete() == errSecItemNotFound)
            #expect(item.update("third") == errSecItemNotFound)
        }
    }

    @Test(
        "a password is set, replaced, read and deleted; an empty one deletes",
        .rule("items.attributes.text", "queries.dictionary.strings", "items.life.replace", "queries.match.not-found"))
    func passwords() throws {
        try withKeychain { _ in
            let (service, account) = ("org.example.app", "alice")
            #expect(PasswordKeychain.password(service: service, account: account) == "")
            #expect(PasswordKeychain.setPassword("first", service: service, account: account))
            #expect(PasswordKeychain.setPassword("sécond 🔑", service: service, account: account))
            #expect(PasswordKeychain.password(service: service, account: account) == "sécond 🔑")
            #expect(PasswordKeychain.setPassword("other", service: service, account: "bob"))
            #expect(PasswordKeychain.setPassword("", service: service, account: account))
            #expect(PasswordKeychain.password(service: service, account: account) == "")
            #expect(PasswordKeychain.password(service: service, account: "bob") == "other")
            #expect(PasswordKeychain.deletePassword(service: service, account: "bob"))
            #expect(!PasswordKeychain.deletePassword(service: service, account: "bob"))
            #expect(count([kSecClass: kSecClassGenericPassword]) == 0)
        }
    }

    @Test(
        "an empty service or account is refused", .rule("items.life.replace"),
        arguments: [("", "a"), ("s", ""), ("", "")])
    func emptyNames(service: String, account: String) throws {
        try withKeychain { _ in
            add([kSecClass: kSecClassGenericPassword, kSecValueData: Data("untouched")])
            #expect(!PasswordKeychain.setPassword("x", service: service, account: account))
            #expect(!PasswordKeychain.deletePassword(service: service, account: account))
            #expect(PasswordKeychain.password(service: service, account: account) == "")
            #expect(value([kSecClass: kSecClassGenericPassword]) == Data("untouched"))
        }
    }

    @Test("an archived object is stored, replaced, changed, read and deleted", .rule("items.value.archive"))
    func archives() throws {
        try withKeychain { _ in
            let (first, second) = (["user": "alice"] as NSDictionary, ["user": "bob"] as NSDictionary)
            let service = "org.example.session"
            let missing = try ArchiveKeychain.object(of: NSDictionary.self, service: service)
            #expect(missing == nil)
            #expect(try !ArchiveKeychain.update(first, service: service))
            #expect(try ArchiveKeychain.add(first, service: service))
            #expect(try ArchiveKeychain.object(of: NSDictionary.self, service: service) == first)
            #expect(try ArchiveKeychain.add(second, service: service))
            #expect(try ArchiveKeychain.object(of: NSDictionary.self, service: service) == second)
            #expect(try ArchiveKeychain.update(first, service: service))
            #expect(try ArchiveKeychain.object(of: NSDictionary.self, service: service) == first)
            #expect(ArchiveKeychain.delete(service: service))
            #expect(!ArchiveKeychain.delete(service: service))
        }
    }

    @Test("an identifier of the device is made once and is the same at every start", .rule("items.life.identifier"))
    func deviceIdentifier() throws {
        try withKeychain { keychain in
            func identifier() -> String {
                let known = PasswordKeychain.password(service: "org.example.device", account: "identifier")
                if !known.isEmpty { return known }
                PasswordKeychain.setPassword(UUID().uuidString, service: "org.example.device", account: "identifier")
                return PasswordKeychain.password(service: "org.example.device", account: "identifier")
            }
            let first = identifier()
            #expect(first.count == 36)
            #expect(identifier() == first)
            try keychain.device.restart()
            #expect(identifier() == first)
        }
    }

    @Test("the dictionary of string keys that samples build is taken as it is", .rule("queries.dictionary.strings"))
    func dictionaryOfStrings() throws {
        try withKeychain { _ in
            let query =
                [
                    kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "alice",
                    kSecValueData as String: Data("value"),
                ] as [String: Any]
            var result: AnyObject?
            #expect(unsafe SecItemAdd(query as CFDictionary, &result) == errSecSuccess)
            #expect(result == nil)
            #expect(value([kSecClass: kSecClassGenericPassword, kSecAttrAccount: "alice"]) == Data("value"))
        }
    }

    @Test(
        "a query can be made off the main thread, its result used on another", .rule("authentication.prompt.blocking"))
    func offTheMainThread() async throws {
        let keychain = try TestKeychain()
        #expect(keychain.run { PasswordKeychain.setPassword("secret", service: "s", account: "a") })
        let password = await keychain.run {
            await Task { PasswordKeychain.password(service: "s", account: "a") }.value
        }
        #expect(password == "secret")
    }

    @Test(
        "items outlive the program that stored them, and are its own again when it is installed anew",
        .rule("items.life.program"))
    func reinstalled() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keychain-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try TestKeychain(accessGroups: ["TEAM.program"], folder: folder).run {
            #expect(PasswordKeychain.setPassword("kept", service: "s", account: "a"))
        }
        try TestKeychain(accessGroups: ["TEAM.another"], folder: folder).run {
            #expect(PasswordKeychain.password(service: "s", account: "a") == "")
        }
        try TestKeychain(accessGroups: ["TEAM.program"], folder: folder).run {
            #expect(PasswordKeychain.password(service: "s", account: "a") == "kept")
        }
    }
}
