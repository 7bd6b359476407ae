import Glibc
import LinuxSystem
import Sandboxes
import Systemd

/// The programs on the bus that may speak to the bridge.
///
/// Those outside of sandboxes share what is stored over the bus, and each application in a sandbox has its own. The bus
/// says which process a client is. A process in another mount namespace than the bridge's is taken for one in a
/// sandbox. One that no sandbox names is refused. The process is held for as long as its client is on the bus, and
/// looked at again with every call.
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
    /// The user's, where Flatpak says what it runs.
    private let runtimeFolder: String
    private let hasAppArmor = SnapLabel.isEnforced
    private let nameOwner: (String) throws(BusError) -> String
    /// The clients that have names on the bus, as far as they were asked for; empty for a name that nobody has.
    private var named: [String: String] = [:]

    /// Each process that is held takes a descriptor. Of more, the bus is asked again.
    static let mostHeld = 256

    /// - Parameters:
    ///   - nameOwner: the client that has a name on the bus.
    ///   - runtimeFolder: the user's, where Flatpak says what it runs.
    ///   - process: the process of a client, as the bus knows it.
    init(
        nameOwner: @escaping (String) throws(BusError) -> String = { (_) throws(BusError) in throw .gone },
        runtimeFolder: String? = RuntimeFolder.path, _ process: @escaping (String) throws(BusError) -> BusProcess
    ) { (self.nameOwner, self.process, self.runtimeFolder) = (nameOwner, process, runtimeFolder ?? "") }

    /// Whether a client has a name on the bus now. The bus is asked once, and tells of changes (``note(_:of:)``).
    ///
    /// - Throws: `Timeout` when the bus does not say.
    func has(_ name: String, _ client: String) throws(BusFailure) -> Bool {
        if let known = named[name] { return known == client }
        let owner = try Self.answer { () throws(BusError) in try nameOwner(name) } ?? ""
        named[name] = owner
        return owner == client
    }

    /// Notes the client that has a name now; empty for none.
    func note(_ owner: String, of name: String) { if named[name] != nil { named[name] = owner } }

    /// Checks a client at each of its calls, and says whose secrets it sees.
    ///
    /// - Throws: `AccessDenied` for a program in a sandbox that does not name it, and for one that cannot be looked at;
    ///   `Timeout` when the bus does not say which program it is.
    func check(_ client: String) throws(BusFailure) -> SecretsOwner {
        guard let caller = try looked(up: client) else { throw .unknownProgram }
        let owner = try identified(caller)
        hold(caller, client)
        return owner
    }

    func arrived(_ client: String) { arrivals[client] = RunningProcess.ticksSinceBoot }

    func forget(_ client: String) {
        known.removeAll { $0.client == client }
        (arrivals[client], owners[client]) = (nil, nil)
    }

    /// The process of a client, as limits count it: all connections of a process share what one may have. A client
    /// whose process is not known at its first call is counted by itself: the bus is not asked again for each call of a
    /// client that has left.
    func owner(of client: String) -> String {
        if let owner = owners[client] { return owner }
        var owner = client
        if let process = self[client], let start = try? process.startTime() {
            hold(process, client)
            owner = "\(process.number):\(start)"
        }
        owners[client] = owner
        return owner
    }

    /// The process of a client. Nothing is remembered of a look that has failed: the next call looks again.
    subscript(client: String) -> RunningProcess? {
        (try? looked(up: client)) ?? nil
    }

    private func looked(up client: String) throws(BusFailure) -> RunningProcess? {
        if let held = known.last(where: { $0.client == client }) { return held.process }
        guard let named = try Self.answer({ () throws(BusError) in try process(client) }) else { return nil }
        return held(named, client)
    }

    /// An answer of the bus; nil where it has answered with an error. No answer says nothing of a client.
    private static func answer<Answer>(_ ask: () throws(BusError) -> Answer) throws(BusFailure) -> Answer? {
        do throws(BusError) { return try ask() } catch {
            guard error.name.isEmpty, error != .noProcess else { return nil }
            throw .silentBus
        }
    }

    private func hold(_ process: RunningProcess, _ client: String) {
        if known.last?.client == client { return }
        known.removeAll { $0.client == client }
        if known.count >= Self.mostHeld { known.removeFirst() }
        known.append((client, process))
    }

    /// The process that connected. Where the bus knows its number alone, the number may have gone to another process
    /// since: to one that began after the client came to the bus.
    private func held(_ named: BusProcess, _ client: String) -> RunningProcess? {
        if let descriptor = named.descriptor { return try? RunningProcess(holding: descriptor) }
        guard let held = try? RunningProcess(named.number), let start = try? held.startTime() else { return nil }
        let isOld = start <= arrivals[client] ?? beginning
        return isOld && !held.hasEnded ? held : nil
    }

    private func identified(_ process: RunningProcess) throws(BusFailure) -> SecretsOwner {
        let view = ProcessView(process.number)
        var theirs = ""
        do throws(SystemError) { theirs = try view.mountNamespace() } catch {
            throw error.code == EACCES && !process.hasEnded ? BusFailure.hiddenProgram : BusFailure.unknownProgram
        }
        let isOutside = theirs == (try? ProcessView(CurrentProcess.identifier).mountNamespace())
        let application = try application(view, isOutside: isOutside)
        // A process that has changed its view meanwhile may have shown something of the other one.
        guard (try? view.hasWholeRoot()) == true, (try? view.mountNamespace()) == theirs, !process.hasEnded else {
            throw .unknownProgram
        }
        if let application { return .application(application) }
        guard isOutside else { throw .unknownProgram }
        return .outside
    }

    private func application(_ view: ProcessView, isOutside: Bool) throws(BusFailure) -> SandboxedApplication? {
        do throws(SandboxDoubt) {
            return try SandboxedApplication.find(
                view, sharesNames: isOutside, hasAppArmor: hasAppArmor, runtimeFolder: runtimeFolder, mustBeKnown: true)
        } catch { throw .unknownProgram }
    }
}

extension BusFailure {
    fileprivate static let unknownProgram = BusFailure(
        .accessDenied,
        "The keychain cannot tell which program asks. A program in a sandbox is served where Flatpak or Snap says "
            + "which application it is.")

    fileprivate static let silentBus = BusFailure(
        .timeout, "The bus has not said in time which program asks. Call again.")

    fileprivate static let hiddenProgram = BusFailure(
        .accessDenied,
        "The keychain cannot look at the program that asks: it hides its memory (PR_SET_DUMPABLE), or has other rights "
            + "than its user. So nobody can tell whether it runs in a sandbox.")
}
