import LinuxSystem
import Systemd

/// The programs on the bus that may speak to the bridge.
///
/// All of them share what is stored over the bus, so a program in a sandbox is refused: it would read what programs
/// outside have stored. The bus says which process a client is. A process in another mount namespace than the bridge's
/// is taken for one in a sandbox. The process is held for as long as its client is on the bus, and looked at again with
/// every call.
final class Clients {
    private var known: [String: RunningProcess] = [:]
    /// When clients came to the bus, in clock ticks since the boot.
    private var arrivals: [String: UInt64] = [:]
    /// Clients that were there before are no younger than this.
    private let beginning = RunningProcess.ticksSinceBoot
    private let process: (String) throws(BusError) -> BusProcess

    /// - Parameter process: the process of a client, as the bus knows it.
    init(_ process: @escaping (String) throws(BusError) -> BusProcess) { self.process = process }

    /// Checks a client at each of its calls.
    ///
    /// - Throws: `AccessDenied` for a program in a sandbox, and for one that cannot be looked at.
    func check(_ client: String) throws(BusFailure) {
        guard let process = held(client), isOutsideSandboxes(process) else { throw .unknownProgram }
    }

    func arrived(_ client: String) { arrivals[client] = RunningProcess.ticksSinceBoot }

    func forget(_ client: String) { (known[client], arrivals[client]) = (nil, nil) }

    /// The process of a client that was checked.
    subscript(client: String) -> RunningProcess? { known[client] }

    /// Nothing is remembered of a look that has failed: the next call looks again.
    private func held(_ client: String) -> RunningProcess? {
        if known[client] == nil { known[client] = try? connected(client) }
        return known[client]
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

    private func isOutsideSandboxes(_ process: RunningProcess) -> Bool {
        let view = ProcessView(process.number)
        guard let theirs = try? view.mountNamespace(), (try? view.hasWholeRoot()) == true,
            theirs == (try? ProcessView(CurrentProcess.identifier).mountNamespace())
        else { return false }
        return !process.hasEnded
    }
}

extension BusFailure {
    fileprivate static let unknownProgram = BusFailure(
        .accessDenied,
        "The keychain cannot tell which program asks, or the program runs in a sandbox. Programs in sandboxes have no "
            + "part in what other programs store.")
}
