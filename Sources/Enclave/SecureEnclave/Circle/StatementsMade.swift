import KeychainModel
import SyncFormat

/// The statements that an enclave has made since it started, and will sign.
///
/// They are in memory alone. A statement that was lost with the process is made again: its effect is in the vault.
struct StatementsMade {
    /// A batch has as many; of too many the oldest goes.
    static let most = SyncLimits.statements

    private struct Made {
        let statement: SyncStatement
        /// The machine as which this one has made it: after it has left a circle it is another.
        let author: MemberID
    }

    private var statements: [Made] = []

    mutating func add(_ made: [SyncStatement], by author: MemberID) {
        statements = (statements + made.map { Made(statement: $0, author: author) }).suffix(Self.most)
    }

    /// Whether the enclave may sign a statement in a batch of its circle.
    ///
    /// - Throws: as ``MemberKeys/hasSigned(_:of:)``.
    func allow(_ statement: SyncStatement, in record: CircleRecord) throws(Refusal) -> Bool {
        switch statement {
        case .genesis(let keys, let random):
            return keys == record.own.keys && random == record.random && random != .none
        // They give nobody anything, and say nothing that the daemon does not know better.
        case .want, .endorse: return true
        // The recovery key's signature says that its user was asked, also after a restart.
        case .add(let addition) where addition.recoveryKey != .none:
            guard addition.keys == record.own.keys,
                let sponsor = record.membership.recoveryKey(addition.recoveryKey)
            else { return false }
            return try sponsor.keys.hasSigned(addition.signature, of: addition.signed(in: record.circle))
        case .remove(let target, _, let kept):
            // Not everyone has read both logs of a member that contradicts itself, so that all others repeat their
            // removals, without their users. The daemon may have withheld that others are in: nobody goes by it who
            // has not gone by the removal that it repeats.
            return isMade(statement, record) || record.membership.isRepeated(target, kept: kept)
        case .add, .generation, .share, .recovery: return isMade(statement, record)
        case .unknown: return false
        }
    }

    private func isMade(_ statement: SyncStatement, _ record: CircleRecord) -> Bool {
        statements.contains { $0.statement == statement && $0.author == record.own.id }
    }
}
