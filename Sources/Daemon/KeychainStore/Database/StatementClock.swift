import LinuxSystem

/// Interrupts a statement that runs past its deadline, such as a search for something that has no index. Belongs to one
/// connection, and with it to one thread at a time.
final class StatementClock {
    /// How many instructions of SQLite's machine pass between two looks at the clock: about a tenth of a millisecond's.
    static let steps: Int32 = 5000

    var deadline = Deadline.never

    /// The handler that SQLite calls; every result other than zero interrupts.
    static func isLate(_ context: UnsafeMutableRawPointer?) -> Int32 {
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<StatementClock>.fromOpaque(context).takeUnretainedValue().deadline.hasPassed ? 1 : 0
    }
}
