import Testing

@testable import KeychainModel

@Suite("The encoded form of access controls")
struct AccessControlTests {
    @Test("What is encoded is read back", arguments: Accessibility.allCases, [nil, 0, 1, UInt64.max])
    func roundTrip(accessibility: Accessibility, flags: UInt64?) {
        let control = AccessControl(accessibility, flags: flags)
        #expect(AccessControl(control.bytes) == control)
        #expect(control.hasConstraints == (flags ?? 0 > 0))
    }

    @Test(
        "What a peer makes up is no access control",
        arguments: ["", ";", "zz", "zz;0", "ak;", "ak;x", "ak;-1", "ak;0;0", "ak;18446744073709551616", ";0", "AK"])
    func malformed(text: String) {
        #expect(AccessControl(Array(text.utf8)) == nil)
    }

    @Test("Bytes that are not text are no access control")
    func notText() {
        #expect(AccessControl([0xFF, 0x3B, 0x30]) == nil)
        #expect(AccessControl([0x61, 0x6B, 0x3B, 0xFF]) == nil)
    }
}
