import Security
import TestSupport
import Testing

/// Items for all devices (rule queries.synchronizable.default).
@Suite("Synchronizable items")
struct SynchronizableTests {
    private let local = genericPassword("local")
    private let synced = genericPassword("synced") + [kSecAttrSynchronizable: true]
    private let all: Attributes = [kSecClass: kSecClassGenericPassword]

    @Test(
        "A query finds what is not synchronised, what is, or both, as it says",
        arguments: [("absent", 1), ("false", 1), ("true", 1), ("any", 2)])
    func filter(which: String, expected: Int) throws {
        try withKeychain { _ in
            add(local)
            add(synced)
            let filters: [String: Attributes] = [
                "absent": [:], "false": [kSecAttrSynchronizable: false], "true": [kSecAttrSynchronizable: true],
                "any": [kSecAttrSynchronizable: kSecAttrSynchronizableAny],
            ]
            let query = all + (filters[which] ?? [:]) + [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]
            let services = (find(query).list ?? []).compactMap { $0["svce"] as? String }
            #expect(services.count == expected)
            #expect(services.contains("synced") == (which == "true" || which == "any"))
            #expect(services.contains("local") == (which != "true"))
        }
    }

    @Test("The flag is understood as boolean, number and decimal string", .rule("queries.synchronizable.any"))
    func spellings() throws {
        try withKeychain { _ in
            for (index, flag) in ([true, 1, "1"] as [Any]).enumerated() {
                #expect(add(genericPassword("\(index)") + [kSecAttrSynchronizable: flag]) == errSecSuccess)
                #expect(count(all + [kSecAttrSynchronizable: flag]) == index + 1)
            }
            for flag: Any in [false, 0, "0"] { #expect(count(all + [kSecAttrSynchronizable: flag]) == 0) }
            #expect(find(all + [kSecAttrSynchronizable: "yes"]).status == errSecParam)
        }
    }

    @Test("An item added with \"any\" is not synchronised")
    func addedWithAny() throws {
        try withKeychain { _ in
            #expect(add(local + [kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == errSecSuccess)
            #expect(attributes(local)?["sync"] as? Int == 0)
        }
    }

    @Test(
        "Update and delete leave synchronised items alone unless asked for them",
        .rule("queries.synchronizable.default"))
    func untouched() throws {
        try withKeychain { _ in
            add(synced)
            #expect(update(all, [kSecAttrLabel: "l"]) == errSecItemNotFound)
            #expect(delete(all) == errSecItemNotFound)
            #expect(update(all + [kSecAttrSynchronizable: true], [kSecAttrLabel: "l"]) == errSecSuccess)
            #expect(delete(all + [kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == errSecSuccess)
            #expect(count(all + [kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == 0)
        }
    }

    @Test(
        "A deleted item, or one under another name, leaves nothing in a keychain of one machine",
        .rule("items.tombstone.left"))
    func noTombstone() throws {
        try withKeychain { _ in
            add(local)
            add(synced)
            #expect(delete(local) == errSecSuccess)
            #expect(delete(synced) == errSecSuccess)
            add(synced)
            #expect(update(synced, [kSecAttrService: "renamed"]) == errSecSuccess)
            #expect(count(genericPassword("renamed") + [kSecAttrSynchronizable: true]) == 1)
            #expect(count(all + [kSecAttrSynchronizable: kSecAttrSynchronizableAny, "tomb": true]) == 0)
        }
    }

    @Test("An item becomes synchronised, and stops being so, by an update")
    func toggled() throws {
        try withKeychain { _ in
            add(local + [kSecValueData: Data("v")])
            #expect(update(local, [kSecAttrSynchronizable: true]) == errSecSuccess)
            #expect(count(local) == 0)
            #expect(value(local + [kSecAttrSynchronizable: true]) == Data("v"))
            #expect(update(local + [kSecAttrSynchronizable: true], [kSecAttrSynchronizable: false]) == errSecSuccess)
            #expect(value(local) == Data("v"))
        }
    }

    @Test("A program may say that it wants no tombstones", .rule("items.tombstone.without"))
    func withoutTombstones() throws {
        try withKeychain { _ in
            add(synced)
            #expect(delete(synced + ["u_Tomb": false]) == errSecSuccess)
            #expect(count(synced) == 0)
        }
    }

    @Test(
        "an item has an access group and is synchronised at the same time", .rule("access-groups.named.synchronizable"))
    func withAccessGroup() throws {
        try withKeychain(accessGroups: ["TEAM.program", "TEAM.shared"]) { _ in
            #expect(add(synced + [kSecAttrAccessGroup: "TEAM.shared"]) == errSecSuccess)
            let found = attributes(synced + [kSecAttrAccessGroup: "TEAM.shared"])
            #expect(found?["agrp"] as? String == "TEAM.shared")
            #expect(found?["sync"] as? Bool == true)
        }
    }

    @Test(
        "an item for all devices and yet for this one only is kept, with a notice that it is never synchronised",
        .rule("protection.device.synchronizable"),
        arguments: ["aku", "cku", "dku"])
    func thisDeviceOnly(code: String) throws {
        try withKeychain { _ in
            #expect(add(synced + [kSecAttrAccessible: code]) == errSecSuccess)
            let notice = SecCopyLastItemError()
            #expect(notice?.status == errSecSuccess)
            #expect(notice?.subject == "sync")
            #expect(notice?.problem.contains("this one") == true)
        }
    }
}
