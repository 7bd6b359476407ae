import KeychainModel
import KeychainServer
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

@Suite("Credentials of systemd units")
struct UnitCredentialTests {
    @Test("A service manager's name says which unit wants what")
    func name() throws {
        let credential = try #require(UnitCredential(peer: "adf9d86b6eda275e/unit/foobar.service/token"))
        #expect(credential.unit == "foobar.service" && credential.name == "token")
    }

    @Test(
        "Every other name is none",
        arguments: [
            "", "/unit/a.service/b", "x/unit/a.service", "x/unit/a.service/", "x/unit//b", "x/user/a.service/b",
            "x/unit/a.service/b/c", "unit/a.service/b",
        ])
    func noName(peer: String) { #expect(UnitCredential(peer: peer) == nil) }

    @Test("A keychain that cannot be opened refuses with the reason")
    func closed() {
        let reason = Refusal(.notAvailable, .damaged, "store", "The store is damaged.", do: "Restore it.")
        let credential = UnitCredential(peer: "1/unit/a.service/b")
        let refusal = failure { () throws(Refusal) in try credential?.find(in: ClosedKeychain(reason), by: soon) }
        #expect(refusal == reason)
    }
}
