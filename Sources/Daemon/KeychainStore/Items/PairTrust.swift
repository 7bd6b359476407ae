import LinuxSystem

/// Whether the pairs of ``LookupTable`` are those of the items, by group: they are found out once for each opened
/// store, by a look at every row. Shared by all connections of an ``ItemStore``, which write no other pairs.
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
    private let findings = Lock([[UInt8]: Finding]())

    package func finding(_ group: ColumnDigest) -> Finding {
        findings.withLock { $0[Self.key(group)] ?? .unknown(after: 0) }
    }

    package func keep(finding: Finding, of group: ColumnDigest) {
        findings.withLock { findings in
            if findings.count >= Self.most { findings = [:] }
            findings[Self.key(group)] = finding
        }
    }

    private static func key(_ group: ColumnDigest) -> [UInt8] { group.span.array(0, AttributeDigester.size) }
}
