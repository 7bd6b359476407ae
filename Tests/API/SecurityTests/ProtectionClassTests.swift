import KeychainTesting
import Security
import TestSupport
import Testing

/// Protection classes against device states (rule protection.class.states).
@Suite("Protection classes")
struct ProtectionClassTests {
    enum DeviceState: String, CaseIterable, Sendable {
        case withoutPasscode, unlocked, locked, beforeFirstUnlock, unlockedAgain

        /// Brings a device with or without passcode into the state.
        func enter(_ device: SimulatedDevice) throws {
            switch self {
            case .withoutPasscode: try device.lock()
            case .unlocked: break
            case .locked: try device.lock()
            case .beforeFirstUnlock: try device.restart()
            case .unlockedAgain:
                try device.restart()
                try device.unlock(passcode: "1234")
            }
        }
    }

    struct Case: Sendable {
        let code: String
        let state: DeviceState
        let isOpen: Bool
    }

    /// The classes that are open in a state; akpu cannot exist without a passcode and has its own tests.
    static let matrix: [Case] = [
        (DeviceState.withoutPasscode, ["ak", "ck", "dk", "aku", "cku", "dku"]),
        (.unlocked, ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]),
        (.locked, ["ck", "dk", "cku", "dku"]), (.beforeFirstUnlock, ["dk", "dku"]),
        (.unlockedAgain, ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]),
    ].flatMap { state, open in
        ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"].compactMap { code in
            state == .withoutPasscode && code == "akpu"
                ? nil : Case(code: code, state: state, isOpen: open.contains(code))
        }
    }

    private func item(_ code: String, _ service: String = "service") -> Attributes {
        genericPassword(service) + [kSecAttrAccessible: code, kSecValueData: Data("value")]
    }

    /// A device in the state, with one item of the class that was added while everything was open.
    private func prepare(_ each: Case, _ device: SimulatedDevice) throws {
        if each.state != .withoutPasscode { try device.setPasscode("1234") }
        try #require(add(item(each.code)) == errSecSuccess)
        try each.state.enter(device)
    }

    @Test(
        "value and attributes of an item are readable in the states its class names, and in no other",
        .rule("protection.class.states", "protection.state.locked"),
        arguments: matrix)
    func reading(each: Case) throws {
        try withKeychain { keychain in
            try prepare(each, keychain.device)
            let expected = each.isOpen ? errSecSuccess : errSecInteractionNotAllowed
            #expect(find(genericPassword() + [kSecReturnData: true]).status == expected)
            #expect(find(genericPassword() + [kSecReturnAttributes: true]).status == expected)
            #expect(
                find(genericPassword() + [kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll]).status
                    == expected)
            #expect(value(genericPassword()) == (each.isOpen ? Data("value") : nil))
        }
    }

    @Test(
        "items can be added and changed in the states their class names, and in no other",
        .rule("protection.class.states"), arguments: matrix)
    func writing(each: Case) throws {
        try withKeychain { keychain in
            try prepare(each, keychain.device)
            let expected = each.isOpen ? errSecSuccess : errSecInteractionNotAllowed
            #expect(add(item(each.code, "new")) == expected)
            #expect(update(genericPassword(), [kSecValueData: Data("new")]) == expected)
            #expect(update(genericPassword(), [kSecAttrLabel: "new"]) == expected)
        }
    }

    @Test(
        "What was closed is open again, unchanged, after the device is unlocked", .rule("protection.state.reopened"),
        arguments: ["ak", "ck", "aku", "cku", "akpu"])
    func openAgain(code: String) throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            add(item(code))
            try keychain.device.restart()
            #expect(find(genericPassword() + [kSecReturnData: true]).status == errSecInteractionNotAllowed)
            #expect(update(genericPassword(), [kSecValueData: Data("x")]) == errSecInteractionNotAllowed)
            try keychain.device.unlock(passcode: "1234")
            #expect(value(genericPassword()) == Data("value"))
        }
    }

    @Test(
        "the refusal says that the device is locked and what to do, by a stable rule", .rule("protection.state.locked"))
    func explanation() throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            add(item("ak"))
            try keychain.device.lock()
            #expect(find(genericPassword() + [kSecReturnData: true]).status == errSecInteractionNotAllowed)
            let explanation = try #require(SecCopyLastItemError())
            #expect(explanation.rule == "state.locked")
            #expect(explanation.subject == "ak")
            #expect(explanation.remedy.contains("Unlock"))
        }
    }

    @Test("A closed item refuses only queries that find it", .rule("queries.rows.locked"))
    func onlyWhatIsFound() throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            add(item("ak", "closed"))
            add(item("ck", "open"))
            try keychain.device.lock()
            #expect(value(genericPassword("open")) == Data("value"))
            let all: Attributes = [kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll]
            #expect(find(all + [kSecReturnData: true]).status == errSecInteractionNotAllowed)
            #expect(count([kSecClass: kSecClassGenericPassword, kSecAttrAccessible: "ck"]) == 1)
            #expect(find(genericPassword("absent")).status == errSecItemNotFound)
        }
    }

    @Test("Moving an item to another class needs both to be open", .rule("protection.class.change"))
    func moving() throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            add(item("ck"))
            try keychain.device.lock()
            #expect(update(genericPassword(), [kSecAttrAccessible: "ak"]) == errSecInteractionNotAllowed)
            #expect(update(genericPassword(), [kSecAttrAccessible: "dk"]) == errSecSuccess)
            try keychain.device.restart()
            #expect(value(genericPassword()) == Data("value"))
        }
    }

    @Test("Without a passcode there is nothing to lock", .rule("protection.passcode.none"))
    func nothingToLock() throws {
        try withKeychain { keychain in
            add(item("ak"))
            try keychain.device.lock()
            #expect(try keychain.device.lockState == .unlocked)
            #expect(value(genericPassword()) == Data("value"))
        }
    }

    @Test(
        "The protection class can be searched for", .rule("protection.class.search"),
        arguments: ["ak", "ck", "dk", "aku", "cku", "dku"])
    func searched(code: String) throws {
        try withKeychain { _ in
            for each in ["ak", "ck", "dk", "aku", "cku", "dku"] { add(item(each, each)) }
            let found = attributes([kSecClass: kSecClassGenericPassword, kSecAttrAccessible: code])
            #expect(found?["svce"] as? String == code)
            #expect(found?["pdmn"] as? String == code)
        }
    }
}
