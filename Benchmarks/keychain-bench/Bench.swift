import EmbeddedKeychain
import Foundation
import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainStore
import LinuxSystem

/// The state that all figures share: how much is measured, where, and the stores and daemons that several of them use.
final class Bench {
    let options: Options
    let folder: String
    let ownPath: String
    let caller: CallerIdentity
    private var stores: [String: FilledStore] = [:]
    private var daemons: [String: Daemon] = [:]
    var keyrings: [String: Keyring] = [:]

    /// How many items the stores have.
    struct Sizes {
        let few = 1000
        let usual: Int
        let many: Int
        let enumerated = 10_000
    }

    init(_ options: Options) throws {
        self.options = options
        caller = try CallerIdentity.thisProgram()
        folder = URL(filePath: options.folder).standardizedFileURL.path
        ownPath = try ExecutableFile(ofProcess: CurrentProcess.identifier).path
        // Nothing of an earlier run is any good: the stores are of the present code's making.
        try? FileManager.default.removeItem(atPath: folder)
        try PrivateDirectory.ensure(folder)
    }

    deinit {
        daemons = [:]
        keyrings = [:]
        try? FileManager.default.removeItem(atPath: folder)
    }

    var sizes: Sizes {
        options.isQuick ? Sizes(usual: 10_000, many: 100_000) : Sizes(usual: 100_000, many: 1_000_000)
    }

    /// How many rounds to measure: fewer when it has to be quick.
    func rounds(_ count: Int) -> Int { options.rounds ?? (options.isQuick ? max(5, count / 4) : count) }

    /// The path of one of the product's programs or the yardstick's.
    func program(_ name: String) -> String {
        URL(filePath: options.programs).appending(path: name).standardizedFileURL.path
    }
}

// MARK: - Stores

extension Bench {
    /// A store of so many items, made at the first call. Nobody owns it; for use by one process after the other.
    func store(items: Int) throws -> FilledStore {
        if let ready = stores["\(items)"] { return ready }
        note("filling a store with \(items) items")
        let made = try FilledStore.make(in: "\(folder)/\(items)", items: items, for: caller)
        stores["\(items)"] = made
        return made
    }

    /// A store of so many items for one user alone.
    func copy(items: Int, as name: String) throws -> FilledStore {
        let key = "\(items)-\(name)"
        if let ready = stores[key] { return ready }
        let copy = FilledStore(folder: "\(folder)/\(key)", items: items)
        try FileManager.default.copyItem(atPath: store(items: items).folder, toPath: copy.folder)
        stores[key] = copy
        return copy
    }
}

// MARK: - Daemons

/// A daemon over a store of its own.
struct Daemon {
    let socket: String
    let items: Int
    let program: RunningProgram

    /// The part of it that is in memory, in bytes.
    func memory() throws -> Double {
        let status = try String(contentsOfFile: "/proc/\(program.identifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        guard let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) else {
            throw BenchError("The memory of process \(program.identifier) cannot be read.")
        }
        return kilobytes * 1024
    }
}

extension Bench {
    /// The daemon with the enclave inside.
    func daemon(items: Int) throws -> Daemon {
        try daemon("daemon", items: items) { folder, socket in (ownPath, ["--serve", folder, socket]) }
    }

    /// The daemon with the enclave in a process of its own, as every daemon that is installed has it.
    func identifyingDaemon(items: Int) throws -> Daemon {
        try daemon("identifying", items: items) { folder, socket in
            (ownPath, ["--serve", folder, socket, program("keychain-enclaved")])
        }
    }

    /// The same, which takes everybody for the same program without a look.
    func credulousDaemon(items: Int) throws -> Daemon {
        try daemon("credulous", items: items) { folder, socket in
            (ownPath, ["--serve-one", folder, socket, program("keychain-enclaved")])
        }
    }

    /// The product's daemon, with the enclave in a process of its own.
    func keychaind(items: Int) throws -> Daemon { try keychaind(on: copy(items: items, as: "keychaind")) }

    func keychaind(on store: FilledStore) throws -> Daemon {
        try daemon(on: store) { folder, socket in
            (program("keychaind"), ["--store", folder, "--socket", socket])
        }
    }

    /// The C daemon, which maps a part of the store.
    func yardstickDaemon(items: Int) throws -> Daemon {
        let mapped = CHandler.mappedByDaemons
        return try daemon("yardstick", items: items) { [caller] folder, socket in
            (program("yardstick-daemon"), [socket, folder, caller.groups[0], "\(mapped)"])
        }
    }

    /// The C daemon that adds, with its keys wrapped in another process.
    func addingDaemon(items: Int) throws -> Daemon {
        try daemon("adding", items: items) { [caller] folder, socket in
            (program("yardstick-daemon"), [socket, folder, caller.groups[0]])
        }
    }

    private func daemon(
        _ name: String, items: Int, _ command: (String, String) -> (String, [String])
    ) throws -> Daemon { try daemon(on: copy(items: items, as: name), command) }

    private func daemon(
        on store: FilledStore, _ command: (_ folder: String, _ socket: String) -> (String, [String])
    ) throws -> Daemon {
        if let running = daemons[store.folder] { return running }
        let socket = "\(store.folder).sock"
        let (path, arguments) = command(store.folder, socket)
        let program = try RunningProgram.daemon(path, arguments, at: socket)
        let daemon = Daemon(socket: socket, items: store.items, program: program)
        daemons[store.folder] = daemon
        return daemon
    }
}

/// The reason why the benchmark cannot measure.
struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
