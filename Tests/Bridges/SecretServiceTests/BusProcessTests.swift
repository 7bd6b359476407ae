import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import SecretService
@testable import Systemd

@Suite("The processes of clients that the bus holds")
struct BusProcessTests {
    /// A bus on which a service answers as a bus does that holds the processes of its clients.
    private final class Bus {
        static let name = "org.example.Bus"
        private let folder: TemporaryDirectory
        private let daemon: ChildProcess
        private let service: BusService
        let address: String

        init(_ answer: [String: BusValue]) throws {
            folder = try TemporaryDirectory()
            address = "unix:path=\(folder.path)/bus"
            let words = ["--session", "--nofork", "--nopidfile", "--address=\(address)"]
            daemon = try ChildProcess.start("/usr/bin/dbus-daemon", words, handing: [])
            let address = address
            try #require(eventually { (try? SystemBus(session: address)) != nil })
            service = try BusService(
                address: address, named: { _, _ in }, owner: { $0 }, takesFiles: { _ in },
                { _ in .values([.properties(answer)]) })
            try service.takeName(Self.name)
        }

        deinit {
            daemon.kill()
            _ = daemon.reap()
        }

        /// The process that a client of the bus is told.
        func process() throws -> BusProcess {
            let answer = Lock<Result<BusProcess, any Error>?>(nil)
            let address = address
            let client = try Thread(named: "client") {
                let result = Result {
                    let object = BusObject(Self.name, "/bus", Self.name)
                    let call = try SystemBus(session: address).call(object, "GetConnectionCredentials")
                    return try BusProcess(credentials: call)
                }
                answer.withLock { $0 = result }
            }
            while answer.withLock({ $0 == nil }) {
                try service.process()
                if !service.isBusy { try? service.descriptor.wait(for: .readable, deadline: .after(milliseconds: 10)) }
            }
            client.join()
            return try answer.withLock { try #require($0).get() }
        }
    }

    private static func isRefused(_ clients: Clients) -> Bool {
        do throws(BusFailure) { _ = try clients.check(":1.1") } catch { return error.name == .accessDenied }
        return false
    }

    @Test("The process counts that the bus passes, whatever its number says, and none that has ended")
    func passed() throws {
        let program = try ChildProcess.start("/bin/sleep", ["1000"], handing: [])
        let bus = try Bus([
            "UnixUserID": .number(getuid()), "ProcessFD": .file(BusFile(descriptor: try program.endDescriptor())),
            "ProcessID": .number(UInt32(CurrentProcess.identifier)), "LinuxSecurityLabel": .bytes([0]),
        ])
        let process = try bus.process()
        #expect(process.number == CurrentProcess.identifier && process.descriptor != nil)
        let clients = Clients { _ in process }
        #expect(!Self.isRefused(clients))
        #expect(clients[":1.1"]?.number == program.identifier)
        program.kill()
        _ = program.reap()
        #expect(Self.isRefused(clients) && Self.isRefused(Clients { _ in process }))
    }

    @Test("A bus that holds no processes gives their numbers alone")
    func number() throws {
        let bus = try Bus(["ProcessID": .number(UInt32(CurrentProcess.identifier))])
        let process = try bus.process()
        #expect(process.number == CurrentProcess.identifier && process.descriptor == nil)
    }
}
