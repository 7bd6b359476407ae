import Foundation
import LinuxSystem

/// gnome-keyring on a session bus of its own, and a client in C.
final class Keyring {
    private let bus, keyring, client: RunningProgram

    /// Where the programs of a machine lie.
    static let daemon = "/usr/bin/gnome-keyring-daemon"
    static let busDaemon = "/usr/bin/dbus-daemon"

    /// Whether it is installed.
    static var isInstalled: Bool { [daemon, busDaemon].allSatisfy(FileManager.default.isExecutableFile(atPath:)) }

    /// Starts one with nothing in it, unlocked.
    init(in folder: String, client path: String) throws {
        try PrivateDirectory.ensure(folder)
        let address = "\(folder)/bus"
        let environment = [
            "HOME": folder, "XDG_RUNTIME_DIR": folder, "XDG_DATA_HOME": folder,
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(address)",
        ]
        bus = try RunningProgram.daemon(
            Self.busDaemon, ["--session", "--nofork", "--address=unix:path=\(address)"], at: address,
            environment: environment)
        keyring = try RunningProgram(
            Self.daemon, ["--foreground", "--unlock", "--components=secrets"], environment: environment)
        keyring.end(with: "a password")
        // The client waits until it is ready.
        client = try RunningProgram(path, [], environment: environment)
    }

    /// Has the client do something, and gives the nanoseconds that takes.
    func time(of order: String) throws -> Double {
        let start = Clock.monotonicNanoseconds
        client.order(order)
        try client.finish()
        return Double(Clock.monotonicNanoseconds - start)
    }
}

/// What stands beside gnome-keyring, which keeps all items in one file that it writes anew for each change.
extension Bench {
    func measureKeyringAdd() throws -> Measurement {
        let (daemon, keyring) = (try keychaind(items: sizes.few), try keyring(items: sizes.few))
        let (run, count) = (UUID().uuidString, 10)
        var round = 0
        SwiftClient.use(socket: daemon.socket)
        return Measurement(
            try Comparison(
                rounds: rounds(6), ours: medianTime(of: count) { try SwiftClient.add(service: run, account: "\($0)") },
                floor: {
                    round += 1
                    return try keyring.time(of: "add \(run)-\(round) \(count)") / Double(count)
                }),
            in: .microseconds)
    }

    func measureKeyringGet() throws -> Measurement {
        let (daemon, keyring) = (try keychaind(items: sizes.few), try keyring(items: sizes.few))
        let names = Names.sequence(of: daemon.items)
        SwiftClient.use(socket: daemon.socket)
        return Measurement(
            try Comparison(
                rounds: rounds(12), ours: medianTime(of: 100) { try SwiftClient.lookUp(names[$0 % names.count]) },
                floor: { try keyring.time(of: "get filled 100") / 100 }),
            in: .microseconds)
    }

    /// Ours gives all attributes too, theirs the secrets alone.
    func measureKeyringList(items: Int) throws -> Measurement {
        // One that nobody has added to.
        let (daemon, keyring) = (try keychaind(on: copy(items: items, as: "listed")), try keyring(items: items))
        SwiftClient.use(socket: daemon.socket)
        return Measurement(
            try Comparison(
                rounds: rounds(8), ours: { try time { _ = try SwiftClient.enumerate() } },
                floor: { try keyring.time(of: "list") }),
            in: .milliseconds)
    }

    /// One with so many items.
    private func keyring(items: Int) throws -> Keyring {
        if let running = keyrings[items] { return running }
        note("filling gnome-keyring with \(items) items")
        let keyring = try Keyring(in: "\(folder)/keyring-\(items)", client: program("yardstick-secrets"))
        _ = try keyring.time(of: "add filled \(items)")
        keyrings[items] = keyring
        return keyring
    }
}
