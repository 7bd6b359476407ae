import Security
import TestSupport
import Testing

/// Items for all devices, and the records of deleted ones (rules queries.synchronizable.default, items.tombstone.left).
@Suite("Synchronizable items and tombstones")
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
        "A deleted synchronised item leaves a tombstone with its key and without its value",
        .rule("items.tombstone.left"))
    func tombstone() throws {
        try withKeychain { _ in
            add(synced + [kSecAttrLabel: "label", kSecAttrGeneric: Data([1]), kSecValueData: Data("secret")])
            let before = try #require(attributes(synced))
            #expect(delete(synced) == errSecSuccess)
            #expect(count(synced) == 0)
            let found = try #require(
                find(synced + ["tomb": true, kSecReturnAttributes: true, kSecReturnData: true]).attributes)
            #expect(found["acct"] as? String == "account")
            #expect(found["svce"] as? String == "synced")
            #expect(found["agrp"] as? String == "TEAM.program")
            #expect(found["sync"] as? Int == 1)
            #expect(found["tomb"] as? Int == 1)
            #expect(found["cdat"] as? Date == before["cdat"] as? Date)
            let (deleted, changed) = (try #require(found["mdat"] as? Date), try #require(before["mdat"] as? Date))
            #expect(deleted > changed)
            for gone in ["labl", "gena", "v_Data"] { #expect(found[gone] == nil) }
        }
    }

    @Test("A deleted local item leaves nothing")
    func noTombstone() throws {
        try withKeychain { _ in
            add(local)
            #expect(delete(local) == errSecSuccess)
            #expect(count(local + ["tomb": true]) == 0)
        }
    }

    @Test("A tombstone does not stand in the way of a new item", .rule("items.tombstone.replaced"))
    func replaced() throws {
        try withKeychain { _ in
            add(synced + [kSecValueData: Data("old")])
            delete(synced)
            #expect(add(synced + [kSecValueData: Data("new")]) == errSecSuccess)
            #expect(value(synced) == Data("new"))
            #expect(count(synced + ["tomb": true]) == 0)
        }
    }

    @Test("A tombstone does not stand in the way of a renamed item either")
    func renamedOver() throws {
        try withKeychain { _ in
            add(synced)
            delete(synced)
            add(genericPassword("other") + [kSecAttrSynchronizable: true])
            let other = genericPassword("other") + [kSecAttrSynchronizable: true]
            #expect(update(other, [kSecAttrService: "synced"]) == errSecSuccess)
            #expect(count(synced) == 1)
            #expect(count(other + ["tomb": true]) == 1)
        }
    }

    @Test(
        "A synchronised item under a new key leaves a tombstone of the old one; other changes leave none",
        .rule("items.update.rename"))
    func renamed() throws {
        try withKeychain { _ in
            add(synced)
            #expect(update(synced, [kSecAttrLabel: "label"]) == errSecSuccess)
            #expect(count(all + [kSecAttrSynchronizable: true, "tomb": true]) == 0)
            #expect(update(synced, [kSecAttrService: "renamed"]) == errSecSuccess)
            #expect(count(synced + ["tomb": true]) == 1)
            #expect(count(genericPassword("renamed") + [kSecAttrSynchronizable: true]) == 1)
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
            #expect(count(local + [kSecAttrSynchronizable: true, "tomb": true]) == 1)
        }
    }

    @Test("Tombstones are left out when the program says so", .rule("items.tombstone.without"))
    func withoutTombstones() throws {
        try withKeychain { _ in
            add(synced)
            #expect(delete(synced + ["u_Tomb": false]) == errSecSuccess)
            #expect(count(synced + ["tomb": true]) == 0)
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
