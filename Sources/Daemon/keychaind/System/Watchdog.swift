import LinuxSystem

/// Tells whoever has started this process every few seconds that it goes on, so that one that has stopped is ended and started again:
/// the service's supervisor over the lifeline, or systemd (WatchdogSec=, sd_notify(3)).
struct Watchdog {
    private let send: () -> Void

    /// How often, in milliseconds.
    static let interval = 2000
    /// Who has said nothing for so long has stopped: milliseconds. The units say the same.
    static let patience = 8000

    /// Nil when nobody wants to hear.
    init?(lifeline: UnixSocket?) {
        if let lifeline {
            send = { try? lifeline.sendFully([1].span, deadline: .now) }
        } else if let manager = ServiceManager() {
            send = { manager.tell("WATCHDOG=1") }
        } else {
            return nil
        }
    }

    func beat() { send() }
}
