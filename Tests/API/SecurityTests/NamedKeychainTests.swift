import KeychainClient
import KeychainTesting
import LinuxSystem
import Security
import TestSupport
import Testing

@Suite("Keychains with names", .patient)
struct NamedKeychainTests {
    @Test("An add with kSecUseKeychain goes to that keychain alone", .rule("keychains.add.chosen"))
    func adding() throws {
        try withNamed("one") { _, login in
            let one = try opened("one")
            #expect(add(genericPassword() + [kSecUseKeychain: one, kSecValueData: Data("named")]) == errSecSuccess)
            #expect(login(genericPassword()) == 0)
            #expect(value(genericPassword() + [kSecMatchSearchList: [one]]) == Data("named"))
            #expect(find(genericPassword()).status == errSecItemNotFound)
        }
    }

    @Test("A search list restricts a search to its keychains, in order", .rule("keychains.list.restricts"))
    func searching() throws {
        try withNamed("one", "two") { _, _ in
            let (one, two, login) = (try opened("one"), try opened("two"), try opened("login.keychain"))
            for (place, text) in [(one, "1"), (two, "2"), (login, "0")] {
                #expect(add(genericPassword() + [kSecUseKeychain: place, kSecValueData: Data(text)]) == errSecSuccess)
            }
            #expect(value(genericPassword() + [kSecMatchSearchList: [two, one]]) == Data("2"))
            #expect(value(genericPassword() + [kSecMatchSearchList: [one, two]]) == Data("1"))
            #expect(value(genericPassword()) == Data("0"))
            #expect(count(genericPassword() + [kSecMatchSearchList: [one, two, one]]) == 2)
            let limited = genericPassword() + [kSecMatchSearchList: [one, two, login], kSecMatchLimit: 2]
            #expect(find(limited + [kSecReturnAttributes: true]).count == 2)
        }
    }

    @Test(
        "A keychain that does not open hides nothing of the others, and is named", .rule("keychains.list.unopened"))
    func unopened() throws {
        try withNamed("one", "two") { keychains, _ in
            let (none, bad, one) = (try opened("none"), try opened("bad"), try opened("one"))
            try Data("no keychain\n".utf8).write(to: URL(filePath: "\(keychains.folder)/bad-db"))
            add(genericPassword() + [kSecUseKeychain: one, kSecValueData: Data("1")])
            for (closed, status) in [(none, errSecNoSuchKeychain), (bad, errSecInvalidKeychain)] {
                let query = genericPassword() + [kSecMatchSearchList: [closed, one, try opened("two")]]
                #expect(value(query) == Data("1"))
                let notice = try #require(SecCopyLastItemError())
                #expect(notice.status == errSecSuccess && notice.problem.contains("kSecMatchSearchList"))
                #expect(count(query) == 1)
                #expect(SecCopyLastItemError()?.problem.contains("was not searched") == true)
                #expect(find(genericPassword("other") + [kSecMatchSearchList: [closed, one]]).status == status)
                #expect(find([kSecClass: kSecClassCertificate, kSecMatchSearchList: [closed, one]]).status == status)
            }
        }
    }

    @Test("A change and a deletion are for one keychain", .rule("keychains.list.changes"))
    func changing() throws {
        try withNamed("one", "two") { _, _ in
            let (one, two) = (try opened("one"), try opened("two"))
            for place in [one, two] { add(genericPassword() + [kSecUseKeychain: place, kSecValueData: Data("old")]) }
            let (inOne, inBoth): (Attributes, Attributes) = (
                [kSecMatchSearchList: [one]], [kSecMatchSearchList: [one, two]]
            )
            #expect(update(genericPassword() + inBoth, [kSecValueData: Data("new")]) == errSecParam)
            #expect(delete(genericPassword() + inBoth) == errSecParam)
            #expect(count(genericPassword() + inBoth) == 2)
            #expect(update(genericPassword() + inOne, [kSecValueData: Data("new")]) == errSecSuccess)
            #expect(value(genericPassword() + inOne) == Data("new"))
            #expect(value(genericPassword() + [kSecMatchSearchList: [two]]) == Data("old"))
            #expect(delete(genericPassword() + inOne) == errSecSuccess)
            #expect(count(genericPassword() + inBoth) == 1)
        }
    }

    @Test(
        "A keychain that has gone, other objects, an empty and a long list are refused", .rule("keychains.list.refused")
    )
    func refusals() throws {
        try withNamed("one") { keychains, _ in
            let (one, none) = (try opened("one"), try opened("none"))
            add(genericPassword() + [kSecUseKeychain: one])
            func status(_ list: Any) -> OSStatus { find(genericPassword() + [kSecMatchSearchList: list]).status }
            #expect(status([none]) == errSecNoSuchKeychain)
            #expect(status([one, "one"] as [Any]) == errSecInvalidKeychain)
            #expect(status("one") == errSecParam)
            #expect(status([SecKeychain]()) == errSecItemNotFound)
            #expect(status([SecKeychain](repeating: one, count: 1_000)) == errSecParam)
            #expect(add(genericPassword("other") + [kSecUseKeychain: "one"]) == errSecInvalidKeychain)
            #expect(add(genericPassword("other") + [kSecUseKeychain: none]) == errSecNoSuchKeychain)
            #expect(add(genericPassword("other") + [kSecMatchSearchList: [one]]) == errSecParam)
            try deleteKeychain("one", keychains)
            #expect(status([one]) == errSecNoSuchKeychain)
            #expect(SecKeychainSetDefault(one) == errSecNoSuchKeychain)
        }
    }

    @Test("Default and search list are those of the command", .rule("keychains.list.none"))
    func lists() throws {
        try withNamed("one") { keychains, _ in
            let (one, login) = (try opened("one"), try opened("login.keychain"))
            #expect(searchList() == [login, one])
            #expect(SecKeychainSetSearchList(NSArray(array: [one])) == errSecSuccess)
            #expect(searchList() == [one])
            #expect(SecKeychainSetSearchList(NSArray(array: [one, try opened("none")])) == errSecNoSuchKeychain)
            #expect(SecKeychainSetSearchList(NSArray(array: ["one"])) == errSecInvalidKeychain)
            #expect(searchList() == [one])
            #expect(SecKeychainSetDefault(one) == errSecSuccess)
            #expect(SecKeychainSetDefault(nil) == errSecParam)
            var standard: SecKeychain?
            #expect(unsafe SecKeychainCopyDefault(&standard) == errSecSuccess)
            #expect(standard == one)
            #expect(path(of: nil) == "\(keychains.folder)/one-db")
            // An add that names no keychain is the login's all the same.
            add(genericPassword())
            #expect(find(genericPassword() + [kSecMatchSearchList: [one]]).status == errSecItemNotFound)
        }
    }

    @Test("A path is copied when it fits, with its zero byte", .rule("keychains.objects.path"))
    func paths() throws {
        try withNamed { _, _ in
            let keychain = try opened("/a/b.keychain")
            #expect(path(of: keychain) == "/a/b.keychain")
            var (length, bytes): (UInt32, [CChar]) = (13, [CChar](repeating: 1, count: 13))
            #expect(unsafe SecKeychainGetPath(keychain, &length, &bytes) == errSecBufferTooSmall)
            #expect(length == 13 && bytes[0] == 1)
            var none: SecKeychain?
            #expect(unsafe SecKeychainOpen("", &none) == errSecParam)
            #expect(unsafe SecKeychainOpen("/a\nb", &none) == errSecParam)
            #expect(none == nil)
        }
    }
}

/// Runs a test with named keychains of its own. The login's keychain is an embedded one.
private func withNamed(
    _ names: String..., body: (NamedKeychains, (Attributes) -> Int) throws -> Void
) throws {
    let directory = try TemporaryDirectory()
    let own = (try? ExecutableFile(ofProcess: CurrentProcess.identifier))?.path ?? ""
    let products = String(own[..<(own.lastIndex(of: "/") ?? own.endIndex)])
    let configuration = try Configuration { name in
        [
            "KEYCHAIN_HOME": directory.file("k"), "KEYCHAIN_MODE": "daemon",
            "KEYCHAIN_DAEMON": products + "/keychaind", "KEYCHAIN_TPM": "none",
        ][name]
    }
    let keychains = NamedKeychains(configuration, home: nil)
    for name in names { try keychains.create(name, password: nil) }
    defer { for name in names { try? deleteKeychain(name, keychains) } }
    try TestKeychain().run {
        try NamedKeychainSession.scoped(to: keychains) { try body(keychains) { count($0) } }
    }
}

private func deleteKeychain(_ name: String, _ keychains: NamedKeychains) throws {
    if case .named(let keychain) = try keychains.find(name) { try keychains.delete(keychain) }
}

private func opened(_ path: String) throws -> SecKeychain {
    var keychain: SecKeychain?
    #expect(unsafe SecKeychainOpen(path, &keychain) == errSecSuccess)
    return try #require(keychain)
}

private func searchList() -> [SecKeychain]? {
    var list: CFArray?
    #expect(unsafe SecKeychainCopySearchList(&list) == errSecSuccess)
    return list as? [SecKeychain]
}

private func path(of keychain: SecKeychain?) -> String? {
    var (length, bytes): (UInt32, [CChar]) = (4096, [CChar](repeating: 0, count: 4096))
    guard unsafe SecKeychainGetPath(keychain, &length, &bytes) == errSecSuccess else { return nil }
    return String(validating: bytes[..<Int(length)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
