import CYardstick
import Foundation
import LinuxSystem

extension Bench {
    func measureDurableAdd() throws -> Measurement {
        let (daemon, floor) = (try keychaind(items: sizes.few), try addingDaemon(items: sizes.few))
        let client = try CClient(socket: floor.socket)
        let run = UUID().uuidString
        SwiftClient.use(socket: daemon.socket)
        return Measurement(
            try Comparison(
                rounds: rounds(60), ours: medianTime(of: 5) { try SwiftClient.add(service: run, account: "\($0)") },
                floor: medianTime(of: 5) { try client.add(service: run, account: "\($0)") }),
            in: .microseconds)
    }

    func measureWriters() throws -> Measurement {
        let (daemon, floor) = (try keychaind(items: sizes.few), try addingDaemon(items: sizes.few))
        let workers = try (0..<16).map { _ in try RunningProgram(ownPath, ["--work", daemon.socket]) }
        let clients = try (0..<16).map { _ in try RunningProgram(program("yardstick-write"), [floor.socket]) }
        return Measurement(
            try Comparison(
                rounds: rounds(12), ours: adds(by: workers, each: 30), floor: adds(by: clients, each: 30)),
            in: .perSecond)
    }

    func measureCommand() throws -> Measurement {
        let item = (service: "com.example.command", account: "user@example.com")
        let (security, find) = (program("security"), program("yardstick-find"))
        let filled = try copy(items: sizes.few, as: "command")
        for owner in [security, find] { try filled.add(item.service, item.account, for: owner) }
        let daemon = try keychaind(on: filled)
        let environment = ["KEYCHAIN_SOCKET=\(daemon.socket)", "KEYCHAIN_HOME=\(filled.folder)", "PATH=/usr/bin:/bin"]
        let arguments = ["find-generic-password", "-s", item.service, "-a", item.account, "-w"]
        return Measurement(
            try Comparison(
                rounds: rounds(60),
                ours: medianTime(of: 10) { _ in try run(security, arguments, environment: environment) },
                floor: medianTime(of: 10) { _ in
                    try run(find, [daemon.socket, item.service, item.account], environment: environment)
                }),
            in: .microseconds)
    }

    func measureIdleMemory() throws -> Measurement {
        // One that has done nothing else: other figures' daemons have written.
        let daemon = try keychaind(on: try copy(items: sizes.few, as: "idle"))
        try lookUpAll(daemon, 1)
        return Measurement(try daemon.memory(), in: .megabytes)
    }

    func measureFullMemory() throws -> Measurement {
        let daemon = try keychaind(items: 100_000)
        try lookUpAll(daemon, 100_000)
        return Measurement(try daemon.memory(), in: .megabytes)
    }

    private func lookUpAll(_ daemon: Daemon, _ count: Int) throws {
        SwiftClient.use(socket: daemon.socket)
        for index in 0..<count { try SwiftClient.lookUp(Names(Workload.number(index, of: daemon.items))) }
    }

    /// Adds per second of all workers together.
    private func adds(by workers: [RunningProgram], each count: Int) -> Sample {
        return {
            let elapsed = try time {
                for worker in workers { worker.order("add \(UUID().uuidString) \(count)") }
                for worker in workers { try worker.finish() }
            }
            return Double(workers.count * count) / elapsed * 1e9
        }
    }
}
