package import KeychainPolicy
package import LinuxSystem

/// Processes that connect more than once, so that their next connection costs two system calls.
///
/// A number and a connection prove nothing alone: the process may have ended and another one have its number, or it may
/// execute something else by now. A process is taken for the same one if
///
/// 1. it lived when it was noted, and does now: its folder is held open, which is no later process's;
/// 2. the connection was made after it was noted (``UnixSocket/madeAfter``), so by the process that has had the number
///    since then;
/// 3. it had the same user and group when it connected;
/// 4. it executes the very file it did, in the same version.
///
/// In doubt it is not known, and is identified as if it had never been here.
package final class KnownProcesses: Sendable {
    /// A process as it was identified. One reference, which is handed out for the price of one.
    package final class Entry: Sendable {
        let numbers: PeerNumbers
        let program: any ExecutionWatch
        /// The source of its groups.
        let mark: ProgramMark?
        /// The number of the installed entitlements it was held against.
        let reading: UInt64
        package let caller: CallerIdentity
        /// The process itself, for all of its connections.
        let process: any CallerProcess
        /// A moment when it lived and had its number.
        let noted: UInt64

        init(
            _ caller: CallerIdentity, process: any CallerProcess, numbers: PeerNumbers, program: any ExecutionWatch,
            mark: ProgramMark?, reading: UInt64, noted: UInt64
        ) {
            (self.caller, self.process, self.numbers, self.program) = (caller, process, numbers, program)
            (self.mark, self.reading, self.noted) = (mark, reading, noted)
        }

        /// The same, known for as long as an earlier entry of the same process.
        fileprivate func since(_ earlier: Entry) -> Entry {
            Entry(
                caller, process: process, numbers: numbers, program: earlier.program, mark: mark,
                reading: reading,
                noted: earlier.noted)
        }
    }

    /// As many as a busy session has; a process that is forgotten is identified again.
    package static let capacity = 128

    /// A process by its number, which is looked for without a look at what is known of it.
    private struct Row {
        let number: Int32
        var entry: Entry
    }

    /// Those that were noted first in front. To look through so few numbers costs less than to hash one.
    private let rows = Lock<[Row]>([])
    /// The numbers of those that were identified last. They say nothing about who has them now.
    private let met = Lock<[Int32]>([])

    /// How coarse the clock of a program's file system may be (``FileVersion/isSettled(tick:)``).
    let tick: Int64

    package init(tick: Int64 = FileVersion.coarsestTick) { self.tick = tick }

    package var count: Int { rows.withLock { $0.count } }

    /// The process that made a connection, if that is certain.
    package func find(_ numbers: PeerNumbers, madeAfter: UInt64?) -> Entry? {
        guard let madeAfter, let entry = known(numbers.process), entry.noted <= madeAfter,
            entry.numbers == numbers, entry.program.isUnchanged
        else { return nil }
        return entry
    }

    /// Drops the facts kept about processes.
    func forget(where isOver: (Entry) -> Bool) { rows.withLock { rows in rows.removeAll { isOver($0.entry) } } }

    /// Whether a process was here before, as it seems from its number: a note of one that connects once is made for
    /// nothing.
    func comesAgain(_ number: Int32) -> Bool {
        met.withLock { met in
            if met.contains(number) { return true }
            if met.count == Self.capacity { met.removeFirst() }
            met.append(number)
            return false
        }
    }

    /// Notes a process, in place of another one that had its number.
    func note(_ entry: Entry) {
        var entry = entry
        let number = entry.numbers.process
        // The longer it has been known the older its connections may be.
        if let old = known(number), old.program.version == entry.program.version, old.program.isUnchanged {
            entry = entry.since(old)
        }
        rows.withLock { rows in
            if let index = rows.firstIndex(where: { $0.number == number }) { return rows[index].entry = entry }
            if rows.count == Self.capacity { rows.removeFirst() }
            rows.append(Row(number: number, entry: entry))
        }
    }

    private func known(_ number: Int32) -> Entry? {
        // The one that was noted last asks most.
        rows.withLock { rows in rows.lastIndex { $0.number == number }.map { rows[$0].entry } }
    }
}
