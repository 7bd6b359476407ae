import Glibc
import KeychainModel
import KeychainStore
import LinuxSystem

/// A daemon's work for its keychain when nobody waits for it: a copy of the store where there is none of the last day,
/// dropping earlier versions that are past, and backups that nobody goes on with.
///
/// Belongs to one thread, which serves nobody.
package final class Housekeeping {
    private let engine: KeychainEngine
    private var commits: UInt64
    /// Looks in a row at which the store had just been written to.
    private var looksInVain = 0

    /// After so many it is done all the same: a store that is always written to is to have a copy too.
    static let mostLooksInVain = 30
    /// When to look again, in seconds: after a look, and after one in vain.
    private static let (usually, soon): (UInt64, UInt64) = (600, 60)
    /// A copy takes no longer, in milliseconds: the thread that makes it is also the one that hears of the daemon's
    /// end.
    private static let timeout = 30_000

    package init(_ engine: KeychainEngine) {
        self.engine = engine
        commits = engine.store.commits
    }

    /// Does what is due, unless the store was written to since the last look.
    ///
    /// - Parameter now: seconds since 1970, by the wall clock.
    /// - Returns: after how many seconds to look again; the first time is a minute after the beginning.
    package func look(now: Int = time(nil)) -> UInt64 {
        engine.giveUpBackups()
        let commits = engine.store.commits
        let isIdle = commits == self.commits
        self.commits = commits
        looksInVain = isIdle ? 0 : looksInVain + 1
        guard isIdle || looksInVain >= Self.mostLooksInVain else { return Self.soon }
        looksInVain = 0
        engine.keepHouse(by: .after(milliseconds: Self.timeout), now: now)
        return Self.usually
    }
}

extension KeychainEngine {
    /// Makes the day's copy where it is due, and then drops what is past, which is in the copy. A failure is logged,
    /// and tried again the next time.
    func keepHouse(by deadline: Deadline, now: Int) {
        guard failure == nil else { return }
        logging("The daily copy of the store was not made") { () throws(Refusal) in
            guard history.days > 0, try store.isSnapshotDue(now: now) else { return }
            _ = try store.snapshot(by: deadline, now: now)
        }
        logging("Earlier versions of items that are past were not dropped") { () throws(Refusal) in
            try change { (writer) throws(Refusal) in try writer.trimHistory(now: clock.now) }
        }
    }

    private func logging(_ what: String, _ body: () throws(Refusal) -> Void) {
        do throws(Refusal) { try body() } catch { log?("\(what): \(error.problem) \(error.remedy)") }
    }
}
