import Glibc
import KeychainClient
import KeychainModel
import LinuxSystem
import Systemd

/// The bridge on a bus: one thread that answers calls, and one for each question to the user.
package final class BridgeProgram {
    package static let name = "org.freedesktop.secrets"

    /// The time limit of a request to the keychain that asks nobody: milliseconds.
    private static let longestCall: UInt32 = 2_000 * UInt32(DebugPatience.factor)

    private let links: Links
    private let service: BusService
    private let questions: Questions

    /// Links between the parts, which need each other before all of them exist.
    private final class Links {
        var service: BusService?
        var bridges: Bridges?
        /// Whether the next call is for another bridge.
        var isOver = false
    }

    /// Connects to the bus, and offers the objects there before it takes the name.
    ///
    /// - Parameter address: the bus's, as in `DBUS_SESSION_BUS_ADDRESS`.
    /// - Throws: ``BusError`` when there is no such bus; `errSecNotAvailable` when another program has the name;
    ///   `SystemError` when this process can have no more files; `errSecParam` (`configuration.*`) for settings that
    ///   make no sense.
    package init(address: String) throws {
        let links = Links()
        let questions = try Questions(Self.configuration(), address: address)
        let service = try BusService(
            address: address,
            named: { name, owner in links.bridges?.named(name, owner) },
            owner: { links.bridges?.outside.clients.owner(of: $0) ?? $0 },
            takesFiles: { (call) throws(BusFailure) in
                guard let bridges = links.bridges else { throw .gone(call.path) }
                try SecretPortal(bridge: bridges.outside).checkTakesFiles(call)
            }
        ) { (call) throws(BusFailure) in
            guard let bridges = links.bridges else { throw .gone(call.path) }
            do throws(BusFailure) {
                return try Dispatcher(bridge: try bridges.bridge(for: call.client)).answer(call)
            } catch {
                if error.name == .failed, Self.isReplaced { links.isOver = true }
                throw error
            }
        }
        let clients = Clients(nameOwner: { (name) throws(BusError) in
            guard let service = links.service else { throw BusError.gone }
            return try service.owner(of: name)
        }) { (client) throws(BusError) in
            guard let service = links.service else { throw BusError.gone }
            return try service.process(of: client)
        }
        links.service = service
        links.bridges = Bridges(
            KeychainSecrets { () throws(Refusal) in try questions.reach() },
            in: Bridge.Surroundings(
                address: address, clients: clients, questions: questions,
                emit: { [unowned service] in service.emit($0) }))
        (self.links, self.service, self.questions) = (links, service, questions)
        try takeName()
    }

    /// The settings of a program that asks the daemon.
    static func configuration() throws -> Configuration {
        var configuration = try Configuration.load()
        // A user's own daemon must see which program this is, at each connection; the same user has the store's files.
        // The system service may look at hidden programs.
        if configuration.usesSystemService { try ProcessHardening.forbidDumps() }
        configuration.mode = .daemon
        // A client waits for less than half a minute, and everybody waits for one call.
        configuration.timeout = min(configuration.timeout, longestCall)
        return configuration
    }

    /// Whether the program was replaced, as by an upgrade. A daemon that begins afterwards knows the new file alone,
    /// which the bus starts at the next call when this one has ended.
    private static var isReplaced: Bool { (try? FileStatus(at: "/proc/self/exe"))?.links == 0 }

    private func takeName() throws {
        do throws(BusError) { try service.takeName(Self.name) } catch {
            guard error.code == EEXIST else { throw error }
            throw Refusal(
                .notAvailable, .unavailable, Self.name, "Another program on this bus is already \(Self.name).",
                do: "End it (gnome-keyring, KWallet, KeePassXC), or leave the desktop's secrets to it.")
        }
    }

    /// Answers until the bus is gone, or until the keychain refuses a program that was replaced.
    ///
    /// - Throws: ``BusError`` when that was not the bus's end; `SystemError` of waiting.
    package func run() throws {
        let epoll = try Epoll(capacity: 2)
        var isWriting = false
        try epoll.add(service.descriptor, for: .readable, token: 0)
        try epoll.add(questions.wakeup.descriptor, for: .readable, token: 1)
        while true {
            do throws(BusError) { try service.process() } catch {
                guard [ECONNRESET, ENOTCONN, EPIPE].contains(error.code) else { throw error }
                return
            }
            links.bridges?.proceed()
            if links.isOver, !service.isWaitingToSend { return }
            if service.isWaitingToSend != isWriting {
                isWriting.toggle()
                try epoll.modify(service.descriptor, for: isWriting ? [.readable, .writable] : .readable, token: 0)
            }
            try epoll.wait(deadline: service.isBusy ? .after(milliseconds: 0) : .never) { _, _ in }
            for (number, outcome) in questions.take() { links.bridges?.end(number, outcome) }
        }
    }
}

extension BusService {
    /// Sends a signal. Where the connection is lost, the loop hears of it.
    fileprivate func emit(_ signal: BusSignal) {
        try? emit(signal.member, of: signal.interface, from: signal.path, to: signal.client, signal.values)
    }
}
