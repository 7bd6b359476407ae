import Security
import TestSupport
import Testing

/// The validity matrix and the printed form of rules access-control.create.flags, access-control.create.refused.
@Suite struct DeclarationsAccessControlTests {
    typealias Flags = SecAccessControlCreateFlags

    private func make(_ flags: Flags, _ protection: CFTypeRef = kSecAttrAccessibleWhenUnlocked) -> SecAccessControl? {
        SecAccessControlCreateWithFlags(nil, protection, flags, nil)
    }

    private func refusal(_ flags: Flags, _ protection: CFTypeRef = kSecAttrAccessibleWhenUnlocked) -> CFError? {
        var error: Unmanaged<CFError>?
        #expect(unsafe SecAccessControlCreateWithFlags(nil, protection, flags, &error) == nil)
        return unsafe error?.takeRetainedValue()
    }

    @Test(
        "flags that fit give an access control in Apple's printed form", .rule("access-control.create.flags"),
        arguments: [
            ([], "dacl(true)"),
            (.userPresence, "od(cpo(DeviceOwnerAuthentication));odel(true);oe(true)"),
            (.biometryAny, "od(cbio(pbioc()));odel(true);oe(true)"),
            (.biometryCurrentSet, "od(cbio(pbioc()pbioh()));odel(true);oe(true)"),
            (.devicePasscode, "od(cup(true));odel(true);oe(true)"),
            (.companion, "od(watch(true));odel(true);oe(true)"),
            (.privateKeyUsage, "ock(true);odel(true);osgn(true);oa(true);okd(true)"),
            (.applicationPassword, "dacl(true);prp(true)"),
            (
                [.userPresence, .applicationPassword],
                "od(cpo(DeviceOwnerAuthentication));odel(true);oe(true);prp(true)"
            ),
            (
                [.devicePasscode, .privateKeyUsage],
                "ock(cup(true));odel(true);osgn(cup(true));oa(true);okd(cup(true))"
            ),
            (
                [.userPresence, .privateKeyUsage, .applicationPassword],
                "ock(cpo(DeviceOwnerAuthentication));odel(true);osgn(cpo(DeviceOwnerAuthentication));oa(true);"
                    + "okd(cpo(DeviceOwnerAuthentication));prp(true)"
            ),
        ] as [(Flags, String)])
    func accepted(flags: Flags, list: String) {
        #expect(make(flags)?.description == "<SecAccessControlRef: ak;\(list)>")
    }

    @Test(
        "several constraints must all be met, or one of them with `or`", .rule("access-control.flags.combined"),
        arguments: [
            ([.biometryAny, .devicePasscode], 2), ([.biometryAny, .devicePasscode, .and], 2),
            ([.biometryAny, .devicePasscode, .or], 1), ([.biometryAny, .devicePasscode, .companion], 3),
        ] as [(Flags, Int)])
    func combined(flags: Flags, needed: Int) throws {
        let text = try #require(make(flags)?.description)
        #expect(text.contains("od(pkofn(\(needed))cup(true)cbio(pbioc())"))
    }

    @Test(
        "each of the seven protection classes is accepted and kept", .rule("protection.class.seven"),
        arguments: ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"])
    func protectionClasses(name: String) {
        #expect(make([], NSString(string: name))?.description == "<SecAccessControlRef: \(name);dacl(true)>")
    }

    @Test(
        "flags that contradict each other are refused with errSecParam and an explanation",
        .rule("access-control.create.flags", "access-control.create.refused"),
        arguments: [
            ([.or, .and], "exclude"), ([.devicePasscode, .biometryAny, .or, .and], "exclude"),
            ([.biometryAny, .biometryCurrentSet], "exclude"),
            ([.biometryAny, .biometryCurrentSet, .or], "exclude"),
            ([.userPresence, .biometryAny], "userPresence"), ([.userPresence, .biometryCurrentSet], "userPresence"),
            ([.userPresence, .devicePasscode], "userPresence"), ([.userPresence, .companion], "userPresence"),
            ([.userPresence, .or], "userPresence"), ([.userPresence, .and], "userPresence"),
            ([.userPresence, .privateKeyUsage, .devicePasscode], "userPresence"),
            (Flags(rawValue: 1 << 2), "bit"), (Flags(rawValue: 1 << 40), "bit"),
        ] as [(Flags, String)])
    func contradictions(flags: Flags, word: String) throws {
        let error = try #require(refusal(flags))
        #expect(error.domain == NSOSStatusErrorDomain)
        #expect(error.code == Int(errSecParam))
        #expect(try #require(error.localizedFailureReason).contains(word))
        #expect(error.localizedDescription.contains(try #require(error.localizedRecoverySuggestion)))
    }

    @Test(
        "what is no protection class is refused and not repeated",
        .rule("access-control.create.flags", "access-control.create.protection"),
        arguments: ["", "f", "genp", "kSecAttrAccessibleWhenUnlocked", "AK"])
    func unknownProtection(name: String) throws {
        let error = try #require(refusal([], NSString(string: name)))
        #expect(error.code == Int(errSecParam))
        #expect(error.localizedDescription.contains("kSecAttrAccessible…"))
    }

    @Test(
        "a protection that is no string is refused",
        .rule("access-control.create.flags", "access-control.create.protection"))
    func protectionOfAnotherType() {
        #expect(refusal([], NSNumber(value: 1))?.code == Int(errSecParam))
        #expect(refusal([], NSDictionary())?.code == Int(errSecParam))
    }

    @Test("Access controls that grant the same are equal, and hash alike", .rule("access-control.create.equal"))
    func equality() {
        #expect(make(.userPresence) == make(.userPresence))
        #expect(make([.biometryAny, .devicePasscode]) == make([.biometryAny, .devicePasscode, .and]))
        #expect(make(.userPresence)?.hash == make(.userPresence)?.hash)
        #expect(make(.userPresence) != make(.devicePasscode))
        #expect(make(.userPresence) != make(.userPresence, kSecAttrAccessibleWhenUnlockedThisDeviceOnly))
        #expect(make([]) != nil)
    }

    @Test(
        "The flags have Apple's bits", .rule("access-control.flags.demands"),
        arguments: [
            (.userPresence, 1), (.biometryAny, 2), (.touchIDAny, 2), (.biometryCurrentSet, 8),
            (.touchIDCurrentSet, 8), (.devicePasscode, 16), (.companion, 32), (.watch, 32), (.or, 0x4000),
            (.and, 0x8000), (.privateKeyUsage, 0x4000_0000), (.applicationPassword, 0x8000_0000),
        ] as [(Flags, CFOptionFlags)])
    func bits(flag: Flags, bits: CFOptionFlags) {
        #expect(flag.rawValue == bits)
    }
}
