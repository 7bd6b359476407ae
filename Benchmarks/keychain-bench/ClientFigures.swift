import Foundation
import LinuxSystem

extension Bench {
    func measureCopyMatching() throws -> Measurement {
        let (daemon, yardstick) = (try daemon(items: sizes.usual), try yardstickDaemon(items: sizes.usual))
        let client = try CClient(socket: yardstick.socket)
        return Measurement(
            try Comparison(
                rounds: rounds(60), ours: lookups(at: daemon), floor: lookups(by: client, in: sizes.usual)),
            in: .microseconds)
    }

    func measureEcho() throws -> Measurement {
        let socket = "\(folder)/echo.sock"
        let echo = try RunningProgram.daemon(
            program("yardstick-daemon"), [socket, "\(Workload.valueBytes)"], at: socket)
        let client = try CClient(socket: socket)
        defer { extendLifetime(echo) }
        return Measurement(
            try Comparison(
                rounds: rounds(60), ours: lookups(at: try daemon(items: sizes.usual)),
                floor: lookups(by: client, in: sizes.usual)),
            in: .microseconds)
    }

    func measureEnclave() throws -> Measurement {
        Measurement(
            try Comparison(
                rounds: rounds(60), ours: lookups(at: try keychaind(items: sizes.usual)),
                floor: lookups(at: try daemon(items: sizes.usual))),
            in: .microseconds)
    }

    func measureManyItems() throws -> Measurement {
        Measurement(
            try Comparison(
                rounds: rounds(60), ours: lookups(at: try daemon(items: sizes.many)),
                floor: lookups(at: try daemon(items: sizes.few))),
            in: .microseconds)
    }

    func measureThroughput() throws -> Measurement {
        let (daemon, yardstick) = (try daemon(items: sizes.usual), try yardstickDaemon(items: sizes.usual))
        let ours = try (0..<8).map { _ in try RunningProgram(ownPath, ["--work", daemon.socket]) }
        let floor = try (0..<8).map { _ in try RunningProgram(program("yardstick-find"), [yardstick.socket]) }
        return Measurement(
            try Comparison(
                rounds: rounds(20), ours: throughput(of: ours, each: 1000), floor: throughput(of: floor, each: 1000)),
            in: .perSecond)
    }

    func measureEmbedded() throws -> Measurement {
        let (items, copy) = (sizes.usual, try copy(items: sizes.usual, as: "embedded"))
        // A file of its own: SQLite locks a file for the process, so that one reader would spare the other its locks.
        let yardstick = CHandler(
            folder: try self.copy(items: items, as: "embedded-yardstick").folder, of: caller, isShared: true)
        let names = Names.sequence(of: items)
        try SwiftClient.use(folder: copy.folder)
        return Measurement(
            try Comparison(
                rounds: rounds(60),
                ours: medianTime(of: 300) { try SwiftClient.lookUp(names[$0 % names.count]) },
                floor: medianTime(of: 300) { index in
                    guard yardstick.pointRead(Workload.number(index, of: items)) >= 0 else {
                        throw BenchError("The yardstick does not find an item.")
                    }
                }),
            in: .microseconds)
    }

    func measureEnumeration() throws -> Measurement {
        let (items, copy) = (sizes.enumerated, try copy(items: sizes.enumerated, as: "point-reads"))
        let yardstick = CHandler(folder: copy.folder, of: caller)
        let socket = try daemon(items: items).socket
        return Measurement(
            try Comparison(
                rounds: rounds(20),
                ours: {
                    SwiftClient.use(socket: socket)
                    return try time {
                        guard try SwiftClient.enumerate() == items else { throw BenchError("An item is missing.") }
                    }
                },
                floor: { time { for number in 0..<items { _ = yardstick.pointRead(number) } } }),
            in: .milliseconds)
    }

    // MARK: - Samples

    private func lookups(at daemon: Daemon) -> Sample {
        let names = Names.sequence(of: daemon.items)
        let sample = medianTime(of: 300) { try SwiftClient.lookUp(names[$0 % names.count]) }
        return {
            SwiftClient.use(socket: daemon.socket)
            return try sample()
        }
    }

    private func lookups(by client: CClient, in items: Int) -> Sample {
        let names = Names.sequence(of: items)
        return medianTime(of: 300) { try client.lookUp(names[$0 % names.count]) }
    }

    /// Lookups per second of all workers together.
    private func throughput(of workers: [RunningProgram], each count: Int) -> Sample {
        var first = 0
        return { [sizes] in
            let elapsed = try time {
                for (index, worker) in workers.enumerated() {
                    worker.order("\(first + index * count) \(count) \(sizes.usual)")
                }
                for worker in workers { try worker.finish() }
            }
            first += workers.count * count
            return Double(workers.count * count) / elapsed * 1e9
        }
    }
}
