import LinuxSystem
import Systemd

/// The programs on the bus that may speak to the bridge.
///
/// All of them share what is stored over the bus, so a program in a sandbox is refused: it would read what programs
/// outside have stored. The bus says which process a client is. A process in another mount namespace than the bridge's
/// is taken for one in a sandbox.
final class Clients {
    private var known: [String: Bool] = [:]
    private let process: (String) throws(BusError) -> Int32

    /// - Parameter process: the process of a client, as the bus knows it.
    init(_ process: @escaping (String) throws(BusError) -> Int32) { self.process = process }

    /// Checks a client at its first call.
    ///
    /// - Throws: `AccessDenied` for a program in a sandbox, and for one that cannot be looked at.
    func check(_ client: String) throws(BusFailure) {
        if known[client] == nil { known[client] = isOutsideSandboxes(client) }
        guard known[client] == true else {
            throw BusFailure(
                .accessDenied,
                "The keychain cannot tell which program asks, or the program runs in a sandbox. Programs in sandboxes "
                    + "have no part in what other programs store.")
        }
    }

    func forget(_ client: String) { known[client] = nil }

    /// The process is held while it is looked at, and asked for again: a number may be given to another process.
    private func isOutsideSandboxes(_ client: String) -> Bool {
        guard let number = try? process(client), let held = try? RunningProcess(number) else { return false }
        let view = ProcessView(number)
        guard let theirs = try? view.mountNamespace(), (try? view.hasWholeRoot()) == true,
            theirs == (try? ProcessView(CurrentProcess.identifier).mountNamespace()),
            let again = try? process(client)
        else { return false }
        return again == number && !held.hasEnded
    }
}
