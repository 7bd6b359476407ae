import Foundation
import KeychainTesting
import Security
import TestSupport
import Testing

@Suite("What the articles say of the keychain as a whole")
struct ArticleClaimTests {
    @Test(
        "neither value nor attributes are readable in the files, whatever the class",
        .rule("protection.storage.encrypted"),
        arguments: StoredClass.allCases)
    func nothingReadable(_ itemClass: StoredClass) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keychain-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let keychain = try TestKeychain(accessGroups: ["TEAM.visible-group"], folder: folder)
        keychain.run {
            let item = itemClass.item + [kSecAttrLabel: "visible-label", kSecValueData: Data("visible-value".utf8)]
            #expect(add(item) == errSecSuccess)
        }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let contents = try files.map { try Data(contentsOf: $0) }
        #expect(contents.contains { $0.count > 4096 })
        for word in ["visible-label", "visible-value", "visible-group"] {
            #expect(contents.allSatisfy { $0.range(of: Data(word.utf8)) == nil }, "\(word) is readable")
        }
    }

    @Test(
        "an internet password is told apart, and found, by security domain, protocol and path",
        .rule("items.internet.attributes"))
    func internetPasswords() throws {
        try withKeychain { _ in
            let one: Attributes = [
                kSecAttrSecurityDomain: "realm", kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrPath: "/one",
            ]
            let other = one + [kSecAttrPath: "/two"]
            #expect(add(internetPassword() + one + [kSecValueData: Data([1])]) == errSecSuccess)
            #expect(add(internetPassword() + other + [kSecValueData: Data([2])]) == errSecSuccess)
            for (key, wanted) in one {
                #expect(value([kSecClass: kSecClassInternetPassword, key: wanted]) != nil, "\(key)")
            }
            #expect(value(internetPassword() + [kSecAttrPath: "/two"]) == Data([2]))
            #expect(find(internetPassword() + [kSecAttrPath: "/three"]).status == errSecItemNotFound)
        }
    }

    @Test(
        "the prefix read from an Info.plist, before the group's name, is the group of the team",
        .rule("access-groups.entitlements.prefix"))
    func prefixFromInfoPlist() throws {
        let plist = Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>AppIdentifierPrefix</key><string>ABCDE12345.</string></dict></plist>
            """.utf8)
        let info = try unsafe PropertyListSerialization.propertyList(from: plist, format: nil) as? [String: Any]
        let prefix = try #require(info?["AppIdentifierPrefix"] as? String)
        try withKeychain(accessGroups: ["ABCDE12345.org.example.shared"]) { _ in
            #expect(add(genericPassword() + [kSecAttrAccessGroup: prefix + "org.example.shared"]) == errSecSuccess)
            #expect(add(genericPassword() + [kSecAttrAccessGroup: "org.example.shared"]) == errSecMissingEntitlement)
        }
    }

    @Test(
        "who can read the user's files opens every item with an engine of its own, which no keychain prevents",
        .rule("protection.limit.root"))
    func sameUserReadsTheFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keychain-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let victim = try TestKeychain(accessGroups: ["TEAM.victim"], folder: folder)
        victim.run { #expect(add(genericPassword() + [kSecValueData: Data("secret".utf8)]) == errSecSuccess) }
        let dumper = try TestKeychain(accessGroups: ["*"], folder: folder)
        dumper.run { #expect(value(genericPassword()) == Data("secret".utf8)) }
        let asked = victim.program(accessGroups: ["TEAM.other"])
        asked.run { #expect(find(genericPassword()).status == errSecItemNotFound) }
    }

    @Test("what a program encrypted before it stored it comes back as it was", .rule("items.value.opaque"))
    func encryptedBefore() throws {
        try withKeychain { _ in
            let sealed = Data((0..<256).map { UInt8($0) }) + Data([0, 0xFF, 0x0A])
            #expect(add(genericPassword() + [kSecValueData: sealed]) == errSecSuccess)
            #expect(value(genericPassword()) == sealed)
        }
    }

    @Test(
        "items stay when their program is gone, until somebody who may deletes them",
        .rule("access-groups.removal.policy"))
    func itemsStay() throws {
        let keychain = try TestKeychain(accessGroups: ["TEAM.admin", "TEAM.program"])
        keychain.program(accessGroups: ["TEAM.program"]).run { #expect(add(genericPassword()) == errSecSuccess) }
        try keychain.device.restart()
        keychain.run {
            #expect(count(genericPassword()) == 1)
            #expect(delete(genericPassword()) == errSecSuccess)
        }
        keychain.program(accessGroups: ["TEAM.program"]).run { #expect(count(genericPassword()) == 0) }
    }
}
