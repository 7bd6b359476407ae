import KeychainTesting
import Security
import TestSupport
import Testing

/// Persistent references (rule persistent-references.form.twenty).
@Suite("Persistent references")
struct PersistentReferenceTests {
    private func reference(_ item: Attributes) throws -> Data {
        try #require(addReturning(item + [kSecReturnPersistentRef: true]).data)
    }

    private func query(_ reference: Data) -> Attributes { [kSecValuePersistentRef: reference] }

    @Test(
        "A reference has 20 bytes that begin with the class, and finds its item without one",
        arguments: StoredClass.allCases)
    func form(itemClass: StoredClass) throws {
        try withKeychain { _ in
            let reference = try reference(itemClass.item + [kSecValueData: Data("v")])
            #expect(reference.count == 20)
            #expect(reference.prefix(4) == Data(itemClass.rawValue))
            #expect(value(query(reference)) == Data("v"))
            #expect(value(query(reference) + itemClass.query) == Data("v"))
            #expect(find(itemClass.query + [kSecReturnPersistentRef: true]).data == reference)
        }
    }

    @Test("Each item has its own", .rule("persistent-references.form.opaque"))
    func distinct() throws {
        try withKeychain { _ in
            let references = try (0..<10).map {
                try reference(genericPassword("\($0)") + [kSecValueData: Data("\($0)")])
            }
            #expect(Set(references).count == 10)
            for (index, reference) in references.enumerated() { #expect(value(query(reference)) == Data("\(index)")) }
        }
    }

    @Test(
        "It survives updates, also of the primary key and the protection class",
        .rule("persistent-references.life.update"))
    func survivesUpdates() throws {
        try withKeychain { _ in
            let reference = try reference(genericPassword())
            let changes: Attributes = [
                kSecAttrService: "renamed", kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
                kSecValueData: Data("new"),
            ]
            #expect(update(genericPassword(), changes) == errSecSuccess)
            #expect(value(query(reference)) == Data("new"))
        }
    }

    @Test("It survives a restart of the device")
    func survivesRestart() throws {
        try withKeychain { keychain in
            let reference = try reference(genericPassword() + [kSecValueData: Data("v")])
            try keychain.device.restart()
            #expect(value(query(reference)) == Data("v"))
        }
    }

    @Test(
        "It dies with its item, and a new item of the same name has another", .rule("persistent-references.life.delete")
    )
    func dies() throws {
        try withKeychain { _ in
            let first = try reference(genericPassword())
            #expect(delete(query(first)) == errSecSuccess)
            #expect(find(query(first)).status == errSecItemNotFound)
            #expect(try reference(genericPassword()) != first)
            #expect(find(query(first)).status == errSecItemNotFound)
        }
    }

    @Test(
        "Update and delete go by reference too, and touch that item only", .rule("persistent-references.use.functions"))
    func updateAndDelete() throws {
        try withKeychain { _ in
            let reference = try reference(genericPassword("a"))
            add(genericPassword("b"))
            #expect(update(query(reference), [kSecAttrLabel: "l"]) == errSecSuccess)
            #expect(attributes(genericPassword("a"))?["labl"] as? String == "l")
            #expect(attributes(genericPassword("b"))?["labl"] == nil)
            #expect(delete(query(reference)) == errSecSuccess)
            #expect(count([kSecClass: kSecClassGenericPassword]) == 1)
        }
    }

    @Test("It finds an item whether it is synchronised or not", .rule("persistent-references.use.synchronizable"))
    func synchronised() throws {
        try withKeychain { _ in
            let reference = try reference(genericPassword() + [kSecAttrSynchronizable: true, kSecValueData: Data("v")])
            #expect(value(query(reference)) == Data("v"))
        }
    }

    @Test("Attributes beside it, or the wrong class, are refused", .rule("persistent-references.use.alone"))
    func contradictions() throws {
        try withKeychain { _ in
            let reference = try reference(genericPassword())
            #expect(find(query(reference) + [kSecAttrService: "service"]).status == errSecParam)
            #expect(find(query(reference) + [kSecAttrSynchronizable: true]).status == errSecParam)
            #expect(find(query(reference) + [kSecClass: kSecClassKey]).status == errSecParam)
            #expect(add(query(reference) + genericPassword("other")) == errSecParam)
        }
    }

    @Test(
        "What is no reference is refused; one that names nothing finds nothing",
        .rule("persistent-references.form.opaque"))
    func malformed() throws {
        try withKeychain { _ in
            add(genericPassword())
            for bytes in [
                Data(), Data("genp"), Data(count: 20), Data("genp" + String(repeating: "x", count: 15)),
                Data("apls" + String(repeating: "x", count: 16)),
            ] {
                #expect(find(query(bytes)).status == errSecParam)
                #expect(delete(query(bytes)) == errSecParam)
            }
            #expect(find([kSecValuePersistentRef: "genp0123456789abcdef"]).status == errSecParam)
            #expect(find(query(Data("genp") + Data(count: 16))).status == errSecItemNotFound)
            #expect(find(query(Data("genp") + Data([0, 0, 0, 0, 0, 0, 0, 99]))).status == errSecItemNotFound)
            #expect(find(query(Data("genp") + Data(repeating: 0xFF, count: 8))).status == errSecItemNotFound)
        }
    }

    @Test("The older form with a row number is still understood", .rule("persistent-references.form.old"))
    func olderForm() throws {
        try withKeychain { _ in
            add(genericPassword() + [kSecValueData: Data("v")])
            #expect(value(query(Data("genp") + Data([0, 0, 0, 0, 0, 0, 0, 1]))) == Data("v"))
        }
    }

    @Test("Another program cannot use it", .rule("persistent-references.use.groups"))
    func otherProgram() throws {
        try withKeychain { keychain in
            let reference = try reference(genericPassword())
            keychain.program(accessGroups: ["OTHER.program"]).run {
                #expect(find(query(reference)).status == errSecItemNotFound)
                #expect(update(query(reference), [kSecAttrLabel: "l"]) == errSecItemNotFound)
                #expect(delete(query(reference)) == errSecItemNotFound)
            }
            #expect(find(query(reference)).status == errSecSuccess)
        }
    }
}
