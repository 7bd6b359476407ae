import KeychainTesting
import Security
import TestSupport
import Testing

/// The items that each program sees (rule access-groups.decision.table).
@Suite("Access groups")
struct AccessGroupTests {
    private let all: Attributes = [kSecClass: kSecClassGenericPassword]
    private let groups = ["TEAM.program", "TEAM.shared"]

    private func inGroup(_ group: String, _ item: Attributes = genericPassword()) -> Attributes {
        item + [kSecAttrAccessGroup: group]
    }

    @Test("without a group an item goes to the first of the program's", .rule("access-groups.default.first"))
    func firstGroup() throws {
        try withKeychain(accessGroups: groups) { _ in
            add(genericPassword())
            #expect(attributes(all)?["agrp"] as? String == "TEAM.program")
        }
    }

    @Test("a group can be named in an add and in a query, for one item and for all", .rule("access-groups.named.own"))
    func namedGroup() throws {
        try withKeychain(accessGroups: groups) { _ in
            #expect(add(inGroup("TEAM.shared")) == errSecSuccess)
            #expect(add(inGroup("TEAM.program")) == errSecSuccess)
            #expect(count(inGroup("TEAM.shared", all)) == 1)
            #expect(attributes(inGroup("TEAM.shared", all))?["agrp"] as? String == "TEAM.shared")
            #expect(count(all) == 2)
        }
    }

    @Test("programs of one team share what is in a common group, and only that", .rule("access-groups.team.sharing"))
    func sharing() throws {
        try withKeychain(accessGroups: ["TEAM.one", "TEAM.shared"]) { keychain in
            add(inGroup("TEAM.shared") + [kSecValueData: Data("common")])
            add(inGroup("TEAM.one") + [kSecValueData: Data("own")])
            keychain.program(accessGroups: ["TEAM.two", "TEAM.shared"]).run {
                #expect(count(all) == 1)
                #expect(value(all) == Data("common"))
                #expect(update(all, [kSecValueData: Data("changed")]) == errSecSuccess)
            }
            #expect(value(inGroup("TEAM.shared", all)) == Data("changed"))
            #expect(value(inGroup("TEAM.one", all)) == Data("own"))
        }
    }

    @Test(
        "a group of another team is refused in every function, and the explanation names it",
        .rule("access-groups.named.foreign"))
    func foreignGroup() throws {
        try withKeychain(accessGroups: groups) { keychain in
            keychain.program(accessGroups: ["OTHER.shared"]).run {
                #expect(add(inGroup("OTHER.shared")) == errSecSuccess)
            }
            let foreign = inGroup("OTHER.shared", genericPassword())
            #expect(add(foreign) == errSecMissingEntitlement)
            #expect(find(foreign).status == errSecMissingEntitlement)
            #expect(update(foreign, [kSecAttrLabel: "l"]) == errSecMissingEntitlement)
            #expect(delete(foreign) == errSecMissingEntitlement)
            #expect(SecCopyLastItemError()?.rule == "access.group-not-granted")
            #expect(SecCopyLastItemError()?.subject == "OTHER.shared")
        }
    }

    @Test("Items of other programs are as if they were not there", .rule("access-groups.foreign.invisible"))
    func invisible() throws {
        try withKeychain(accessGroups: ["TEAM.one"]) { keychain in
            add(genericPassword() + [kSecValueData: Data("own")])
            keychain.program(accessGroups: ["TEAM.two"]).run {
                #expect(find(all).status == errSecItemNotFound)
                #expect(update(all, [kSecAttrLabel: "l"]) == errSecItemNotFound)
                #expect(delete(all) == errSecItemNotFound)
                #expect(add(genericPassword() + [kSecValueData: Data("other")]) == errSecSuccess)
            }
            #expect(value(all) == Data("own"))
        }
    }

    @Test("An item moves to another group the program has, and to no other", .rule("access-groups.named.change"))
    func moved() throws {
        try withKeychain(accessGroups: groups) { keychain in
            add(genericPassword() + [kSecValueData: Data("v")])
            #expect(update(all, [kSecAttrAccessGroup: "OTHER.group"]) == errSecMissingEntitlement)
            #expect(update(all, [kSecAttrAccessGroup: "TEAM.shared"]) == errSecSuccess)
            #expect(value(inGroup("TEAM.shared", all)) == Data("v"))
            #expect(count(inGroup("TEAM.program", all)) == 0)
            keychain.program(accessGroups: ["TEAM.shared"]).run { #expect(value(all) == Data("v")) }
        }
    }

    @Test("Deleting a whole class leaves the items of other programs", .rule("items.delete.class"))
    func deletion() throws {
        try withKeychain(accessGroups: groups) { keychain in
            add(inGroup("TEAM.shared"))
            add(inGroup("TEAM.program"))
            let other = keychain.program(accessGroups: ["TEAM.shared"])
            other.run { #expect(delete(all) == errSecSuccess) }
            #expect(count(all) == 1)
        }
    }

    @Test("A program without groups can store nothing and finds nothing", .rule("access-groups.list.none"))
    func noGroups() throws {
        try withKeychain(accessGroups: []) { _ in
            #expect(add(genericPassword()) == errSecMissingEntitlement)
            #expect(find(all).status == errSecItemNotFound)
            #expect(SecCopyLastItemError()?.rule == "access.no-groups")
            #expect(update(all, [kSecAttrLabel: "l"]) == errSecMissingEntitlement)
            #expect(delete(all) == errSecMissingEntitlement)
        }
    }

    @Test("The group of tokens can be read and never written", .rule("access-groups.named.token"))
    func tokenGroup() throws {
        try withKeychain(accessGroups: ["com.apple.token"]) { _ in
            #expect(add(genericPassword()) == errSecMissingEntitlement)
            #expect(add(inGroup("com.apple.token")) == errSecMissingEntitlement)
            #expect(find(all).status == errSecItemNotFound)
            #expect(update(all, [kSecAttrLabel: "l"]) == errSecMissingEntitlement)
            #expect(delete(all) == errSecMissingEntitlement)
        }
        try withKeychain(accessGroups: ["com.apple.token", "TEAM.program"]) { _ in
            #expect(add(genericPassword()) == errSecSuccess)
            #expect(attributes(all)?["agrp"] as? String == "TEAM.program")
            #expect(update(all, [kSecAttrAccessGroup: "com.apple.token"]) == errSecMissingEntitlement)
        }
    }

    @Test("A program with every group sees everything and puts items where it says", .rule("access-groups.list.every"))
    func everyGroup() throws {
        try withKeychain(accessGroups: ["TEAM.one"]) { keychain in
            add(genericPassword())
            keychain.program(accessGroups: ["TEAM.two", "*"]).run {
                #expect(count(all) == 1)
                #expect(add(inGroup("TEAM.three")) == errSecSuccess)
                #expect(count(all) == 2)
                #expect(add(genericPassword("own")) == errSecSuccess)
                #expect(attributes(genericPassword("own"))?["agrp"] as? String == "TEAM.two")
            }
            #expect(count(all) == 1)
        }
    }

    @Test("a program that nobody granted anything has a group of its own", .rule("access-groups.unsigned.path"))
    func ownGroup() throws {
        try withKeychain(accessGroups: ["program:/usr/bin/one"]) { keychain in
            add(genericPassword())
            #expect(count(all) == 1)
            keychain.program(accessGroups: ["program:/usr/bin/two"]).run { #expect(count(all) == 0) }
        }
    }
}
