import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import Systemd

/// The Secret Service over the secrets of one owner: what it offers, and what its clients have open. Belongs to the
/// thread of the bus.
final class Bridge {
    let owner: SecretsOwner
    let secrets: KeychainSecrets
    let memory: SessionSecrets
    let clients: Clients
    private(set) var sessions = OpenSessions()
    private(set) lazy var prompts = SecretPrompts(deeds, turn: surroundings.turn) {
        Clock.monotonicNanoseconds / 1_000_000_000
    }
    /// The clients that have called, and are still on the bus.
    private(set) var callers: Set<String> = []
    /// Whether everybody on the bus hears of changes, and not callers alone.
    var isHeardByAll: Bool
    /// The collections that a client has locked, each with the keychain's last unlock before that. The keychain itself
    /// stays as it is.
    var locked: [String: UInt64] { didSet { if locked != oldValue { marks.write(locked) } } }
    private let marks: LockMarks
    private var last = 0
    /// The aliases of the session's collection, which end with it.
    var sessionAliases: Set<ExactText> = []
    var lastMade: [SecretCollection] = []
    /// The attributes by which closed items were found, all that is known of them, by the items' names.
    var knownPairs: [String: LookupAttributes.Pairs] = [:]
    /// How many items collections have above those that are listed, at least.
    var surplus: [String: Int] = [:]
    private let surroundings: Surroundings
    var questions: Questions { surroundings.questions }

    /// The parts that the bridges of all owners on a bus share.
    struct Surroundings {
        let address: String
        let clients: Clients
        /// Asks the user.
        let questions: Questions
        /// Sends a signal.
        let emit: (BusSignal) -> Void
        let turn = QuestionTurn()
    }

    /// The most prompts that a process may have open.
    static let mostPrompts = 16
    /// The most callers that are told of changes.
    static let mostCallers = 1_000

    /// - Parameters:
    ///   - owner: the owner of the secrets.
    ///   - secrets: the collections and items.
    init(of owner: SecretsOwner, _ secrets: KeychainSecrets, in surroundings: Surroundings) {
        (self.owner, self.secrets, self.surroundings) = (owner, secrets, surroundings)
        clients = surroundings.clients
        isHeardByAll = owner == .outside
        memory = owner == .outside ? SessionSecrets() : .inSandbox
        marks = LockMarks(bus: surroundings.address, of: owner)
        locked = marks.read()
    }

    /// Notes a client that calls.
    func note(_ client: String) { if callers.count < Self.mostCallers { callers.insert(client) } }

    /// Closes what a client has open that has left the bus, or is another owner's now.
    func forget(_ client: String) {
        callers.remove(client)
        sessions.closeAll(of: client)
        prompts.forget(client)
    }

    /// Sends a signal to one client, or to all that may know of the object.
    func tell(_ signal: BusSignal) {
        guard signal.client == nil, !isHeardByAll else { return surroundings.emit(signal) }
        for client in callers.sorted() {
            var signal = signal
            signal.client = client
            surroundings.emit(signal)
        }
    }

    /// A number that no session and no prompt has had.
    func nextName(_ letter: String) -> String {
        last += 1
        return letter + String(last)
    }

    // MARK: - Sessions

    /// The session that a client has opened.
    func session(_ path: String, of client: String) throws(BusFailure) -> SecretSession {
        guard case .session(let name)? = SecretObject(path, aliases: [:]), let session = sessions[name],
            session.client == client
        else { throw BusFailure(.noSession, "The session “\(path)” is not open.") }
        return session
    }

    /// Keeps a session, and gives its name in a path.
    func keep(_ session: SecretSession) -> String {
        let name = nextName("s")
        sessions.open(session, name, by: clients.owner(of: session.client))
        return name
    }

    func close(_ name: String) { sessions.close(name) }

    // MARK: - State

    /// Whether values of a collection are not given out.
    func isLocked(_ collection: String) throws(BusFailure) -> Bool {
        if collection == SecretCollection.session { return false }
        if try marked().contains(collection) { return true }
        return try status().lockState == .beforeFirstUnlock
    }

    /// Those of some collections that are locked.
    func lockedOnes(among names: [String]) throws(BusFailure) -> Set<String> {
        var found: Set<String> = []
        for name in Set(names) where try isLocked(name) { found.insert(name) }
        return found
    }

    func checkUnlocked(_ collection: String, _ what: String) throws(BusFailure) {
        if try isLocked(collection) { throw .locked(what) }
    }

    func status() throws(BusFailure) -> DeviceStatus {
        try asking { () throws(Refusal) in
            guard case .status(let status) = try secrets.reach().device(.status, passcodes: []) else {
                throw Refusal(
                    .internalError, .internalError, "status", "The keychain has not said how it is.",
                    do: "Look at its log.")
            }
            return status
        }
    }
}

/// A signal on its way to the bus.
struct BusSignal {
    var member: String
    var interface: String
    var path: String
    /// The one client that it is for; nil for all.
    var client: String?
    var values: [BusValue]
}
