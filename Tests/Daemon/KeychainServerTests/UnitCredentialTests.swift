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

    @Test("However often a credential is asked for in vain, the log has a few lines of it")
    func flood() throws {
        let lines = Monitor(0)
        let reason = Refusal(.notAvailable, .damaged, "store", "The store is damaged.", do: "Restore it.")
        let desk = CredentialDesk(ClosedKeychain(reason)) { _ in lines.update { $0 += 1 } }
        func ask() throws -> UnixSocket {
            let (ours, theirs) = try UnixSocket.pair()
            desk.take(theirs)
            return ours
        }
        let start = Clock.monotonicNanoseconds
        // Its end is the answer.
        for _ in 0..<200 { try ask().descriptor.wait(for: [], deadline: soon) }
        let seconds = Int((Clock.monotonicNanoseconds - start) / 1_000_000_000)
        let written = lines.wait(deadline: .now) { $0 } ?? 0
        // Ten at once, then one a second.
        #expect((1...(12 + seconds)).contains(written))
    }
}
