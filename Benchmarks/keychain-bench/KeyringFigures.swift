import Foundation
import LinuxSystem

/// A Secret Service on a session bus of its own, and a client in C.
final class Keyring {
    private let bus, service, client: RunningProgram

    private static let busDaemon = "/usr/bin/dbus-daemon"
    /// As `scripts/deps` unpacks it.
    private static let unpacked = ".build/gnome-keyring/usr"

    /// gnome-keyring where it is installed, else unpacked; nil where it is neither.
    private static let daemon = ["/usr", unpacked].map { "\($0)/bin/gnome-keyring-daemon" }.first(where: isProgram)

    private static func isProgram(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Whether it can be measured here.
    static var isInstalled: Bool { daemon != nil && isProgram(busDaemon) }

    /// Its libraries where it is unpacked.
    private static var libraries: String {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "\(unpacked)/lib")) ?? []
        return folders.map { URL(filePath: "\(unpacked)/lib/\($0)").standardizedFileURL.path }.joined(separator: ":")
    }

    private init(
        in folder: String, client path: String, _ variables: [String: String],
        _ start: (_ address: String, _ environment: [String: String]) throws -> RunningProgram
    ) throws {
        try PrivateDirectory.ensure(folder)
        let socket = "\(folder)/bus"
        let environment = [
            "HOME": folder, "XDG_RUNTIME_DIR": folder, "XDG_DATA_HOME": folder,
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(socket)",
        ].merging(variables) { $1 }
        bus = try RunningProgram.daemon(
            Self.busDaemon, ["--session", "--nofork", "--address=unix:path=\(socket)"], at: socket,
            environment: environment)
        service = try start("unix:path=\(socket)", environment)
        // The client waits until it is ready.
        client = try RunningProgram(path, [], environment: environment)
    }

    /// Starts gnome-keyring, unlocked, with a collection of so many items that it finds there when it starts.
    convenience init(in folder: String, client path: String, found: Int = 0) throws {
        try self.init(in: folder, client: path, ["LD_LIBRARY_PATH": Self.libraries]) { _, environment in
            try PrivateDirectory.ensure("\(folder)/keyrings")
            try Self.collection(of: found).write(
                toFile: "\(folder)/keyrings/found.keyring", atomically: false, encoding: .utf8)
            guard let daemon = Self.daemon else { throw BenchError("gnome-keyring is not installed.") }
            let keyring = try RunningProgram(
                daemon, ["--foreground", "--unlock", "--components=secrets"], environment: environment)
            keyring.end(with: "a password")
            return keyring
        }
    }

    /// Starts the keychain's bridge over a daemon that runs.
    convenience init(in folder: String, client path: String, bridge: String, over daemon: Daemon) throws {
        let variables = ["KEYCHAIN_SOCKET": daemon.socket, "KEYCHAIN_INTERACTION": "never"]
        try self.init(in: folder, client: path, variables) { address, environment in
            try RunningProgram(bridge, ["--bus", address], environment: environment)
        }
    }

    /// A collection without a password, in the text that gnome-keyring writes for those.
    private static func collection(of items: Int) -> String {
        let secret = String(repeating: "s", count: 150)
        let head = "[keyring]\ndisplay-name=found\nctime=0\nmtime=0\nlock-on-idle=false\nlock-after=false\n"
        return (0..<items).reduce(into: head) { text, number in
            let names = [("account", "\(number)"), ("service", "found")].enumerated().map { index, name in
                "\n[\(number + 1):attribute\(index)]\nname=\(name.0)\ntype=string\nvalue=\(name.1)\n"
            }
            text += "\n[\(number + 1)]\nitem-type=0\ndisplay-name=\(number)\nsecret=\(secret)\nmtime=0\nctime=0\n"
            text += names.joined()
        }
    }

    /// Has the client do something, and gives the nanoseconds that takes.
    ///
    /// - Throws: `BenchError` for another answer than this.
    func time(of order: String, answered expected: String = "done") throws -> Double {
        let start = Clock.monotonicNanoseconds
        client.order(order)
        let answer = try client.answer()
        guard answer == expected else { throw BenchError("The service's client says \(answer), not \(expected).") }
        return Double(Clock.monotonicNanoseconds - start)
    }
}

/// Figures compared with gnome-keyring, which keeps all items in one file and rewrites it for each change.
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
                floor: { try keyring.time(of: "list", answered: "\(items)") }),
            in: .milliseconds)
    }

    /// The same calls over the session's bus, to both.
    func measureBridge(_ order: String, count: Int = 1) throws -> Measurement {
        let (bridge, keyring) = (try bridge(items: sizes.few), try keyring(items: sizes.few))
        var round = 0
        let time = { (service: Keyring) throws -> Double in
            round += 1
            let name = order == "add" ? "run\(round)" : "filled"
            return try service.time(of: "\(order) \(name) \(count)") / Double(count)
        }
        return Measurement(
            try Comparison(rounds: rounds(6), ours: { try time(bridge) }, floor: { try time(keyring) }),
            in: .microseconds)
    }

    /// All items and their secrets over the session's bus, from both.
    func measureBridgeList(items: Int) throws -> Measurement {
        let (bridge, keyring) = (try bridge(items: items, as: "listed"), try keyring(items: items, as: "listed"))
        return Measurement(
            try Comparison(
                rounds: rounds(4), ours: { try bridge.time(of: "list", answered: "\(items)") },
                floor: { try keyring.time(of: "list", answered: "\(items)") }),
            in: .milliseconds)
    }

    /// The bridge with so many items, added over the bus.
    private func bridge(items: Int, as use: String = "") throws -> Keyring {
        let name = "bridge-\(items)-\(use)"
        if let running = keyrings[name] { return running }
        note("adding \(items) items over the bus")
        let daemon = try keychaind(on: FilledStore(folder: "\(folder)/\(name)-store", items: items))
        let bridge = try Keyring(
            in: "\(folder)/\(name)", client: program("yardstick-secrets"), bridge: program("keychain-secrets"),
            over: daemon)
        _ = try bridge.time(of: "add filled \(items)")
        keyrings[name] = bridge
        return bridge
    }

    /// One with so many items: added, or found at its start where each add, which writes all of them, would take too
    /// long.
    private func keyring(items: Int, as use: String = "") throws -> Keyring {
        let name = "keyring-\(items)-\(use)"
        if let running = keyrings[name] { return running }
        note("filling gnome-keyring with \(items) items")
        let added = items <= sizes.few ? items : 0
        let keyring = try Keyring(
            in: "\(folder)/\(name)", client: program("yardstick-secrets"), found: items - added)
        _ = try keyring.time(of: "add filled \(added)")
        keyrings[name] = keyring
        return keyring
    }
}
