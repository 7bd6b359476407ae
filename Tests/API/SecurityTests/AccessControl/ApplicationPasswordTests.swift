import KeychainTesting
import Security
import TestSupport
import Testing

/// Application passwords, mixed into an item's encryption (rules access-control.password.mixed,
/// access-control.password.credential).
@Suite("Application passwords")
struct ApplicationPasswordTests {
    private func with(_ password: String) -> Attributes {
        [kSecUseAuthenticationContext: TestContext(password: password)]
    }

    @Test(
        "an item opens with the password that was set in a context; another one and none have their own errors",
        .rule("access-control.password.credential"))
    func password() throws {
        try withKeychain { keychain in
            #expect(add(guarded(.applicationPassword) + with("from the server")) == errSecSuccess)
            #expect(reading("service", with("from the server")).data == Data("secret"))
            #expect(reading("service", with("another")).status == errSecAuthFailed)
            #expect(lastRule == "state.wrong-password")
            #expect(reading().status == errSecInteractionNotAllowed)
            #expect(lastRule == "state.needs-password")
            let fail: Attributes = [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]
            #expect(reading("service", fail).status == errSecInteractionNotAllowed)
            #expect(lastRule == "state.needs-password")
            #expect(keychain.asked == [.applicationPassword])
        }
    }

    @Test("the password may be derived from the user's own by PBKDF2", .rule("access-control.password.credential"))
    func derived() throws {
        try withKeychain { _ in
            let key = try Self.pbkdf2("the user's own", salt: "salt of the item")
            #expect(key.count == 32)
            #expect(add(guarded(.applicationPassword) + with(key.base64EncodedString())) == errSecSuccess)
            let again = try Self.pbkdf2("the user's own", salt: "salt of the item")
            #expect(reading("service", with(again.base64EncodedString())).data == Data("secret"))
            let other = try Self.pbkdf2("the user's owm", salt: "salt of the item")
            #expect(reading("service", with(other.base64EncodedString())).status == errSecAuthFailed)
        }
    }

    /// 32 bytes of PBKDF2 with HMAC-SHA-256 (RFC 8018), as `openssl kdf` makes them.
    private static func pbkdf2(_ password: String, salt: String) throws -> Data {
        let folder = try TemporaryDirectory()
        let target = folder.path + "/key"
        let program = try RunningProgram(
            "/usr/bin/openssl",
            [
                "kdf", "-keylen", "32", "-kdfopt", "digest:SHA256", "-kdfopt", "pass:\(password)", "-kdfopt",
                "salt:\(salt)", "-kdfopt", "iter:10000", "-binary", "-out", target, "PBKDF2",
            ])
        #expect(program.waitForExit() == 0)
        return try Data(contentsOf: URL(filePath: target))
    }

    @Test(
        "without one the user is asked: for a new one when adding, for the same when reading",
        .rule("access-control.password.mixed", "access-control.password.asked"))
    func typed() throws {
        try withKeychain { keychain in
            keychain.user.will(.password("typed"), .password("typed"), .password("wrong"))
            #expect(add(guarded(.applicationPassword)) == errSecSuccess)
            #expect(reading().data == Data("secret"))
            #expect(keychain.asked == [.newApplicationPassword, .applicationPassword])
            #expect(reading().status == errSecAuthFailed)
            #expect(add(guarded(.applicationPassword, "other")) == errSecInteractionNotAllowed)
            #expect(reading("other").status == errSecItemNotFound)
        }
    }

    @Test("beside a demand both are needed", .rule("access-control.password.mixed"))
    func beside() throws {
        try withKeychain { keychain in
            keychain.device.enrol(finger: "thumb")
            #expect(add(guarded([.applicationPassword, .biometryAny]) + with("p")) == errSecSuccess)
            #expect(reading("service", with("p")).status == errSecInteractionNotAllowed)
            keychain.user.will(.touch("thumb"))
            #expect(reading("service", with("p")).data == Data("secret"))
            keychain.user.will(.touch("thumb"), .password("p"))
            #expect(reading().data == Data("secret"))
            keychain.user.will(.touch("thumb"))
            #expect(reading("service", with("q")).status == errSecAuthFailed)
        }
    }

    @Test("Changing an item keeps its password", .rule("access-control.password.mixed"))
    func changing() throws {
        try withKeychain { _ in
            #expect(add(guarded(.applicationPassword) + with("p")) == errSecSuccess)
            #expect(update(genericPassword(), [kSecValueData: Data("new")]) == errSecInteractionNotAllowed)
            #expect(update(genericPassword() + with("q"), [kSecValueData: Data("new")]) == errSecAuthFailed)
            #expect(update(genericPassword() + with("p"), [kSecValueData: Data("new")]) == errSecSuccess)
            #expect(reading("service", with("p")).data == Data("new"))
        }
    }
}
