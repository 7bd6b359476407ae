import LinuxSystem

/// Keeps checkpoints and write transactions apart, in all processes that use a store: a transaction holds the lock shared, a
/// checkpoint exclusively.
///
/// SQLite before 3.51.3 may lose a commit that begins the log again while another connection makes a checkpoint
/// (https://www.sqlite.org/wal.html, "the WAL-reset bug"). Belongs to one connection that writes.
final class CheckpointLock {
    private let lock: FileLock

    /// - Throws: `SystemError` of `open`.
    init(besides path: String) throws(SystemError) { lock = try FileLock("\(path)-checkpoint") }

    /// Runs a write transaction beside which no checkpoint is made.
    func duringTransaction<Result, Failure: Error>(
        by deadline: Deadline, _ body: () throws(Failure) -> Result, orElse failed: (SystemError) -> Failure
    ) throws(Failure) -> Result {
        do throws(SystemError) { try lock.take(.shared, by: deadline) } catch { throw failed(error) }
        defer { lock.release() }
        return try body()
    }

    /// Runs a checkpoint unless somebody writes; false when somebody does.
    func duringCheckpoint<Failure: Error>(_ body: () throws(Failure) -> Bool) throws(Failure) -> Bool {
        do throws(SystemError) { try lock.take(.exclusive, by: .now) } catch { return false }
        defer { lock.release() }
        return try body()
    }
}
