import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Vaults that earlier releases have written, each with a row of its store.
struct OldVaultTests {
    let device = TestDevice()

    struct Fixture: Sendable, CustomTestStringConvertible {
        let name: String
        let passcode: String?
        /// UUID and wrapped key of the one item, of the class `ak`.
        let row: String

        var testDescription: String { name }
    }

    private static let movedRow =
        "e59f318d6ae5a36693e10f58dc080a84012f482f3b90a81521e5a66b8e20fad7483b14221290c205b4d1f9d98999c015"
        + "ee82a4860ce7f38d"
        + "b3ab99cae52883706a72e5d8b9c84e917b39e21b"

    static let fixtures = [
        Fixture(
            name: "v1-open", passcode: nil,
            row:
                "d556ab31ddcb90e2132dd2dacf3a102721011a6c821dc3c5304b9be74e0849eb0ae56df9aa629f25c268a29e8243c28a"
                + "3b67b730"
                + "3d7653d69723da3043e5b143e4f2d87c207525ac79523e2a"),
        Fixture(
            name: "v1-passcode", passcode: "right",
            row:
                "e1f86aa5724e4fcab3f66cfb573a765f4a5071112c2988aa86494a4621ee76a66ac698a7da9e55b37e69a90bb3a1f286"
                + "c8887b0c"
                + "7f78bb01c6e2e5cbb4d6067f208b78b7d435af6c4b5aad87"),
        Fixture(
            name: "v3-open", passcode: nil,
            row:
                "c7447fad74e68b7a7835643591c1c730a76ce95b1f803bd4e9cb33baa22688d9148166e5db34c31154909384455e2cc6"
                + "c79075d2"
                + "5bd2044ccf2702fedfb80f9c93f053a237539e694da237cd"),
        Fixture(
            name: "v3-passcode", passcode: "right",
            row:
                "f38320ca9a721eaff7677d6b6f1faa0c5ad2c18a49f2ebffc6e50ed67ba95866c8a244a4e4047afa687b141cd539a7bf"
                + "9f99d6cc"
                + "b56fc020ddbcca42732bf42437982714b8e7b56698f99228"),
        Fixture(name: "v2-open", passcode: nil, row: movedRow),
        Fixture(name: "v2-passcode", passcode: "right", row: movedRow),
    ]

    private func open(_ fixture: Fixture) throws -> SoftwareEnclave {
        try device.replaceContent(with: try VaultFixtures.bytes("\(fixture.name).vault"))
        return try device.start(createIfMissing: false)
    }

    private static func outcome(_ fixture: Fixture, in enclave: SoftwareEnclave) throws -> RowKeyRecord.Outcome? {
        try enclave.unwrap([[Accessibility.whenUnlocked.rawValue, 0, 0, 0] + fixture.row.bytes]).outcomes.first ?? nil
    }

    @Test(
        "a vault of the release before opens its items, and becomes version 4 at the next write that has its keys",
        arguments: fixtures)
    func migrates(_ fixture: Fixture) throws {
        let enclave = try open(fixture)
        let (index, old) = (try enclave.indexKey(), try device.content())
        #expect(try enclave.details().slots.map(\.kind) == [fixture.passcode == nil ? .device : .passcode])
        #expect(try Self.outcome(fixture, in: enclave) == (fixture.passcode == nil ? .opened : .locked))
        #expect(try device.content() == old)
        if let passcode = fixture.passcode {
            try enclave.unlock(passcode: TestDevice.passcode(passcode))
        } else {
            try enclave.change(DeviceSettings(locksOnSleep: true))
        }
        #expect(try device.content()[8] == 4)
        #expect(try Self.outcome(fixture, in: enclave) == .opened)
        #expect(try enclave.indexKey().isEqual(to: index))
        let restarted = try device.start(createIfMissing: false)
        if let passcode = fixture.passcode { try restarted.unlock(passcode: TestDevice.passcode(passcode)) }
        #expect(try Self.outcome(fixture, in: restarted) == .opened)
        #expect(try restarted.indexKey().isEqual(to: index))
        #expect(try restarted.details().settings.locksOnSleep == (fixture.passcode == nil))
    }

    @Test("a wrong passcode is counted in the old version, and changes nothing else", arguments: fixtures)
    func counts(_ fixture: Fixture) throws {
        guard fixture.passcode != nil else { return }
        let enclave = try open(fixture)
        let before = try enclave.status().failedAttempts
        #expect(refusal { try enclave.unlock(passcode: TestDevice.passcode("wrong")) }?.rule == .wrongPasscode)
        let content = try device.content()
        // A version that has room for it also counts its changes.
        #expect(content[8] == (fixture.name.hasPrefix("v3") ? 4 : content[8]) && content[8] != 3)
        #expect(try device.start().status().failedAttempts == before + 1)
        let original = try VaultFixtures.bytes("\(fixture.name).vault")
        #expect(content[9..<76] == original[9..<76] && content[140..<560] == original[140..<560])
    }

    @Test("every change of an old vault makes it version 4 with the same keys", arguments: fixtures)
    func changes(_ fixture: Fixture) throws {
        let enclave = try open(fixture)
        let new = try TestDevice.passcode("new")
        if let passcode = fixture.passcode {
            try enclave.changePasscode(from: TestDevice.passcode(passcode), to: new)
        } else {
            try enclave.setPasscode(new)
        }
        #expect(try device.content()[8] == 4)
        let code = try enclave.addRecoveryCode(by: .passcode, "new")
        let restarted = try device.start()
        #expect(try Self.outcome(fixture, in: restarted) == .locked)
        try restarted.unlock(with: .recoveryCode, TestDevice.passcode(code))
        #expect(try Self.outcome(fixture, in: restarted) == .opened)
        try restarted.removePasscode(new)
        #expect(try Self.outcome(fixture, in: try device.start()) == .opened)
    }

    @Test("an old vault with any bit changed is refused and left as it is", arguments: fixtures)
    func damaged(_ fixture: Fixture) throws {
        let content = try VaultFixtures.bytes("\(fixture.name).vault")
        for position in content.indices {
            var changed = content
            changed[position] ^= 1 << UInt8(position % 8)
            try device.replaceContent(with: changed)
            let status = refusal { _ = try device.start() }?.status
            #expect(status == .decode || (8..<10).contains(position) && status == .notAvailable, "bit at \(position)")
            #expect(try device.content() == changed)
        }
    }

    @Test("settings of a keychain that is locked cannot be changed, in an old vault or a new one")
    func lockedSettings() throws {
        let enclave = try open(Self.fixtures[1])
        let settings = DeviceSettings(idleSeconds: 5)
        #expect(refusal { try enclave.change(settings) }?.rule == .locked)
        try enclave.unlock(passcode: TestDevice.passcode("right"))
        try enclave.lock()
        #expect(refusal { try enclave.change(settings) }?.rule == .locked)
        #expect(try enclave.details().settings == DeviceSettings())
    }
}

extension String {
    fileprivate var bytes: [UInt8] {
        let digits = Array(utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }
}
