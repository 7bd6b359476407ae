import KeychainModel
import KeychainWire
import LinuxSystem

/// The backups that are being made and read, each for the process that began it.
final class BackupsUnderWay: Sendable {
    enum Work: Sendable {
        case writing(BackupWriting)
        case reading(BackupReading)
    }

    private struct Entry: Sendable {
        let ticket, owner: [UInt8]
        let work: Work
        var used: UInt64
    }

    /// A copy of the store belongs to each that is made.
    private static let most = 4
    /// One that nobody goes on with for so many nanoseconds is given up.
    private static let idle: UInt64 = 600_000_000_000

    private let entries = Lock<[Entry]>([])

    /// - Returns: the ticket of the oldest one, when it had to make room.
    func add(_ work: Work, _ ticket: [UInt8], of owner: [UInt8]) -> [UInt8]? {
        let now = UInt64(Clock.monotonicNanoseconds)
        return entries.withLock { entries in
            let oldest = entries.count >= Self.most ? entries.removeFirst().ticket : nil
            entries.append(Entry(ticket: ticket, owner: owner, work: work, used: now))
            return oldest
        }
    }

    /// Gives up those that nobody goes on with: their command has ended.
    ///
    /// - Parameter now: nanoseconds since the machine was started.
    /// - Returns: their tickets.
    func giveUpIdle(now: UInt64 = UInt64(Clock.monotonicNanoseconds)) -> [[UInt8]] {
        entries.withLock { entries in
            let idle = entries.filter { $0.used &+ Self.idle < now }.map(\.ticket)
            entries.removeAll { idle.contains($0.ticket) }
            return idle
        }
    }

    func end(_ ticket: [UInt8], of owner: [UInt8]) {
        entries.withLock { $0.removeAll { $0.ticket == ticket && $0.owner == owner } }
    }

    /// Goes on with a backup that is being made.
    ///
    /// - Throws: `errSecAuthFailed` (`backup.not-under-way`) for any other; what `body` throws.
    func writing<Result>(
        _ ticket: [UInt8], of owner: [UInt8], _ body: (BackupWriting) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        guard case .writing(let found)? = work(ticket, owner) else { throw .notUnderWay }
        return try body(found)
    }

    /// The same for one that is being read.
    func reading<Result>(
        _ ticket: [UInt8], of owner: [UInt8], _ body: (BackupReading) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        guard case .reading(let found)? = work(ticket, owner) else { throw .notUnderWay }
        return try body(found)
    }

    private func work(_ ticket: [UInt8], _ owner: [UInt8]) -> Work? {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.ticket == ticket && $0.owner == owner }) else {
                return nil
            }
            entries[index].used = UInt64(Clock.monotonicNanoseconds)
            return entries[index].work
        }
    }
}

extension Refusal {
    static let notUnderWay = Refusal(
        .authFailed, .noBackupUnderWay, "backup",
        "The backup has ended meanwhile: nobody went on with it, or the keychain's daemon was started again.",
        do: "Begin it again; what was there before is still there.")
}
