package import EnclaveWire
import Glibc
import KeychainWire
import LinuxSystem
import Systemd

/// Watches the user's session at logind (`org.freedesktop.login1` on the system bus), and the sleep of the machine.
///
/// Of several sessions one is watched, a desktop rather than a terminal. When it ends, another one is watched from then
/// on; the end of the last one counts as locked, or as a logout from a desktop. An end never counts as unlocked.
///
/// A *delay inhibitor* holds up the machine's suspension until `tell` has returned. Without a bus, or without logind,
/// no event is seen, and nothing else is different.
package final class SessionWatch: Sendable {
    private let user: UInt32
    private let tell: @Sendable (SessionEvent) -> Void
    private let name = Lock("")

    /// - Parameters:
    ///   - user: whose sessions it watches.
    ///   - tell: called on the thread of ``run(until:)`` with every change; returns when the change has taken effect.
    package init(of user: UInt32, tell: @escaping @Sendable (SessionEvent) -> Void) {
        (self.user, self.tell) = (user, tell)
    }

    /// The session that is watched; empty when there is none.
    package var session: String { name.withLock { $0 } }

    /// Between two attempts to get back to a bus that has gone: milliseconds.
    private static let pause = 10_000

    /// Watches until it is withdrawn.
    package func run(until end: Withdrawal) {
        // A system without a bus does not get one later.
        while watch(until: end), !end.hasHappened {
            _ = try? end.descriptor.wait(for: .readable, deadline: .after(milliseconds: Self.pause))
        }
    }

    /// Watches until it is withdrawn or the bus goes. False when there was nothing to watch.
    private func watch(until end: Withdrawal) -> Bool {
        defer { name.withLock { $0 = "" } }
        do throws(BusError) {
            let logind = try Logind()
            var state = SessionState()
            logind.holdUpSleep()
            follow(logind, &state)
            do throws(BusError) {
                // Signals that came while logind was asked do not make the descriptor readable.
                repeat {
                    while let signal = try logind.bus.nextSignal() { try take(signal, of: logind, &state) }
                } while try !ends(end, logind.bus.descriptor)
            } catch {}
            return true
        } catch { return false }
    }

    private func ends(_ end: Withdrawal, _ bus: FileDescriptor) throws(BusError) -> Bool {
        (try? FileDescriptor.waitForAny(of: [end.descriptor, bus], deadline: .never)) != 1
    }

    /// Watches the session that is to be watched now, if there is one.
    private func follow(_ logind: Logind, _ state: inout SessionState) {
        let found = try? logind.findSession(of: user, watched: session)
        if found?.merits.contains(.isGraphical) == true { state.hasDesktop = true }
        guard found?.path ?? "" != session else { return }
        name.withLock { $0 = found?.path ?? "" }
        state.beginAnother()
        guard let found else { return report(end(of: &state, logind), &state) }
        if (try? logind.isLocked(found.path)) == true { report(.locked, &state) }
    }

    /// The end of the last session. A user without a session cannot lock it any more.
    ///
    /// A desktop's secrets close with it, for most of its programs are gone. Programs of a server stay, and a user that
    /// lingers has said so. Where logind does not answer for each session, nobody's work is cut off.
    private func end(of state: inout SessionState, _ logind: Logind) -> SessionEvent {
        guard state.hasDesktop, (try? logind.lingers(user)) == false, (try? logind.hasSession(of: user)) == false
        else { return .locked }
        state.hasDesktop = false
        return .ended
    }

    private func take(_ signal: BusMessage, of logind: Logind, _ state: inout SessionState) throws(BusError) {
        let isOurs = signal.path == session
        switch signal.member {
        case "Lock" where isOurs: report(.locked, &state)
        case "Unlock" where isOurs: report(.unlocked, &state)
        case "PropertiesChanged" where isOurs:
            guard let isLocked = try Logind.lockedHint(in: signal) else { return }
            report(isLocked ? .locked : .unlocked, &state)
        case "PrepareForSleep":
            let sleeps = try signal.readFlag()
            report(sleeps ? .goingToSleep : .awake, &state)
            if sleeps { logind.letSleep() } else { logind.holdUpSleep() }
        case "SessionNew", "SessionRemoved": follow(logind, &state)
        default: break
        }
    }

    private func report(_ event: SessionEvent, _ state: inout SessionState) {
        if state.isNews(event) { tell(event) }
    }
}

/// The last reports about a session. logind often reports a lock twice, by a signal and by a property.
struct SessionState {
    private var told: SessionEvent?
    /// Whether one of the sessions was a desktop since the last end of all.
    var hasDesktop = false

    /// Forgets what was told: reports about another session say nothing about this one.
    mutating func beginAnother() { told = nil }

    /// Whether the event changes anything.
    mutating func isNews(_ event: SessionEvent) -> Bool {
        switch event {
        case .goingToSleep, .awake, .ended: return true
        case .locked, .unlocked:
            defer { told = event }
            return told != event
        }
    }
}
