import KeychainModel
import LinuxSystem
import Sandboxes
import Systemd
import Testing

@testable import SecretService

@Suite("A bridge for each owner of secrets")
struct BridgesTests {
    private func bridges() throws -> Bridges {
        let clients = Clients { _ in BusProcess(number: CurrentProcess.identifier, descriptor: nil) }
        let questions = try Questions(BridgeProgram.configuration(), address: "")
        let secrets = KeychainSecrets { () throws(Refusal) in
            throw Refusal(.notAvailable, .unavailable, "daemon", "There is none.", do: "Start one.")
        }
        return Bridges(
            secrets,
            in: Bridge.Surroundings(address: "", clients: clients, questions: questions, emit: { _ in }))
    }

    private static func flatpak(_ name: String) -> SecretsOwner { .application(SandboxedApplication(.flatpak, name)) }

    @Test("Programs outside share one, each application has its own, and of too many the least used ends")
    func bounded() throws {
        let bridges = try bridges()
        let first = bridges.bridge(of: Self.flatpak("a1"))
        #expect(first !== bridges.outside && first === bridges.bridge(of: Self.flatpak("a1")))
        #expect(bridges.bridge(of: .outside) === bridges.outside)
        for number in 2...Bridges.mostApplications { _ = bridges.bridge(of: Self.flatpak("a\(number)")) }
        // The first is used again, so the second is the one that ends.
        let second = bridges.bridge(of: Self.flatpak("a2"))
        #expect(bridges.bridge(of: Self.flatpak("a1")) === first)
        for number in 3...Bridges.mostApplications { _ = bridges.bridge(of: Self.flatpak("a\(number)")) }
        _ = bridges.bridge(of: Self.flatpak("one more"))
        #expect(bridges.bridge(of: Self.flatpak("a1")) === first)
        #expect(bridges.bridge(of: Self.flatpak("a2")) !== second)
    }

    @Test("A client that is on the bus hears of its owner's changes until it leaves")
    func callers() throws {
        let bridges = try bridges()
        #expect(try bridges.bridge(for: ":1.1") === bridges.outside)
        #expect(bridges.outside.callers == [":1.1"] && bridges.outside.isHeardByAll)
        bridges.bridge(of: Self.flatpak("a")).note(":1.2")
        _ = try bridges.bridge(for: ":1.1")
        #expect(!bridges.outside.isHeardByAll, "an application would hear it")
        bridges.named(":1.2", "")
        #expect(bridges.outside.isHeardByAll)
        bridges.named(":1.1", "")
        #expect(bridges.outside.callers.isEmpty)
    }

    @Test("The locks of each owner are in a file of their own")
    func locks() {
        let owners = [SecretsOwner.outside, Self.flatpak("a"), Self.flatpak("b")]
        let snap = SecretsOwner.application(SandboxedApplication(.snap, "a"))
        let paths = (owners + [snap]).map { LockMarks(bus: "unix:path=/x", of: $0).path ?? "" }
        #expect(Set(paths).count == (paths.first == "" ? 1 : 4))
    }
}
