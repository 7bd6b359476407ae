import Glibc
import LinuxSystem
import SystemBus

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
        let words = ["sleep", "Keychain", "The keychain locks itself.", "delay"].map { BusArgument.text($0) }
        inhibitor = try? bus.call(Self.manager, "Inhibit", words).readDescriptor()
    }

    /// Lets it fall asleep.
    func letSleep() { inhibitor = nil }

    /// The session of this user: the one that the environment names, else the one he sees, else the one this process is in,
    /// else the first of his.
    func findSession() throws(BusError) -> String? {
        if let named = unsafe getenv("XDG_SESSION_ID"),
            let session = try? path("GetSession", .text(unsafe String(cString: named)))
        {
            return session
        }
        if let session = try? displayed() { return session }
        if let session = try? path("GetSessionByPID", .number(UInt32(CurrentProcess.identifier))) { return session }
        return try first()
    }

    private func path(_ method: String, _ argument: BusArgument) throws(BusError) -> String {
        try bus.call(Self.manager, method, [argument]).readText()
    }

    private func displayed() throws(BusError) -> String? {
        let user = BusObject(
            Self.service, try path("GetUser", .number(CurrentProcess.user)), Self.service + ".User")
        let value = try bus.property(user, "Display", "(so)")
        var session: String?
        try value.readStructure("so") { () throws(BusError) in
            let identifier = try value.readText()
            let path = try value.readText()
            session = identifier.isEmpty ? nil : path
        }
        return session
    }

    private func first() throws(BusError) -> String? {
        var session: String?
        let reply = try bus.call(Self.manager, "ListSessions")
        try reply.readList("(susso)") { () throws(BusError) in
            try reply.readStructure("susso") { () throws(BusError) in
                try reply.skip("s")
                let user = try reply.readNumber()
                try reply.skip("ss")
                let path = try reply.readText()
                if session == nil, user == CurrentProcess.user { session = path }
            }
        }
        return session
    }

    /// Whether the session says that it is locked.
    func isLocked(_ session: String) throws(BusError) -> Bool {
        try bus.property(BusObject(Self.service, session, Self.service + ".Session"), "LockedHint", "b").readFlag()
    }

    /// What a change of properties says about the lock; nil when it is about something else.
    static func lockedHint(in signal: BusMessage) throws(BusError) -> Bool? {
        guard try signal.readText() == service + ".Session" else { return nil }
        var hint: Bool?
        try signal.readProperties { (name) throws(BusError) in
            if name == "LockedHint" { hint = try signal.readFlagVariant() }
        }
        return hint
    }
}
