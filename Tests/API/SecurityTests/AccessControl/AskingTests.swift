import KeychainClient
import KeychainTesting
import KeychainWire
import LinuxSystem
import Security
import TestSupport
import Testing

/// Prompts for items with an access control, and the results of the functions (rules authentication.query.once,
/// authentication.query.status).
@Suite("Asking the user for items")
struct AskingTests {
    private func withGuardedItem(_ body: (TestKeychain) throws -> Void) throws {
        try withKeychain { keychain in
            keychain.device.enrol(finger: "thumb")
            #expect(add(guarded(.biometryAny)) == errSecSuccess)
            try body(keychain)
        }
    }

    @Test("the user reads the program, the item and the operation's own text", .rule("authentication.prompt.text"))
    func operationPrompt() throws {
        try withGuardedItem { keychain in
            keychain.user.will(.touch("thumb"))
            #expect(reading("service", [kSecUseOperationPrompt: "to log you in"]).data == Data("secret"))
            let question = try #require(keychain.user.questions.first)
            #expect(question.reason == "to log you in")
            #expect(question.program == "the program under test")
            #expect(question.item == "service")
        }
    }

    @Test(
        "an item's label is its name; several items are named, and asked for once", .rule("authentication.prompt.text"))
    func severalItems() throws {
        try withGuardedItem { keychain in
            for index in 1...4 {
                let item = guarded(.biometryAny, "s\(index)", value: "\(index)") + [kSecAttrLabel: "item \(index)"]
                #expect(add(item) == errSecSuccess)
            }
            #expect(add(genericPassword("open") + [kSecValueData: Data("open")]) == errSecSuccess)
            keychain.user.will(.touch("thumb"))
            let found = find([
                kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll,
            ])
            let values = Set((found.object as? [Data]) ?? [])
            #expect(values == Set(["1", "2", "3", "4", "secret", "open"].map { Data($0) }))
            #expect(keychain.asked == [.finger])
            #expect(keychain.user.questions.first?.item == "service, item 1, item 2, …")
        }
    }

    @Test("Items with other access controls are asked for at once as well", .rule("authentication.query.once"))
    func severalControls() throws {
        try withGuardedItem { keychain in
            try keychain.device.setPasscode("1234")
            #expect(add(guarded(.devicePasscode, "passcode")) == errSecSuccess)
            #expect(add(guarded(.userPresence, "presence")) == errSecSuccess)
            keychain.user.will(.touch("thumb"), .passcode("1234"))
            #expect(
                find([
                    kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll,
                ]).count == 3)
            #expect(Set(keychain.asked) == [.finger, .passcode] && keychain.asked.count == 2)
        }
    }

    @Test(
        "Attributes, references and the mere existence of a guarded item are guarded as well",
        .rule("authentication.query.attributes"))
    func attributesOnly() throws {
        try withGuardedItem { keychain in
            for key in [kSecReturnAttributes, kSecReturnPersistentRef, kSecReturnData] {
                #expect(find(genericPassword() + [key: true]).status == errSecInteractionNotAllowed)
            }
            #expect(find(genericPassword()).status == errSecInteractionNotAllowed)
            keychain.user.will(.touch("thumb"), .touch("thumb"))
            #expect(find(genericPassword() + [kSecReturnAttributes: true]).attributes?["svce"] as? String == "service")
            #expect(find(genericPassword()).status == errSecSuccess)
        }
    }

    @Test(
        "The user who declines, fails, or is not there has each a status of his own",
        .rule("authentication.query.status"))
    func outcomes() throws {
        try withGuardedItem { keychain in
            keychain.user.will(.cancel)
            #expect(reading().status == errSecUserCanceled)
            keychain.user.will(.touch("a"), .touch("b"), .touch("c"))
            #expect(reading().status == errSecAuthFailed)
            #expect(lastRule == "state.user-failed")
            #expect(reading().status == errSecInteractionNotAllowed)
            #expect(lastRule == "state.user-unreachable")
            keychain.user.will(.timeOut)
            #expect(reading().status == errSecNotAvailable)
            #expect(lastRule == "keychain.deadline")
            keychain.user.will(.touch("thumb"))
            #expect(reading().data == Data("secret"))
        }
    }

    @Test(
        "UI=Fail refuses at once, UI=Skip leaves guarded items out, and nobody is asked",
        .rule("authentication.query.fail", "authentication.query.skip"))
    func userInterface() throws {
        try withGuardedItem { keychain in
            #expect(add(genericPassword("open") + [kSecValueData: Data("open")]) == errSecSuccess)
            let all: Attributes = [
                kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll,
            ]
            let fail: Attributes = [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]
            let skip: Attributes = [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]
            #expect(reading("service", fail).status == errSecInteractionNotAllowed)
            #expect(reading("service", [kSecUseNoAuthenticationUI: true]).status == errSecInteractionNotAllowed)
            #expect(find(all + fail).status == errSecInteractionNotAllowed)
            #expect(reading("open", fail).data == Data("open"))
            #expect(reading("service", skip).status == errSecItemNotFound)
            #expect(find(all + skip).object as? [Data] == [Data("open")])
            #expect(update(genericPassword() + fail, [kSecAttrLabel: "x"]) == errSecInteractionNotAllowed)
            #expect(keychain.asked == [])
        }
    }

    @Test(
        "changing a guarded item asks for it once, deleting asks nobody",
        .rule("access-control.add.update", "items.delete.free"))
    func changing() throws {
        try withGuardedItem { keychain in
            let change: Attributes = [kSecValueData: Data("new"), kSecAttrComment: "changed"]
            #expect(update(genericPassword(), change) == errSecInteractionNotAllowed)
            keychain.user.reset()
            keychain.user.will(.touch("thumb"))
            #expect(update(genericPassword(), change) == errSecSuccess)
            #expect(keychain.asked == [.finger])
            keychain.user.will(.touch("thumb"))
            #expect(reading().data == Data("new"))
            keychain.user.reset()
            #expect(delete(genericPassword()) == errSecSuccess)
            #expect(keychain.asked == [])
            #expect(reading().status == errSecItemNotFound)
        }
    }

    @Test("All guarded items of a change are asked for at once; who declines leaves all as they are")
    func changingSeveral() throws {
        try withGuardedItem { keychain in
            #expect(add(guarded(.biometryAny, "other")) == errSecSuccess)
            #expect(add(genericPassword("open") + [kSecValueData: Data("open")]) == errSecSuccess)
            let all: Attributes = [kSecClass: kSecClassGenericPassword]
            keychain.user.will(.cancel)
            #expect(update(all, [kSecAttrComment: "c"]) == errSecUserCanceled)
            #expect(attributes(genericPassword("open"))?["icmt"] == nil)
            keychain.user.will(.touch("thumb"))
            #expect(update(all, [kSecAttrComment: "c"]) == errSecSuccess)
            #expect(keychain.asked == [.finger, .finger])
            #expect(attributes(genericPassword("open"))?["icmt"] as? String == "c")
        }
    }

    @Test(
        "An access control is put on an item without asking, and taken off only by who meets it",
        .rule("access-control.item.removed"))
    func exchangingControls() throws {
        try withKeychain { keychain in
            keychain.device.enrol(finger: "thumb")
            let control = try #require(accessControl(kSecAttrAccessibleWhenUnlocked, .biometryAny))
            #expect(add(genericPassword() + [kSecValueData: Data("v")]) == errSecSuccess)
            #expect(update(genericPassword(), [kSecAttrAccessControl: control]) == errSecSuccess)
            #expect(keychain.asked == [])
            #expect(reading().status == errSecInteractionNotAllowed)
            let loose: Attributes = [kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]
            #expect(update(genericPassword(), loose) == errSecInteractionNotAllowed)
            keychain.user.will(.touch("thumb"))
            #expect(update(genericPassword(), loose) == errSecSuccess)
            #expect(reading().data == Data("v"))
        }
    }

    @Test("A duplicate is told without asking, and the item that is there stays")
    func duplicates() throws {
        try withGuardedItem { keychain in
            #expect(add(guarded(.biometryAny, value: "other")) == errSecDuplicateItem)
            #expect(keychain.asked == [])
        }
    }

    @Test("A verification does not take a guarded item for damaged, and asks nobody")
    func verification() throws {
        try withGuardedItem { keychain in
            let damaged = try keychain.device.damagedItems()
            #expect(damaged == 0)
            #expect(keychain.asked == [])
        }
    }

    @Test(
        "What the user guards stays guarded on a locked device, and is closed there without asking",
        .rule("access-control.item.state"))
    func locked() throws {
        try withGuardedItem { keychain in
            try keychain.device.setPasscode("1234")
            try keychain.device.lock()
            keychain.user.will(.touch("thumb"))
            #expect(reading().status == errSecInteractionNotAllowed)
            #expect(lastRule == "state.locked")
            #expect(keychain.asked == [])
            try keychain.device.unlock(passcode: "1234")
            #expect(reading().data == Data("secret"))
        }
    }

    @Test("the call returns when the user has answered", .rule("authentication.prompt.blocking"))
    func blocks() throws {
        try withGuardedItem { keychain in
            let context = TestContext()
            let connection = try KeychainSession.current()
            keychain.user.will(.wait)
            let outcome = Monitor<OSStatus?>(nil)
            let thread = try LinuxSystem.Thread(named: "reader") {
                let found = KeychainSession.scoped(to: connection) {
                    reading("service", [kSecUseAuthenticationContext: context])
                }
                outcome.update { $0 = found.status }
            }
            #expect(keychain.user.wasAsked(1))
            #expect(outcome.update { $0 } == nil)
            let identifier = context.givenContext.identifier
            _ = try connection.authentication(.invalidate(context: identifier), descriptors: [])
            thread.join()
            #expect(outcome.update { $0 } == errSecAuthFailed)
        }
    }
}
