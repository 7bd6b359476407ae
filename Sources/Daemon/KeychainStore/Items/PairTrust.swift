import LinuxSystem

/// Whether the pairs of ``LookupTable`` are those of the items, by group: they are found out by a look at every row,
/// and once more where the files have been written since. Shared by all connections of an ``ItemStore``, which write no
/// other pairs.
package final class PairTrust: Sendable {
    /// The findings about a group.
    package enum Finding: Equatable, Sendable {
        /// The rows up to this one have theirs.
        case unknown(after: Int64)
        case whole
        /// Some are missing. Rows are looked for one by one then.
        case broken
    }

    /// Those of more groups are found out again.
    private static let most = 256
    private let findings = Lock([[UInt8]: (finding: Finding, state: StoreState?)]())

    /// The finding about a group's pairs in a state of the files; nil for a state that is not known.
    package func finding(_ group: ColumnDigest, in state: StoreState?) -> Finding {
        findings.withLock { findings in
            guard let state, let known = findings[Self.key(group)], known.state == state else {
                return .unknown(after: 0)
            }
            return known.finding
        }
    }

    /// Whether pairs of a group were missing at the last look.
    func isBroken(_ group: ColumnDigest) -> Bool {
        findings.withLock { $0[Self.key(group)]?.finding == .broken }
    }

    package func keep(finding: Finding, of group: ColumnDigest, in state: StoreState?) {
        findings.withLock { findings in
            if findings.count >= Self.most { findings = [:] }
            findings[Self.key(group)] = (finding, state)
        }
    }

    private static func key(_ group: ColumnDigest) -> [UInt8] { group.span.array(0, AttributeDigester.size) }
}

/// The times at which the files of a store were written, by whichever program. Where this process owns the store, its
/// commits go to the log alone, and the database is written by checkpoints, which are few.
package struct StoreState: Equatable, Sendable {
    private let files: [FileStatus]
    private let changes: [Int64]

    /// The kernel's clock for files goes in steps: a second change within one would leave the time as it is.
    private static let step: Int64 = 100_000_000

    /// Nil where a file is not there, or was written a moment ago.
    ///
    /// - Parameter now: the time in nanoseconds since 1970.
    init?(of database: String, isShared: Bool, now: Int64) {
        let paths = isShared ? [database, database + "-wal"] : [database]
        do throws(SystemError) {
            var (files, changes) = ([FileStatus](), [Int64]())
            for path in paths {
                guard let status = try FileStatus(at: path) else { return nil }
                files.append(status)
                changes.append(try FileStatus.changeTime(at: path))
            }
            guard changes.allSatisfy({ abs(now &- $0) >= Self.step }) else { return nil }
            (self.files, self.changes) = (files, changes)
        } catch { return nil }
    }
}
