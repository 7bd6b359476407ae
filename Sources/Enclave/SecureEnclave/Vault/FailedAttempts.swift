import LinuxSystem

/// The failed attempts at the passcode, and since when the next one has to wait.
///
/// The wait is measured on the clock that counts from the system's start, which nobody can set. If the system restarts
/// during a wait, the wait starts over, because the wall clock could have been set forward in between.
struct FailedAttempts: Equatable, Sendable {
    /// How much room a boot's name has.
    static let bootBytes = 36

    private(set) var count: UInt32 = 0
    /// The boot in which the last attempt failed, and how many seconds into it.
    private(set) var boot = ""
    private(set) var since: UInt64 = 0

    init() {}

    init(count: UInt32, boot: String, since: UInt64) {
        (self.count, self.boot, self.since) = (count, boot, since)
    }

    /// Counts an attempt as failed, before it is known whether it is: who ends the process to try again has lost a try.
    mutating func add(at moment: DeviceClock.Moment) {
        self = FailedAttempts(count: count == .max ? .max : count + 1, boot: moment.boot, since: moment.seconds)
    }

    /// How many seconds the next attempt still has to wait.
    func remainingWait(at moment: DeviceClock.Moment) -> UInt32 {
        let (waited, wait) = (timeWaited(at: moment), Self.wait(after: count))
        return waited >= wait ? 0 : wait - UInt32(waited)
    }

    private func timeWaited(at moment: DeviceClock.Moment) -> UInt64 {
        guard moment.boot == boot else { return moment.seconds }
        if moment.seconds >= since { return moment.seconds - since }
        // Where boots have no names, it is the next one. Else the clock is not the one that the wait began on.
        return boot == DeviceClock.namelessBoot ? moment.seconds : 0
    }

    /// Seconds from a failed attempt to the next one.
    ///
    ///     failed attempts   wait
    ///     1 to 4            none
    ///     5                 1 minute
    ///     6                 5 minutes
    ///     7, 8              15 minutes
    ///     9 and more        1 hour
    ///
    /// As on a phone (Apple Platform Security, "Passcodes and passwords").
    static func wait(after count: UInt32) -> UInt32 {
        switch count {
        case 0...4: 0
        case 5: 60
        case 6: 5 * 60
        case 7...8: 15 * 60
        default: 60 * 60
        }
    }
}

/// The clock that waits are measured on.
package struct DeviceClock: Sendable {
    /// A moment in the life of the system.
    package struct Moment: Equatable, Sendable {
        /// A name that is another after every start of the system, at most 36 bytes.
        package var boot: String
        /// Seconds since that start.
        package var seconds: UInt64

        package init(boot: String, seconds: UInt64) {
            self.boot = boot
            self.seconds = seconds
        }
    }

    /// The moment, with the boot as it is now.
    let now: @Sendable () -> Moment
    /// The seconds alone, which are wanted at every use of a key.
    let seconds: @Sendable () -> UInt64

    /// A clock that a test or a simulated device turns.
    package init(_ now: @escaping @Sendable () -> Moment) { self.init(now) { now().seconds } }

    private init(_ now: @escaping @Sendable () -> Moment, seconds: @escaping @Sendable () -> UInt64) {
        (self.now, self.seconds) = (now, seconds)
    }

    /// The system's clock, whatever time namespace this process was started in: who gives it one neither shortens a
    /// wait nor keeps anything open. Where `/proc` is missing all boots have one name, and a wait is restarted by the
    /// clock's running backwards.
    package static var system: DeviceClock {
        let (boot, ahead) = (BootIdentifier(), TimeNamespace.secondsAhead)
        let seconds = { @Sendable in UInt64(max(0, Int64(clamping: Clock.secondsSinceBoot) &- ahead)) }
        return DeviceClock({ Moment(boot: boot.current ?? namelessBoot, seconds: seconds()) }, seconds: seconds)
    }

    /// The name of all boots where they have none.
    static let namelessBoot = "unknown"
}
