import Foundation
import LinuxSystem
import Systemd
import TestSupport
import Testing

@testable import SecretService

@Suite("The processes of the bus's clients")
struct ClientTests {
    private static let isGone = BusError(name: "org.freedesktop.DBus.Error.NameHasNoOwner", code: ENXIO)

    private func child() throws -> RunningProgram { try RunningProgram("/bin/cat") }

    private static func isRefused(_ clients: Clients, _ client: String) -> Bool {
        do throws(BusFailure) { _ = try clients.check(client) } catch { return error.name == .accessDenied }
        return false
    }

    @Test("A process that began after its client came to the bus has only got the number of the one that connected")
    func reusedNumber() throws {
        let numbers = Lock<CInt>(CurrentProcess.identifier)
        let clients = Clients { _ in BusProcess(number: numbers.withLock { $0 }, descriptor: nil) }
        #expect(!Self.isRefused(clients, ":1.1"))
        clients.arrived(":1.2")
        let arrival = RunningProcess.ticksSinceBoot
        #expect(eventually { RunningProcess.ticksSinceBoot > arrival + 1 })
        let later = try child()
        numbers.withLock { $0 = later.process }
        #expect(Self.isRefused(clients, ":1.2"))
        #expect(Self.isRefused(clients, ":1.3"), "no arrival is known, and the process is younger than the bridge")
        clients.arrived(":1.4")
        #expect(!Self.isRefused(clients, ":1.4"))
        #expect(!Self.isRefused(clients, ":1.1"), "its process is held")
    }

    @Test("However many clients call, few processes are held, and no client is refused for that")
    func boundedDescriptors() throws {
        let clients = Clients { _ in BusProcess(number: CurrentProcess.identifier, descriptor: nil) }
        for _ in 0..<2 {
            for number in 0..<Clients.mostHeld * 2 { #expect(!Self.isRefused(clients, ":1.\(number)")) }
        }
        let held = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
            (try? SymbolicLink.read("/proc/self/fd/\($0)"))?.contains("pidfd") ?? false
        }
        #expect(held.count < Clients.mostHeld * 3 / 2, "\(held.count) processes are held")
        #expect(clients[":1.1"] != nil, "its process is looked up again")
    }

    @Test("A refusal by an error is forgotten, and a process that has ended is refused")
    func looksAgain() throws {
        let program = try child()
        let fails = Lock(true)
        let clients = Clients { (_) throws(BusError) in
            if fails.withLock({ $0 }) { throw Self.isGone }
            return BusProcess(number: program.process, descriptor: nil)
        }
        clients.arrived(":1.1")
        #expect(Self.isRefused(clients, ":1.1"))
        fails.withLock { $0 = false }
        #expect(!Self.isRefused(clients, ":1.1"))
        kill(program.process, SIGKILL)
        #expect(eventually { Self.isRefused(clients, ":1.1") })
    }

    @Test("A bus that does not answer is an error of its own, which says nothing of the client")
    func silentBus() throws {
        let isSilent = Lock(true)
        let clients = Clients(nameOwner: { (_) throws(BusError) in
            if isSilent.withLock({ $0 }) { throw .timedOut }
            return ":1.1"
        }) { (_) throws(BusError) in
            if isSilent.withLock({ $0 }) { throw .timedOut }
            return BusProcess(number: CurrentProcess.identifier, descriptor: nil)
        }
        #expect(clients.owner(of: ":1.1") == ":1.1", "it is counted by itself")
        #expect(#expect(throws: BusFailure.self) { _ = try clients.check(":1.1") }?.name == .timeout)
        #expect(#expect(throws: BusFailure.self) { try clients.has("org.example", ":1.1") }?.name == .timeout)
        isSilent.withLock { $0 = false }
        #expect(try clients.check(":1.1") == .outside)
        #expect(try clients.has("org.example", ":1.1"))
    }

    @Test("A name is that of the client that the bus has named last")
    func nameOwner() throws {
        let asked = Lock(0)
        let clients = Clients(nameOwner: { (_) throws(BusError) in
            asked.withLock { $0 += 1 }
            throw Self.isGone
        }) { (_) throws(BusError) in throw .gone }
        #expect(try !clients.has("org.example", ":1.1"))
        clients.note(":1.1", of: "org.example")
        #expect(try clients.has("org.example", ":1.1"))
        clients.note("", of: "org.example")
        #expect(try !clients.has("org.example", ":1.1"))
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("The bus is asked once for the process of a client that has left, however many calls it has sent")
    func departed() {
        let asked = Lock(0)
        let clients = Clients { (_) throws(BusError) in
            asked.withLock { $0 += 1 }
            throw Self.isGone
        }
        for _ in 0..<3 { #expect(clients.owner(of: ":1.1") == ":1.1") }
        #expect(asked.withLock { $0 } == 1)
    }
}
