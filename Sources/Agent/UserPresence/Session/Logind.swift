import Glibc
import LinuxSystem
import Systemd

/// logind, as far as the watch over a session needs it. Belongs to one thread.
final class Logind {
    private static let service = "org.freedesktop.login1"
    private static let manager = BusObject(service, "/org/freedesktop/login1", service + ".Manager")

    let bus: SystemBus
    /// While it is open, the machine waits a few seconds before it falls asleep.
    private var inhibitor: FileDescriptor?

    /// Connects, and asks for all that logind says.
    ///
    /// - Throws: ``BusError`` when there is no bus, or no logind on it.
    init() throws(BusError) {
        bus = try SystemBus()
        try bus.watch(Self.service)
        // Only a service that is there answers.
        try bus.call(Self.manager, "ListSessions")
    }

    /// Has the machine wait before it falls asleep. Where that is not allowed, it does not wait.
    func holdUpSleep() {
        let words = ["sleep", "Keychain", "The keychain locks itself.", "delay"].map { BusValue.text($0) }
        inhibitor = try? bus.call(Self.manager, "Inhibit", words).readDescriptor()
    }

    /// Lets it fall asleep.
    func letSleep() { inhibitor = nil }

    /// The session of a user to watch. The first rule that decides counts: a session with a screen; the one in the
    /// foreground; the one that is watched already; the one that the environment names; the one of this process; the
    /// first.
    ///
    /// - Parameters:
    ///   - user: the user's number.
    ///   - watched: the path of the one that is watched already.
    /// - Returns: nil when the user has no session.
    func findSession(of user: UInt32, watched: String) throws(BusError) -> UserSession? {
        let own = try? path("GetSessionByPID", .number(UInt32(CurrentProcess.identifier)))
        let named = unsafe getenv("XDG_SESSION_ID").map { unsafe String(cString: $0) }
        var sessions: [UserSession] = []
        for (name, path) in try listSessions(of: user) {
            // One that ends meanwhile is none.
            guard var session = try? person(in: path) else { continue }
            if path == watched { session.merits.insert(.isWatched) }
            if name == named { session.merits.insert(.isNamed) }
            if path == own { session.merits.insert(.isOurs) }
            sessions.append(session)
        }
        return UserSession.preferred(of: sessions)
    }

    private func path(_ method: String, _ argument: BusValue) throws(BusError) -> String {
        try bus.call(Self.manager, method, [argument]).readText()
    }

    /// Whether the programs of a user go on without a session (`loginctl enable-linger`).
    func lingers(_ user: UInt32) throws(BusError) -> Bool {
        var object = ""
        let reply = try bus.call(Self.manager, "ListUsers")
        try reply.readList("(uso)") { () throws(BusError) in
            try reply.readStructure("uso") { () throws(BusError) in
                let number = try reply.readNumber()
                try reply.skip("s")
                let path = try reply.readText()
                if number == user { object = path }
            }
        }
        guard !object.isEmpty else { return false }
        return try bus.property(BusObject(Self.service, object, Self.service + ".User"), "Linger", "b").readFlag()
    }

    /// Whether somebody is in a session of a user.
    ///
    /// - Throws: ``BusError`` also where one of the sessions alone cannot be looked at.
    func hasSession(of user: UInt32) throws(BusError) -> Bool {
        for (_, path) in try listSessions(of: user) where try person(in: path) != nil { return true }
        return false
    }

    /// The names and paths of the user's sessions.
    private func listSessions(of wanted: UInt32) throws(BusError) -> [(name: String, path: String)] {
        var sessions: [(name: String, path: String)] = []
        let reply = try bus.call(Self.manager, "ListSessions")
        try reply.readList("(susso)") { () throws(BusError) in
            try reply.readStructure("susso") { () throws(BusError) in
                let name = try reply.readText()
                let user = try reply.readNumber()
                try reply.skip("ss")
                let path = try reply.readText()
                if user == wanted { sessions.append((name, path)) }
            }
        }
        return sessions
    }

    /// The session at a path; nil when nobody is in it.
    private func person(in path: String) throws(BusError) -> UserSession? {
        let (kind, state) = (try text("Class", of: path), try text("State", of: path))
        guard UserSession.hasPerson(class: kind, state: state) else { return nil }
        var session = UserSession(path: path)
        if UserSession.graphicalTypes.contains(try text("Type", of: path)) { session.merits.insert(.isGraphical) }
        if state == "active" { session.merits.insert(.isActive) }
        return session
    }

    private func text(_ name: String, of session: String) throws(BusError) -> String {
        try bus.property(object(session), name, "s").readText()
    }

    private func object(_ session: String) -> BusObject { BusObject(Self.service, session, Self.service + ".Session") }

    /// Whether the session says that it is locked.
    func isLocked(_ session: String) throws(BusError) -> Bool {
        try bus.property(object(session), "LockedHint", "b").readFlag()
    }

    /// The lock state that a change of properties reports; nil when it is about something else.
    static func lockedHint(in signal: BusMessage) throws(BusError) -> Bool? {
        guard try signal.readText() == service + ".Session" else { return nil }
        var hint: Bool?
        try signal.readProperties { (name) throws(BusError) in
            if name == "LockedHint" { hint = try signal.readFlagVariant() }
        }
        return hint
    }
}
