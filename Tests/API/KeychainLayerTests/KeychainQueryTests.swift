import Foundation
import Keychain
import KeychainTesting
import Security
import Testing

/// Typed queries make the same requests as dictionaries.
@Suite("Typed queries")
struct KeychainQueryTests {
    private func keychain(_ body: () throws -> Void) throws { try TestKeychain(accessGroups: ["A", "B"]).run(body) }

    @Test("Every attribute of a generic password comes back")
    func genericPassword() throws {
        try keychain {
            var item = GenericPassword(service: "service", account: "ada", value: Data("value".utf8))
            (item.label, item.comment, item.kind) = ("label", "comment", "kind")
            (item.generic, item.accessGroup) = (Data([1, 2]), "B")
            (item.protection, item.isSynchronized) = (.afterFirstUnlock, true)
            try item.add()
            var found = try #require(try KeychainQuery<GenericPassword>().first())
            #expect(found.record != nil)
            found.record = nil
            #expect(found == item)
        }
    }

    @Test("Every attribute of an internet password comes back")
    func internetPassword() throws {
        try keychain {
            var item = InternetPassword(server: "example.org", account: "ada", value: Data("value".utf8))
            (item.port, item.path, item.securityDomain) = (8443, "/a", "realm")
            (item.protocol, item.label, item.comment, item.kind) = (.https, "label", "comment", "kind")
            (item.accessGroup, item.protection) = ("A", .whenUnlockedThisDeviceOnly)
            try item.add()
            var found = try #require(try KeychainQuery<InternetPassword>().first())
            found.record = nil
            #expect(found == item)
        }
    }

    @Test("Criteria narrow down, and dictionaries find the same")
    func criteria() throws {
        try keychain {
            for account in ["ada", "bob"] {
                for port in [443, 8443] {
                    var item = InternetPassword(server: "example.org", account: account)
                    (item.port, item.protocol) = (port, .https)
                    try item.add()
                }
            }
            let query = KeychainQuery<InternetPassword>().where(\.server, equals: "example.org")
            #expect(try query.all().count == 4)
            #expect(try query.where(\.port, equals: 443).all().map(\.account).sorted() == ["ada", "bob"])
            #expect(try query.where(\.port, equals: 443).where(\.account, equals: "ada").all().count == 1)
            #expect(try query.where(\.protocol, equals: .ssh).all().isEmpty)
            let same: [CFString: Any] = [
                kSecClass: kSecClassInternetPassword, kSecAttrServer: "example.org", kSecAttrPort: 443,
                kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
            ]
            var result: CFTypeRef?
            #expect(unsafe SecItemCopyMatching(same as CFDictionary, &result) == errSecSuccess)
            #expect((result as? [Any])?.count == 2)
        }
    }

    @Test("Values come when they are asked for")
    func values() throws {
        try keychain {
            try GenericPassword(service: "s", account: "a", value: Data("v".utf8)).add()
            let query = KeychainQuery<GenericPassword>()
            #expect(try query.all().first?.value == nil)
            #expect(try query.all(withValues: true).first?.value == Data("v".utf8))
            #expect(try query.first(withValue: false)?.value == nil)
        }
    }

    @Test("Synchronised items count unless the query says otherwise")
    func synchronized() throws {
        try keychain {
            var item = GenericPassword(service: "s", account: "a")
            try item.add()
            item.isSynchronized = true
            try item.add()
            let query = KeychainQuery<GenericPassword>()
            #expect(try query.all().count == 2)
            #expect(try query.where(\.isSynchronized, equals: true).all().count == 1)
            #expect(try query.where(\.isSynchronized, equals: false).all().count == 1)
        }
    }

    @Test("An update changes what it names in all that match")
    func update() throws {
        try keychain {
            for account in ["a", "b"] {
                try GenericPassword(service: "s", account: account, value: Data("v".utf8)).add()
            }
            let query = KeychainQuery<GenericPassword>().where(\.service, equals: "s")
            #expect(try query.update { $0.label = "new" })
            let found = try query.all(withValues: true)
            #expect(found.map(\.label) == ["new", "new"] && found.allSatisfy { $0.value == Data("v".utf8) })
            #expect(try query.where(\.account, equals: "a").update { $0.value = Data("w".utf8) })
            #expect(try query.where(\.account, equals: "a").first()?.value == Data("w".utf8))
            #expect(try !query.where(\.account, equals: "c").update { $0.label = "none" })
        }
    }

    @Test("Adding twice is errSecDuplicateItem; saving changes")
    func duplicates() throws {
        try keychain {
            var item = GenericPassword(service: "s", account: "a", value: Data("1".utf8))
            item.label = "label"
            try item.add()
            let error = #expect(throws: KeychainError.self) { try item.add() }
            #expect(error?.status == errSecDuplicateItem)
            try GenericPassword(service: "s", account: "a", value: Data("2".utf8)).save()
            let found = try #require(try KeychainQuery<GenericPassword>().first())
            #expect(found.value == Data("2".utf8) && found.label == "label")
        }
    }

    @Test("An item that was found can be changed and saved")
    func saveFound() throws {
        try keychain {
            try GenericPassword(service: "s", account: "a", value: Data("1".utf8)).add()
            var found = try #require(try KeychainQuery<GenericPassword>().first())
            found.comment = "changed"
            try found.save()
            #expect(try KeychainQuery<GenericPassword>().all().map(\.comment) == ["changed"])
            #expect(try KeychainQuery<GenericPassword>().first()?.value == Data("1".utf8))
        }
    }

    @Test("Deleting says whether there was something")
    func delete() throws {
        try keychain {
            let query = KeychainQuery<GenericPassword>().where(\.service, equals: "s")
            #expect(try !query.delete())
            try GenericPassword(service: "s", account: "a").add()
            #expect(try query.delete())
            #expect(try query.first() == nil)
        }
    }

    @Test("A guarded item needs the user, and is refused where he must not be asked")
    func guarded() throws {
        let keychain = try TestKeychain()
        try keychain.run {
            try keychain.device.setPasscode("1234")
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
            let item: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                kSecAttrAccessControl: try #require(control), kSecValueData: Data("v".utf8),
            ]
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            let query = KeychainQuery<GenericPassword>().where(\.service, equals: "s").prompting("to test")
            let error = #expect(throws: KeychainError.self) { try query.withoutAsking().first() }
            #expect(error?.status == errSecInteractionNotAllowed)
            #expect(try query.withoutAsking().delete())
        }
    }

    @Test("What is no attribute cannot be searched by")
    func noAttribute() async {
        await #expect(processExitsWith: .failure) {
            _ = KeychainQuery<GenericPassword>().where(\.value, equals: nil)
        }
    }
}
