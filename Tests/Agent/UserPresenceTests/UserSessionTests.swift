import EnclaveWire
import KeychainWire
import Testing

@testable import UserPresence

/// The session that is watched, and what of it is told.
@Suite struct UserSessionTests {
    @Test("a desktop comes before a terminal, then the foreground, then the one that is watched")
    func preference() {
        let merits: [UserSession.Merits] = [
            [.isOurs], [.isNamed], [.isWatched, .isOurs], [.isWatched, .isNamed], [.isActive], [.isActive, .isWatched],
            [.isGraphical], [.isGraphical, .isWatched, .isNamed, .isOurs], [.isGraphical, .isActive],
        ]
        let sessions = merits.enumerated().map { UserSession(path: "/\($0.offset)", merits: $0.element) }
        for count in 1...sessions.count {
            let some = Array(sessions.prefix(count))
            #expect(UserSession.preferred(of: some) == some.last)
            #expect(UserSession.preferred(of: some.reversed()) == some.last)
        }
    }

    @Test("of equal sessions the first is watched, of none none")
    func equals() {
        #expect(UserSession.preferred(of: [UserSession(path: "/a"), UserSession(path: "/b")])?.path == "/a")
        #expect(UserSession.preferred(of: []) == nil)
    }

    @Test(
        "a session that is closing or not a person's is none",
        arguments: [
            ("user", "active", true), ("user", "online", true), ("user-early", "active", true),
            ("user", "closing", false),
            ("greeter", "active", false), ("lock-screen", "active", false), ("background", "active", false),
            ("manager", "active", false), ("", "active", false),
        ])
    func person(kind: String, state: String, isOne: Bool) {
        #expect(UserSession.hasPerson(class: kind, state: state) == isOne)
    }

    @Test("a lock that is said twice is told once, sleep every time")
    func news() {
        var state = SessionState()
        let events: [(SessionEvent, Bool)] = [
            (.unlocked, true), (.unlocked, false), (.locked, true), (.locked, false), (.goingToSleep, true),
            (.goingToSleep, true), (.awake, true), (.unlocked, true), (.unlocked, false), (.locked, true),
        ]
        for (event, isNews) in events + [(.ended, true), (.ended, true)] {
            let said = state.isNews(event)
            #expect(said == isNews)
        }
    }
}
