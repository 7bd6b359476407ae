import CSQLite
import Glibc
import LinuxSystem

/// How long a checkpoint waits for readers of older states, and what ends it then.
///
/// SQLite goes on with a part of the log when it is told to wait no longer. An interrupted checkpoint ends before any
/// of it counts. Belongs to one checkpoint, and with it to one thread.
@safe final class CheckpointTimeout {
    private static let pauseMicroseconds: UInt32 = 500

    private let handle: OpaquePointer
    private let deadline: Deadline

    init(_ handle: OpaquePointer, _ deadline: Deadline) {
        unsafe self.handle = handle
        self.deadline = deadline
    }

    /// The handler that SQLite calls when a lock is taken; 0 waits no longer.
    static func waits(_ context: UnsafeMutableRawPointer?) -> Int32 {
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<CheckpointTimeout>.fromOpaque(context).takeUnretainedValue().waits ? 1 : 0
    }

    private var waits: Bool {
        guard deadline.hasPassed else { return usleep(Self.pauseMicroseconds) == 0 || errno == EINTR }
        unsafe sqlite3_interrupt(handle)
        return false
    }
}
