import Glibc
import LinuxSystem
import Systemd

/// The programs on the bus that may speak to the bridge.
///
/// All of them share what is stored over the bus, so a program in a sandbox is refused: it would read what programs
/// outside have stored. The bus says which process a client is. A process in another mount namespace than the bridge's
/// is taken for one in a sandbox. The process is held for as long as its client is on the bus, and looked at again with
/// every call.
final class Clients {
    /// The processes of those that have called, the last that called at the end.
    private var known: [(client: String, process: RunningProcess)] = []
    /// The processes of clients as limits count them.
    private var owners: [String: String] = [:]
    /// When clients came to the bus, in clock ticks since the boot.
    private var arrivals: [String: UInt64] = [:]
    /// Clients that were there before are no younger than this.
    private let beginning = RunningProcess.ticksSinceBoot
    private let process: (String) throws(BusError) -> BusProcess
    private let nameOwner: (String) throws(BusError) -> String

    /// Each process that is held takes a descriptor. Of more, the bus is asked again.
    static let mostHeld = 256

    /// - Parameters:
    ///   - nameOwner: the client that has a name on the bus.
    ///   - process: the process of a client, as the bus knows it.
    init(
        nameOwner: @escaping (String) throws(BusError) -> String = { (_) throws(BusError) in throw .gone },
        _ process: @escaping (String) throws(BusError) -> BusProcess
    ) { (self.nameOwner, self.process) = (nameOwner, process) }

    /// Whether a client has a name on the bus now.
    func has(_ name: String, _ client: String) -> Bool { (try? nameOwner(name)) == client }

    /// Checks a client at each of its calls.
    ///
    /// - Throws: `AccessDenied` for a program in a sandbox, and for one that cannot be looked at.
    func check(_ client: String) throws(BusFailure) {
        guard let process = self[client] else { throw .unknownProgram }
        try Self.check(process)
        hold(process, client)
    }

    func arrived(_ client: String) { arrivals[client] = RunningProcess.ticksSinceBoot }

    func forget(_ client: String) {
        known.removeAll { $0.client == client }
        (arrivals[client], owners[client]) = (nil, nil)
    }

    /// The process of a client, as limits count it: all connections of a process share what one may have. A client
    /// whose process is not known is counted by itself.
    func owner(of client: String) -> String {
        if let owner = owners[client] { return owner }
        guard let process = self[client], let start = try? process.startTime() else { return client }
        hold(process, client)
        let owner = "\(process.number):\(start)"
        owners[client] = owner
        return owner
    }

    /// The process of a client. Nothing is remembered of a look that has failed: the next call looks again.
    subscript(client: String) -> RunningProcess? {
        known.last { $0.client == client }?.process ?? (try? connected(client))
    }

    private func hold(_ process: RunningProcess, _ client: String) {
        if known.last?.client == client { return }
        known.removeAll { $0.client == client }
        if known.count >= Self.mostHeld { known.removeFirst() }
        known.append((client, process))
    }

    /// The process that connected. Where the bus knows its number alone, the number may have gone to another process
    /// since: to one that began after the client came to the bus.
    private func connected(_ client: String) throws -> RunningProcess? {
        let named = try process(client)
        if let descriptor = named.descriptor { return try RunningProcess(holding: descriptor) }
        let held = try RunningProcess(named.number)
        let isOld = try held.startTime() <= arrivals[client] ?? beginning
        return isOld && !held.hasEnded ? held : nil
    }

    private static func check(_ process: RunningProcess) throws(BusFailure) {
        let view = ProcessView(process.number)
        var theirs = ""
        do throws(SystemError) { theirs = try view.mountNamespace() } catch {
            throw error.code == EACCES && !process.hasEnded ? BusFailure.hiddenProgram : BusFailure.unknownProgram
        }
        guard (try? view.hasWholeRoot()) == true,
            theirs == (try? ProcessView(CurrentProcess.identifier).mountNamespace()), !process.hasEnded
        else { throw .unknownProgram }
    }
}

extension BusFailure {
    fileprivate static let unknownProgram = BusFailure(
        .accessDenied,
        "The keychain cannot tell which program asks, or the program runs in a sandbox. Programs in sandboxes have no "
            + "part in what other programs store.")

    fileprivate static let hiddenProgram = BusFailure(
        .accessDenied,
        "The keychain cannot look at the program that asks: it hides its memory (PR_SET_DUMPABLE), or has other rights "
            + "than its user. So nobody can tell whether it runs in a sandbox.")
}
