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

    /// Starts one, unlocked, with a collection of so many items that it finds there when it starts.
    init(in folder: String, client path: String, found: Int = 0) throws {
        try PrivateDirectory.ensure(folder)
        try PrivateDirectory.ensure("\(folder)/keyrings")
        try Self.collection(of: found).write(
            toFile: "\(folder)/keyrings/found.keyring", atomically: false, encoding: .utf8)
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
        guard answer == expected else { throw BenchError("gnome-keyring's client says \(answer), not \(expected).") }
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

    /// One with so many items: added, or found at its start where each add, which writes all of them, would take too
    /// long.
    private func keyring(items: Int) throws -> Keyring {
        if let running = keyrings[items] { return running }
        note("filling gnome-keyring with \(items) items")
        let added = items <= sizes.few ? items : 0
        let keyring = try Keyring(
            in: "\(folder)/keyring-\(items)", client: program("yardstick-secrets"), found: items - added)
        _ = try keyring.time(of: "add filled \(added)")
        keyrings[items] = keyring
        return keyring
    }
}
