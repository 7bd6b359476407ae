import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import Systemd

/// The Secret Service over the keychain: what it offers, and what its clients have open. Belongs to the
/// thread of the bus.
final class Bridge {
    let secrets: KeychainSecrets
    let memory = SessionSecrets()
    var clients: Clients
    var sessions: [String: SecretSession] = [:]
    private(set) lazy var prompts = SecretPrompts(deeds) { Clock.monotonicNanoseconds / 1_000_000_000 }
    /// The collections that a client has locked, each with the keychain's last unlock before that. The keychain itself
    /// stays as it is.
    var locked: [String: UInt64] = [:]
    private var last = 0
    private var lastMade: [SecretCollection] = []
    let emit: (BusSignal) -> Void
    let questions: Questions

    /// The most sessions and prompts that a client may have open.
    static let mostSessions = 64, mostPrompts = 4

    /// - Parameters:
    ///   - secrets: the collections and items.
    ///   - clients: who may ask.
    ///   - emit: sends a signal.
    ///   - questions: asks the user.
    init(
        _ secrets: KeychainSecrets, clients: Clients, emit: @escaping (BusSignal) -> Void, questions: Questions
    ) {
        (self.secrets, self.clients, self.emit, self.questions) = (secrets, clients, emit, questions)
    }

    /// Closes what a client has open that has left the bus.
    func forget(_ client: String) {
        clients.forget(client)
        sessions = sessions.filter { $0.value.client != client }
        prompts.forget(client)
    }

    /// A number that no session and no prompt has had.
    func nextName(_ letter: String) -> String {
        last += 1
        return letter + String(last)
    }

    // MARK: - Looking up

    /// All collections: those that always exist, and those that were made.
    func collections() throws(BusFailure) -> [SecretCollection] {
        let made = try madeCollections()
        var login =
            made.first { $0.name == SecretCollection.login }
            ?? SecretCollection(name: SecretCollection.login, label: "Login")
        let taken = made.flatMap(\.aliases)
        login.aliases += ["default", "login"].filter { !taken.contains($0) }
        let session = SecretCollection(name: SecretCollection.session, label: "", aliases: ["session"])
        return [login] + made.filter { $0.name != login.name } + [session]
    }

    /// The collections that were made. Their names are sealed before the first unlock; then those that were known last
    /// are, so that clients find the default one and can ask for an unlock.
    private func madeCollections() throws(BusFailure) -> [SecretCollection] {
        do throws(BusFailure) {
            lastMade = try asking { () throws(Refusal) in try secrets.collections() }
        } catch {
            guard error.name == .isLocked else { throw error }
        }
        return lastMade
    }

    func collection(_ name: String) throws(BusFailure) -> SecretCollection {
        guard let found = try collections().first(where: { $0.name == name }) else {
            throw .gone(SecretObject.collection(name).path)
        }
        return found
    }

    func items(of collection: String) throws(BusFailure) -> [SecretItem] {
        try matches([:], in: collection)
    }

    func item(_ object: SecretObject) throws(BusFailure) -> SecretItem {
        guard case .item(let collection, let name) = object else { throw .gone(object.path) }
        let found =
            if collection == SecretCollection.session {
                memory.all.first { $0.name == name }
            } else {
                try asking { () throws(Refusal) in try secrets.item(named: name, in: collection) }
            }
        guard let found else { throw .gone(object.path) }
        return found
    }

    /// The items of a collection, or of all, with all these attributes, the newest first.
    func matches(_ wanted: [String: String], in collection: String?) throws(BusFailure) -> [SecretItem] {
        let inMemory = memory.all.filter { $0.matches(wanted) }
        if collection == SecretCollection.session { return inMemory }
        let stored = try asking { () throws(Refusal) in try secrets.items(wanted, in: collection) }
        return collection == nil ? (inMemory + stored).sorted { $0.created > $1.created } : stored
    }

    /// The session that a client has opened.
    func session(_ path: String, of client: String) throws(BusFailure) -> SecretSession {
        guard case .session(let name)? = SecretObject(path, aliases: [:]), let session = sessions[name],
            session.client == client
        else { throw BusFailure(.noSession, "The session “\(path)” is not open.") }
        return session
    }

    // MARK: - State

    /// Whether values of a collection are not given out.
    func isLocked(_ collection: String) throws(BusFailure) -> Bool {
        if collection == SecretCollection.session { return false }
        if try isMarked(collection) { return true }
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
