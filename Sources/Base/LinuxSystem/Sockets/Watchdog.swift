import Glibc

/// Reports to the parent every few seconds that this process works, so that a stopped process is killed and started
/// again. The parent is the service's supervisor, over the lifeline, or systemd (WatchdogSec=, sd_notify(3)).
package struct Watchdog {
    private let send: () -> Void

    /// The interval of the reports in milliseconds.
    package static let interval = 2000
    /// A process without a report for so many milliseconds has stopped. The units contain the same number.
    package static let timeout = 8000

    /// Nil when no process wants the reports.
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

    /// Sends reports from a thread of its own, for a process whose other threads may wait without a limit.
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
