import Glibc

/// Tells who has started this process every few seconds that it goes on, so that one that has stopped is ended and
/// started again: the service's supervisor over the lifeline, or systemd (WatchdogSec=, sd_notify(3)).
package struct Watchdog {
    private let send: () -> Void

    /// How often, in milliseconds.
    package static let interval = 2000
    /// A process that has said nothing for so long has stopped: milliseconds. The units say the same.
    package static let patience = 8000

    /// Nil when nobody wants to hear.
    package init?(lifeline: FileDescriptor?) {
        if let lifeline {
            let socket = UnixSocket(lifeline)
            send = { try? socket.sendFully([1].span, deadline: .now) }
        } else if let manager = ServiceManager() {
            send = { manager.tell("WATCHDOG=1") }
        } else {
            return nil
        }
    }

    package func beat() { send() }

    /// Gives signs from a thread of its own, for a process whose other threads may wait without an end.
    ///
    /// - Throws: `SystemError` of `pthread_create`: too many threads.
    package static func start(_ giveSign: @escaping @Sendable () -> Void) throws(SystemError) {
        _ = try Thread(named: "watchdog") {
            while true {
                giveSign()
                usleep(UInt32(interval) * 1000)
            }
        }
    }
}
