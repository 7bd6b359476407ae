import KeychainTesting
import Security
import TestSupport
import Testing

/// The passcode of the device, and the class that exists only with one (rule protection.passcode.required).
@Suite("Passcodes")
struct PasscodeTests {
    private let passcodeItem =
        genericPassword("akpu") + [
            kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, kSecValueData: Data("value"),
        ]
    private let query = genericPassword("akpu")

    @Test(
        "an item that needs a passcode cannot be added without one, and the explanation says so",
        .rule("protection.passcode.required"))
    func needsPasscode() throws {
        try withKeychain { keychain in
            #expect(add(passcodeItem) == errSecAuthFailed)
            #expect(SecCopyLastItemError()?.rule == "state.passcode-not-set")
            #expect(count(query) == 0)
            try keychain.device.setPasscode("1234")
            #expect(add(passcodeItem) == errSecSuccess)
            #expect(value(query) == Data("value"))
        }
    }

    @Test("An item cannot be moved to that class without a passcode")
    func moved() throws {
        try withKeychain { _ in
            add(genericPassword() + [kSecValueData: Data("v")])
            let change: Attributes = [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly]
            #expect(update(genericPassword(), change) == errSecAuthFailed)
            #expect(attributes(genericPassword())?["pdmn"] as? String == "ak")
            #expect(value(genericPassword()) == Data("v"))
        }
    }

    @Test("Removing the passcode removes what only it opened, and nothing else", .rule("protection.passcode.removed"))
    func removed() throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            add(passcodeItem)
            add(genericPassword() + [kSecValueData: Data("other")])
            try keychain.device.removePasscode("1234")
            #expect(try !keychain.device.hasPasscode)
            #expect(find(query).status == errSecItemNotFound)
            #expect(value(genericPassword()) == Data("other"))
            try keychain.device.setPasscode("5678")
            #expect(find(query).status == errSecItemNotFound)
            #expect(add(passcodeItem) == errSecSuccess)
            #expect(value(query) == Data("value"))
        }
    }

    @Test(
        "Changing the passcode keeps every item; the old one opens nothing any more",
        .rule("protection.passcode.changed"))
    func changed() throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            add(passcodeItem)
            add(genericPassword() + [kSecValueData: Data("other")])
            try keychain.device.changePasscode(from: "1234", to: "5678")
            try keychain.device.restart()
            #expect(throws: TestKeychainError.self) { try keychain.device.unlock(passcode: "1234") }
            #expect(find(query).status == errSecInteractionNotAllowed)
            try keychain.device.unlock(passcode: "5678")
            #expect(value(query) == Data("value"))
            #expect(value(genericPassword()) == Data("other"))
        }
    }

    @Test("Items from before the passcode are protected by it afterwards")
    func setLater() throws {
        try withKeychain { keychain in
            add(genericPassword() + [kSecValueData: Data("v")])
            try keychain.device.setPasscode("1234")
            #expect(value(genericPassword()) == Data("v"))
            try keychain.device.lock()
            #expect(find(genericPassword() + [kSecReturnData: true]).status == errSecInteractionNotAllowed)
            try keychain.device.unlock(passcode: "1234")
            #expect(value(genericPassword()) == Data("v"))
        }
    }

    @Test("A wrong passcode opens, changes and removes nothing")
    func wrong() throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            add(passcodeItem)
            try keychain.device.lock()
            for attempt in [
                { try keychain.device.unlock(passcode: "0000") }, { try keychain.device.removePasscode("0000") },
                { try keychain.device.changePasscode(from: "0000", to: "1") },
            ] {
                let error = #expect(throws: TestKeychainError.self) { try attempt() }
                #expect(error?.status == errSecAuthFailed)
            }
            #expect(try keychain.device.lockState == .locked)
            try keychain.device.unlock(passcode: "1234")
            #expect(value(query) == Data("value"))
        }
    }

    @Test(
        "After five wrong passcodes even the right one has to wait, also after a restart",
        .rule("protection.passcode.attempts"))
    func growingDelay() throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            try keychain.device.restart()
            for _ in 0..<5 { #expect(throws: TestKeychainError.self) { try keychain.device.unlock(passcode: "0") } }
            #expect(throws: TestKeychainError.self) { try keychain.device.unlock(passcode: "1234") }
            try keychain.device.restart()
            #expect(throws: TestKeychainError.self) { try keychain.device.unlock(passcode: "1234") }
            keychain.device.advance(seconds: 59)
            #expect(throws: TestKeychainError.self) { try keychain.device.unlock(passcode: "1234") }
            keychain.device.advance(seconds: 2)
            try keychain.device.unlock(passcode: "1234")
            #expect(try keychain.device.lockState == .unlocked)
        }
    }

    @Test("The device knows whether it is locked")
    func states() throws {
        try withKeychain { keychain in
            #expect(try keychain.device.lockState == .unlocked)
            try keychain.device.setPasscode("1234")
            #expect(try keychain.device.lockState == .unlocked)
            try keychain.device.lock()
            #expect(try keychain.device.lockState == .locked)
            try keychain.device.unlock(passcode: "1234")
            #expect(try keychain.device.lockState == .unlocked)
            try keychain.device.restart()
            #expect(try keychain.device.lockState == .beforeFirstUnlock)
        }
    }

    @Test(
        "Any text is a passcode, an empty one is none", .rule("protection.passcode.text"),
        arguments: ["1", "äöü 😀", String(repeating: "x", count: 1000)])
    func texts(passcode: String) throws {
        try withKeychain { keychain in
            #expect(throws: TestKeychainError.self) { try keychain.device.setPasscode("") }
            try keychain.device.setPasscode(passcode)
            try keychain.device.restart()
            try keychain.device.unlock(passcode: passcode)
            #expect(try keychain.device.lockState == .unlocked)
        }
    }
}
