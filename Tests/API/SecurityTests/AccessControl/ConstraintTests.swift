import KeychainTesting
import Security
import TestSupport
import Testing

/// The authentication that each flag of an access control requires, and final refusals (rule
/// access-control.flags.demands).
@Suite("What access controls ask for")
struct ConstraintTests {
    @Test(
        "user presence is met by a finger, or by the passcode; adding asks nobody",
        .rule("access-control.flags.presence", "access-control.add.free"))
    func userPresence() throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            #expect(add(guarded(.userPresence)) == errSecSuccess)
            #expect(keychain.asked == [])
            keychain.user.will(.passcode("1234"))
            #expect(reading().data == Data("secret"))
            #expect(keychain.asked == [.passcode])
            keychain.device.enrol(finger: "thumb")
            keychain.user.will(.touch("thumb"))
            #expect(reading().data == Data("secret"))
            keychain.user.will(.fallback, .passcode("1234"))
            #expect(reading().data == Data("secret"))
            #expect(keychain.asked == [.passcode, .finger, .finger, .passcode])
            keychain.device.removeFinger("thumb")
            keychain.user.will(.passcode("1234"))
            #expect(reading().data == Data("secret"))
        }
    }

    @Test(
        "user presence cannot be had, nor the passcode asked for, where no passcode is set",
        .rule("access-control.add.impossible"))
    func withoutPasscode() throws {
        try withKeychain { keychain in
            for flags in [.userPresence, .devicePasscode] as [SecAccessControlCreateFlags] {
                #expect(add(guarded(flags)) == errSecAuthFailed)
                #expect(lastRule == "state.passcode-not-set")
            }
            #expect(count(genericPassword()) == 0)
        }
    }

    @Test(
        "any finger needs one that is enrolled, and survives that others come and go",
        .rule("access-control.flags.biometry-any"))
    func anyFinger() throws {
        try withKeychain { keychain in
            #expect(add(guarded(.biometryAny)) == errSecAuthFailed)
            #expect(lastRule == "state.biometry-unavailable")
            keychain.device.enrol(finger: "thumb")
            #expect(add(guarded(.biometryAny)) == errSecSuccess)
            keychain.device.enrol(finger: "index")
            keychain.user.will(.touch("index"))
            #expect(reading().data == Data("secret"))
            keychain.device.removeFinger("thumb")
            keychain.user.will(.touch("thumb"), .touch("index"))
            #expect(reading().data == Data("secret"))
            #expect(keychain.user.questions.last?.failures == 1)
            keychain.device.removeFinger("index")
            #expect(reading().status == errSecAuthFailed)
        }
    }

    @Test(
        "a finger that comes or goes closes an item of the current set for good, and says so",
        .rule("access-control.flags.current-set"))
    func currentSet() throws {
        try withKeychain { keychain in
            keychain.device.enrol(finger: "thumb")
            #expect(add(guarded(.biometryCurrentSet)) == errSecSuccess)
            keychain.user.will(.touch("thumb"))
            #expect(reading().data == Data("secret"))
            keychain.device.enrol(finger: "index")
            keychain.user.will(.touch("thumb"))
            #expect(reading().status == errSecAuthFailed)
            #expect(lastRule == "state.enrolment-changed")
            keychain.device.removeFinger("index")
            keychain.user.will(.touch("thumb"))
            #expect(reading().status == errSecAuthFailed)
            #expect(delete(genericPassword()) == errSecSuccess)
        }
    }

    @Test(
        "the passcode is asked for where it alone counts, whatever fingers there are",
        .rule("access-control.flags.passcode"))
    func passcodeOnly() throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            keychain.device.enrol(finger: "thumb")
            #expect(add(guarded(.devicePasscode)) == errSecSuccess)
            keychain.user.will(.passcode("1234"))
            #expect(reading().data == Data("secret"))
            #expect(keychain.asked == [.passcode])
            keychain.user.will(.passcode("wrong"), .passcode("1234"))
            #expect(reading().data == Data("secret"))
            #expect(keychain.user.questions.last?.failures == 1)
        }
    }

    @Test("with `or` one of several suffices, otherwise all are asked for", .rule("access-control.flags.combined"))
    func combined() throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            keychain.device.enrol(finger: "thumb")
            #expect(add(guarded([.biometryAny, .devicePasscode, .or], "either")) == errSecSuccess)
            #expect(add(guarded([.biometryAny, .devicePasscode], "both")) == errSecSuccess)
            keychain.user.will(.touch("thumb"))
            #expect(reading("either").data == Data("secret"))
            keychain.user.will(.touch("thumb"), .passcode("1234"))
            #expect(reading("both").data == Data("secret"))
            #expect(keychain.asked.sorted { "\($0)" < "\($1)" } == [.finger, .finger, .passcode])
            keychain.user.reset()
            keychain.user.will(.touch("thumb"), .cancel)
            #expect(reading("both").status == errSecUserCanceled)
        }
    }

    @Test(
        "A paired device is not available, and enough where something else is", .rule("access-control.flags.companion"))
    func companion() throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            #expect(add(guarded(.companion)) == errSecAuthFailed)
            #expect(add(guarded([.companion, .devicePasscode])) == errSecAuthFailed)
            #expect(add(guarded([.companion, .devicePasscode, .or])) == errSecSuccess)
            keychain.user.will(.passcode("1234"))
            #expect(reading().data == Data("secret"))
        }
    }

    @Test("privateKeyUsage alone asks nobody", .rule("access-control.flags.private-key"))
    func usageAlone() throws {
        try withKeychain { keychain in
            #expect(add(guarded(.privateKeyUsage)) == errSecSuccess)
            #expect(reading().data == Data("secret"))
            #expect(keychain.asked == [])
        }
    }

    @Test(
        "a protection class beside an access control is errSecParam, also where both say the same",
        .rule("access-control.item.both"))
    func twice() throws {
        try withKeychain { keychain in
            keychain.device.enrol(finger: "thumb")
            for flags in [[], .biometryAny] as [SecAccessControlCreateFlags] {
                let item = guarded(flags) + [kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]
                #expect(add(item) == errSecParam)
            }
        }
    }

    @Test(
        "an item that the user guards is not synchronised, neither from the beginning nor later",
        .rule("access-control.item.synchronizable"))
    func synchronised() throws {
        try withKeychain { keychain in
            keychain.device.enrol(finger: "thumb")
            #expect(add(guarded(.biometryAny) + [kSecAttrSynchronizable: true]) == errSecParam)
            #expect(add(guarded(.biometryAny)) == errSecSuccess)
            keychain.user.will(.touch("thumb"))
            #expect(update(genericPassword(), [kSecAttrSynchronizable: true]) == errSecParam)
        }
    }

    @Test("the access control is among the attributes as it was given", .rule("access-control.item.returned"))
    func attributes() throws {
        try withKeychain { keychain in
            keychain.device.enrol(finger: "thumb")
            #expect(add(guarded(.biometryAny)) == errSecSuccess)
            keychain.user.will(.touch("thumb"))
            let found = find(genericPassword() + [kSecReturnAttributes: true]).attributes
            #expect((found?["accc"] as? SecAccessControl)?.description.contains("od(cbio(pbioc())") == true)
        }
    }
}
