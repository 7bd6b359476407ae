/// A session of the user, as far as it matters which one is watched.
struct UserSession: Hashable {
    /// The path of its object.
    var path: String
    /// The reasons to watch this session rather than another.
    var merits: Merits = []

    /// The reasons to watch a session; each outweighs all that stand below it.
    struct Merits: OptionSet, Hashable {
        let rawValue: UInt8

        /// It has a screen that a person can lock.
        static let isGraphical = Merits(rawValue: 1 << 4)
        /// It is in the foreground.
        static let isActive = Merits(rawValue: 1 << 3)
        /// It is the one that is watched already.
        static let isWatched = Merits(rawValue: 1 << 2)
        /// The environment names it.
        static let isNamed = Merits(rawValue: 1 << 1)
        /// This process is in it.
        static let isOurs = Merits(rawValue: 1 << 0)
    }

    /// The types of sessions that have a screen (`sd_session_get_type(3)`).
    static let graphicalTypes: Set = ["x11", "wayland", "mir"]

    /// The one to watch; the first of those that have equal merits.
    static func preferred(of sessions: [UserSession]) -> UserSession? {
        sessions.reduce(nil) { best, next in
            guard let best, best.merits.rawValue >= next.merits.rawValue else { return next }
            return best
        }
    }

    /// Whether a person uses it. Greeters, cron jobs and the service manager have sessions too, and a closing session
    /// has no person any more (`sd_session_get_class(3)`, `sd_session_get_state(3)`).
    static func hasPerson(class kind: String, state: String) -> Bool { kind.hasPrefix("user") && state != "closing" }
}
